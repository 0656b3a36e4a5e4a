package infer

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A locker simulates clients that take locks by name from a server.
type locker struct {
	strings.Builder
	random   *rand.Rand
	states   bool // clients have a state, holding, in place of events with fields
	faulty   bool // the server grants some locks that are taken
	messages int
	holder   map[string]int
	queue    map[string][]int
}

// client writes an event of a client with a lock.
func (l *locker) client(c int, op, lock, message string) {
	set := fmt.Sprintf(`"op":%q,"lock":%q`, op, lock)
	if l.states {
		if op != "take" {
			lock = ""
		}
		set = fmt.Sprintf(`"holding":%q`, lock)
	}
	fmt.Fprintf(l, `{"process":"c%d","set":{%s}%s}`+"\n", c, set, message)
}

// message returns the two ends of a new message.
func (l *locker) message() (send, recv string) {
	l.messages++
	return fmt.Sprintf(`,"send":"m%d"`, l.messages), fmt.Sprintf(`,"recv":"m%d"`, l.messages)
}

// lockRun returns a run of three clients and two locks.
func lockRun(t *testing.T, seed uint64, states, faulty bool) Run {
	l := &locker{
		random: rand.New(rand.NewPCG(seed, 3)),
		states: states,
		faulty: faulty,
		holder: map[string]int{"k0": -1, "k1": -1},
		queue:  make(map[string][]int),
	}
	if states {
		for c := range 3 {
			fmt.Fprintf(l, `{"process":"c%d","init":{"holding":""}}`+"\n", c)
		}
	}
	asks, takes, holds := make([]string, 3), make([]string, 3), make([]bool, 3)
	for range 120 {
		c := l.random.IntN(3)
		lock := asks[c]
		switch {
		case lock == "":
			lock = fmt.Sprint("k", l.random.IntN(2))
			send, recv := l.message()
			l.client(c, "ask", lock, send)
			fmt.Fprintf(l, `{"process":"locks"%s}`+"\n", recv)
			asks[c] = lock
			l.queue[lock] = append(l.queue[lock], c)
		case takes[c] != "":
			l.client(c, "take", lock, takes[c])
			takes[c], holds[c] = "", true
		case holds[c]:
			send, recv := l.message()
			l.client(c, "drop", lock, send)
			fmt.Fprintf(l, `{"process":"locks"%s}`+"\n", recv)
			asks[c], holds[c] = "", false
			if l.holder[lock] == c {
				l.holder[lock] = -1
			}
		}
		for _, lock := range []string{"k0", "k1"} {
			wrong := l.faulty && l.random.IntN(4) == 0
			if q := l.queue[lock]; len(q) > 0 && (l.holder[lock] < 0 || wrong) {
				send, recv := l.message()
				fmt.Fprintf(l, `{"process":"locks"%s}`+"\n", send)
				l.holder[lock], takes[q[0]] = q[0], recv
				l.queue[lock] = q[1:]
			}
		}
	}
	return readRun(t, fmt.Sprint("locks ", seed), l.String())
}

// Of locks by name, two are held at once, and none by two processes. It holds on runs of a server,
// and breaks where the server grants a lock twice.
func TestUniqueLocks(t *testing.T) {
	want := `AG forall i != j in "c*": holding@i == "" || holding@j == "" || holding@i != holding@j`
	var good []Run
	for seed := range uint64(5) {
		good = append(good, lockRun(t, seed, true, false))
	}
	bad := lockRun(t, 5, true, true)
	res := infers(t, good, []Run{bad})
	decided(t, res, good, bad)
	if place, _ := placeOf(t, res.Breaks, want); place == 0 || place > 5 {
		t.Errorf("line %d of\n%s", place, res)
	}
	if place, _ := placeOf(t, infers(t, good, nil).Held, want); place == 0 {
		t.Errorf("not in\n%s", infers(t, good, nil))
	}
}
