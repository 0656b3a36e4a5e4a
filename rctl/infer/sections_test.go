package infer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
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

// Of locks by name, two are held at once, and none by two processes: as fields of events, and as
// states. It holds on runs of a server, breaks where the server grants a lock twice, and is luck
// where nothing but the order of the log keeps two apart.
func TestMutualExclusionByKey(t *testing.T) {
	for _, states := range []bool{false, true} {
		const section = `between(op == "take" && lock == r, op == "drop" && lock == r)`
		want := fmt.Sprintf("forall r in values(lock): AG forall i != j: !(%s@i && %[1]s@j)", section)
		if states {
			want = `AG forall i != j in "c*": holding@i == "" || holding@j == "" || holding@i != holding@j`
		}
		var good []Run
		for seed := range uint64(5) {
			good = append(good, lockRun(t, seed, states, false))
		}
		bad := lockRun(t, 5, states, true)
		res := infers(t, good, []Run{bad})
		decided(t, res, good, bad)
		if place, _ := placeOf(t, res.Breaks, want); place == 0 || place > 5 {
			t.Errorf("line %d of\n%s", place, res)
		}
		if place, _ := placeOf(t, infers(t, good, nil).Held, want); place == 0 {
			t.Errorf("states %t: not in\n%s", states, infers(t, good, nil))
		}
	}
}

// Without messages, that two processes were not in a section of one key at once is luck.
func TestMutualExclusionByLuck(t *testing.T) {
	var text strings.Builder
	for n := range 12 {
		for _, op := range []string{"take", "drop"} {
			fmt.Fprintf(&text, `{"process":"c%d","time":%d,"set":{"op":%q,"lock":"k%d"}}`+"\n", n%3, 2*n+len(op)%2, op, n%2)
		}
	}
	res := infers(t, []Run{readRun(t, "lucky", text.String())}, nil)
	if !slices.ContainsFunc(res.Luck, func(f *Finding) bool { return f.Template == "exclusive" }) {
		t.Errorf("not in\n%s", res)
	}
}

// Whether sections meet is what brute force over pairs says, with causality event by event.
func TestOverlap(t *testing.T) {
	for seed := range uint64(20) {
		r := lockRun(t, seed, false, seed%2 == 0)
		v := vocabularyOf([]Run{r})
		before := graphtest.HappenedBefore(r.Computation)
		f := surveyed(t, v, r.Computation)
		for k := range f.keys {
			for a := range f.sorts {
				for b := range f.sorts {
					f.stories[k].all(a, b, func(as, bs episode) bool {
						all, _ := sections(f.comp, as, bs)
						if got, want := f.overlap(all), meet(before, all); a != b && got != want {
							t.Fatalf("seed %d: %v: %t, not %t", seed, all, got, want)
						}
						return true
					})
				}
			}
		}
	}
}

func meet(before graphtest.Relation, all []section) bool {
	over := func(x, y section) bool { return x.to != graphs.Bottom && before[x.to][y.from] }
	for _, x := range all {
		for _, y := range all {
			if x.process != y.process && !over(x, y) && !over(y, x) {
				return true
			}
		}
	}
	return false
}
