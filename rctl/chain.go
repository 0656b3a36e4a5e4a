package rctl

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/slice"
)

// chainSlice returns the slice for a program all of whose slots are variables of
// one chain. The time complexity of chainSlice is O(assignments · (slots+|formula|)).
func chainSlice(p *program) *slice.Slice {
	switch len(p.slots) {
	case 0:
		if p.holds(nil) {
			return slice.All(p.comp)
		}
		return slice.None(p.comp)
	case 1:
		return singleSlice(p)
	}
	env := p.env()
	next := make([]int, len(p.slots))
	for i, s := range p.slots {
		env[i] = s.variable.Value(-1)
	}
	var turns turns
	turns.start(p.holds(env))
	for {
		e := graphs.Event(-1)
		for i, s := range p.slots {
			if next[i] < s.variable.Len() && (e < 0 || s.variable.Event(next[i]) < e) {
				e = s.variable.Event(next[i])
			}
		}
		if e < 0 {
			return slice.Chain(p.comp, turns.events, turns.holds)
		}
		for i, s := range p.slots {
			if next[i] < s.variable.Len() && s.variable.Event(next[i]) == e {
				env[i] = s.variable.Value(next[i])
				next[i]++
			}
		}
		turns.add(e, p.holds(env))
	}
}

// singleSlice is chainSlice for one variable, whose assignments may be of
// several processes.
func singleSlice(p *program) *slice.Slice {
	v := p.slots[0].variable
	env := []graphs.Value{v.Value(-1)}
	var turns turns
	turns.start(p.holds(env))
	for i := range v.Len() {
		env[0] = v.Value(i)
		turns.add(v.Event(i), p.holds(env))
	}
	return slice.Chain(p.comp, turns.events, turns.holds)
}

// turns lists the events at which the truth of a chain predicate changes.
type turns struct {
	events []graphs.Event
	holds  []bool // one more than events
}

func (t *turns) start(holds bool) { t.holds = append(t.holds, holds) }

func (t *turns) add(e graphs.Event, holds bool) {
	if holds != t.holds[len(t.holds)-1] {
		t.events = append(t.events, e)
		t.holds = append(t.holds, holds)
	}
}
