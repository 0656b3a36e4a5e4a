package pnml

import (
	"fmt"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/translate/internal/diagram"
	"github.com/pota-project/pota/translate/internal/ident"
)

// A net is a Petri net.
type net struct {
	comp        *graphs.Computation
	places      []place
	transitions []transition
	of          []int // transition of each event, -1 for those that never happen or have happened
	spots       map[*diagram.Chain][]spot
	told        map[fact]int // places
	messages    map[watched][]int
}

type place struct {
	id, name string
	marked   bool
}

type transition struct {
	id, name  string
	pre, post []int // places
}

func newNet(c *graphs.Computation, store *diagram.Store) *net {
	n := &net{comp: c, of: make([]int, c.NumEvents()+2), spots: make(map[*diagram.Chain][]spot), told: make(map[fact]int), messages: make(map[watched][]int)}
	for e := range n.of {
		n.of[e] = -1
	}
	for e := graphs.Event(1); e < c.Top(); e++ {
		if c.Has(c.Initial(), e) || !c.Has(c.Final(), e) {
			continue
		}
		step := c.Step(e)
		if step[0] != e {
			n.of[e] = n.of[step[0]]
			continue
		}
		var ids []string
		for _, m := range step {
			ids = append(ids, c.ID(m))
			if label := c.Label(m); label != "" {
				ids[len(ids)-1] += " (" + label + ")"
			}
		}
		n.of[e] = len(n.transitions)
		n.transitions = append(n.transitions, transition{
			id:   fmt.Sprintf("t_%s_%d", ident.Lower.Mangle(c.Processes()[c.Process(e)]), c.Position(e)),
			name: strings.Join(ids, ", "),
		})
	}
	for p := range c.NumProcesses() {
		if c.Initial()[p] < c.Final()[p] {
			n.states(store.Chain(atoms.Chain{Process: p}))
		}
	}
	n.connect()
	return n
}

// place adds a place, into which the transitions of from put a token, and from which
// those of to take one; -1 is no transition.
func (n *net) place(id, name string, marked bool, from, to int) int {
	i := len(n.places)
	n.places = append(n.places, place{id, name, marked})
	n.join(i, from, to)
	return i
}

func (n *net) join(place, from, to int) {
	if from >= 0 {
		n.transitions[from].post = append(n.transitions[from].post, place)
	}
	if to >= 0 {
		n.transitions[to].pre = append(n.transitions[to].pre, place)
	}
}

// connect adds the places of causal edges, one for all edges between two transitions.
func (n *net) connect() {
	c := n.comp
	last := make([]int, len(n.transitions)) // the last transition that each was joined to, plus 1
	for e := graphs.Event(1); e < c.Top(); e++ {
		to := n.of[e]
		if to < 0 || c.Step(e)[0] != e {
			continue
		}
		for _, m := range c.Step(e) {
			for _, f := range c.Preds(m) {
				if from := n.of[f]; from >= 0 && from != to && last[from] != to+1 {
					last[from] = to + 1
					n.place(fmt.Sprintf("e%d", len(n.places)), c.ID(f)+" before "+c.ID(m), false, from, to)
				}
			}
		}
	}
}

// A spot is the place for a state. There is none for a state within a meta-event.
type spot struct{ state, place int }

// states returns the places for the states of a chain in order, which are added where
// they are new.
func (n *net) states(h *diagram.Chain) []spot {
	if spots, ok := n.spots[h]; ok {
		return spots
	}
	letter, what := "p", "process"
	if h.Process == graphs.Shared {
		letter, what = "s", "shared variable"
	}
	add := func(k int) spot {
		id := fmt.Sprintf("%s_%s_%d", letter, ident.Lower.Mangle(h.Name), k)
		return spot{k, n.place(id, fmt.Sprintf("%s %s at %d", what, h.Name, k), k == h.Low, -1, -1)}
	}
	spots := []spot{add(h.Low)}
	for k := h.Low + 1; k <= h.High; k++ {
		t := n.of[h.Event(k)]
		if k < h.High && n.of[h.Event(k+1)] == t {
			continue
		}
		before := spots[len(spots)-1]
		spots = append(spots, add(k))
		n.join(before.place, -1, t)
		n.join(spots[len(spots)-1].place, t, -1)
	}
	n.spots[h] = spots
	return spots
}

// A fact is what one chain decides: that a choice leads to a node, or where that is nil
// to a number of at least least.
type fact struct {
	choice, to *diagram.Node
	least      int64
}

func (f fact) after(run diagram.Run) bool {
	return run.Node == f.to || f.to == nil && run.Node.Value.Int64() >= f.least
}

// where returns the states at which a fact is true, and those at which it is not.
func (n *net) where(f fact) (in, out []spot) {
	i, runs := 0, f.choice.Runs
	for _, at := range n.states(f.choice.Chain) {
		for i+1 < len(runs) && runs[i+1].From <= at.state {
			i++
		}
		if f.after(runs[i]) {
			in = append(in, at)
		} else {
			out = append(out, at)
		}
	}
	return in, out
}

// tell returns the place that has a token where a fact is true, which is added where it is
// new.
func (n *net) tell(f fact) int {
	if place, ok := n.told[f]; ok {
		return place
	}
	in, _ := n.where(f)
	chain := f.choice.Chain
	spots := n.states(chain)
	place := n.place(fmt.Sprintf("v%d", len(n.places)), "part of what "+chain.Name+" decides", len(in) > 0 && in[0] == spots[0], -1, -1)
	before := false
	for i, at := range spots {
		is := len(in) > 0 && in[0] == at
		if is {
			in = in[1:]
		}
		switch {
		case i == 0 || is == before:
		case is:
			n.join(place, n.of[chain.Event(at.state)], -1)
		default:
			n.join(place, -1, n.of[chain.Event(at.state)])
		}
		before = is
	}
	n.told[f] = place
	return place
}

// watched names a copy of the places of the messages from p to q.
type watched struct {
	from, to int
	absent   bool // w rather than m
	copy     int
}

// inTransit returns the places of the messages of a channel that can be in transit.
func (n *net) inTransit(from, to int, absent bool, copy int) []int {
	key := watched{from, to, absent, copy}
	if places, ok := n.messages[key]; ok {
		return places
	}
	c := n.comp
	letter, what := "m", "in transit"
	if absent {
		letter, what = "w", "not in transit"
	}
	var places []int
	for i, m := range c.Messages() {
		if !n.travels(m, from, to) {
			continue
		}
		sent, received := n.of[m.Send], -1
		if m.Recv != graphs.Bottom {
			received = n.of[m.Recv]
		}
		if absent {
			sent, received = received, sent
		}
		id := fmt.Sprintf("%s%d_%d", letter, copy, i)
		name := fmt.Sprintf("message %s from %s to %s %s", c.MessageName(m.Index), c.Processes()[from], c.Processes()[to], what)
		places = append(places, n.place(id, name, c.Has(c.Initial(), m.Send) != absent, sent, received))
	}
	n.messages[key] = places
	return places
}

// travels reports whether a message goes from one process to the other, and is in
// transit at some cut.
func (n *net) travels(m graphs.Message, from, to int) bool {
	c := n.comp
	if c.Process(m.Send) != from || int(m.To) != to || !c.Has(c.Final(), m.Send) {
		return false
	}
	return m.Recv == graphs.Bottom || !c.Has(c.Initial(), m.Recv) && !c.SameStep(m.Send, m.Recv)
}
