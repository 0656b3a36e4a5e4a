package simulate

import (
	"fmt"
	"math"

	"github.com/pota-project/pota/graphs/record"
)

var leader = Model{
	Name:         "leader",
	Description:  "election of the process with the greatest number on a ring, again and again",
	MinProcesses: 2,
	Faults: []Fault{
		{"pass-all", "unique", "a process passes on smaller numbers than its own"},
		{"lose-claim", "decided", "the greatest number is lost on its way, and never sent again"},
	},
	propertiesOf: func(n int) []Property {
		return []Property{
			{"unique", `AG(forall i != j: !(leader@i && leader@j))`},
			{"decided", `forall i: AG(electing@i -> AF !electing@i)`},
			{"greatest", fmt.Sprintf(`AG(forall i: elected@i == 0 || elected@i == %d)`, n)},
			{"elected", `AF(exists i: leader@i)`},
		}
	},
	run: func(w *world) {
		w.fifo = true
		members := make([]*candidate, w.n())
		for i, number := range w.Perm(w.n()) {
			members[i] = play(&candidate{number: number + 1, process: w.process(name("P", i),
				record.Set("number", number+1), record.Set("electing", false),
				record.Set("elected", 0), record.Set("leader", false))})
		}
		for i, c := range members {
			c.next = members[(i+1)%w.n()].process
		}
		// Any process may call the first election; later ones are called by the elected process.
		starter := members[w.IntN(w.n())]
		starter.later(1, "start")
	},
}

// A candidate is a process of E. Chang and R. Roberts, An improved algorithm for
// decentralized extrema-finding in circular configurations of processes, 1979.
// Numbers go round; a number that comes to a process with a greater number ends there,
// and one that comes back is the greatest. The elected process resigns after a while and
// calls the next election.
type candidate struct {
	*process
	next   *process
	number int
	round  int // the round of the last election that it took part in
}

// The messages of an election. All except a call go round.
type (
	call   struct{ round int } // all processes may stand
	claim  struct{ number, round int }
	result struct{ number, round int }
)

// wake calls an election. From then on there is no leader.
func (c *candidate) wake(any) {
	n := float64(c.n())
	// On average, numbers in random order make n log n hops before they meet a greater one.
	sorting, going := float64(2*n*math.Log(n)), float64(6*n) // not fused, as in world.delay
	if !c.begin(int(sorting + going)) {
		return
	}
	c.round++
	c.multicast(c.others(), call{c.round}, record.Set("leader", false))
	c.claim(c.number)
}

// claim forwards a number: its own, or a greater one that has come.
func (c *candidate) claim(number int) {
	c.send(c.next, claim{number, c.round}, record.Set("electing", true), record.Set("elected", 0))
}

// take handles a call, a number or a result of this election or a later one.
func (c *candidate) take(m message) {
	switch b := m.body.(type) {
	case call:
		c.receive(m)
		if c.round < b.round {
			c.round = b.round
			c.claim(c.number)
		}
	case claim:
		c.compare(m, b)
	case result:
		if b.number == c.number {
			c.receive(m)
			c.later(2, "start")
			return
		}
		c.receive(m, record.Set("electing", false), record.Set("elected", b.number))
		c.send(c.next, b)
	}
}

// compare handles a claim that has come.
func (c *candidate) compare(m message, b claim) {
	// A claim may come before the call. In that case the process also stands.
	first := c.round < b.round
	c.round = max(c.round, b.round)
	switch {
	case b.number == c.number:
		c.receive(m, record.Set("electing", false), record.Set("elected", b.number),
			record.Set("leader", true))
		c.send(c.next, result(b))
		return
	case b.number == c.n() && c.faulty("lose-claim") && c.chance(0.2):
		c.receive(m, record.Label("lost"))
		return
	}
	c.receive(m)
	switch {
	case b.number > c.number:
		c.claim(b.number)
	case c.faulty("pass-all"):
		c.send(c.next, b)
	}
	if first && b.number < c.number {
		c.claim(c.number)
	}
}
