package simulate

import (
	"fmt"
	"strings"

	"github.com/pota-project/pota/graphs/record"
)

var philosophers = Model{
	Name:         "philosophers",
	Description:  "dining philosophers who share forks",
	MinProcesses: 2,
	Faults: []Fault{
		{"same-side", "progress", "all take the left fork first, until nobody gets the right one"},
		{"grab", "exclusion", "a hungry philosopher takes forks that are in use"},
	},
	propertiesOf: func(n int) []Property {
		return []Property{
			{"exclusion", neighbours(n, `state@%s == "eat" && state@%s == "eat"`)},
			{"progress", `forall i: AG(state@i == "hungry" -> AF state@i == "eat")`},
			{"idle", `forall i: AG(AF state@i == "idle")`},
			// Kalyon et al., section 6.
			{"undisturbed", `AG(state@P1 == "eat" -> AG(state@P1 == "eat") || A[state@P0 != "eat" U state@P1 != "eat"])`},
		}
	},
	run: func(w *world) {
		forks := w.registers("fork", w.n())
		for me := range w.n() {
			w.thread(name("P", me), 10, func(t *thread) { dine(t, me, forks) },
				record.Set("state", "idle"))
		}
	},
}

// neighbours says that no two neighbours at the table are in a state that the
// format describes, with one name for each of them.
func neighbours(n int, format string) string {
	var pairs []string
	for i := range n {
		j := (i + 1) % n
		// Two philosophers are neighbours on both sides, but form one pair.
		if n == 2 && i == 1 {
			break
		}
		pairs = append(pairs, fmt.Sprintf("!("+format+")", name("P", i), name("P", j)))
	}
	return "AG(" + strings.Join(pairs, " && ") + ")"
}

// dine is a round of the life of a philosopher. A fork is 0 on the table, otherwise one more than
// the number of its holder. The last philosopher begins with the other fork, so that they do not
// wait for each other in a circle.
func dine(t *thread, me int, forks []*register) {
	first, second := forks[me], forks[(me+1)%len(forks)]
	if me == len(forks)-1 && !t.faulty("same-side") {
		first, second = second, first
	}
	t.work()
	t.do(record.Set("state", "hungry"))
	for _, fork := range []*register{first, second} {
		if t.faulty("grab") {
			t.write(fork, me+1)
		} else {
			t.take(fork, 0, me+1)
		}
		// A pause lets all take their first fork, so that the circle closes soon.
		if t.faulty("same-side") {
			t.pause(5)
		}
	}
	t.do(record.Set("state", "eat"))
	t.work()
	t.do(record.Set("state", "idle"))
	t.write(first, 0)
	t.write(second, 0)
}
