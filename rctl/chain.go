package rctl

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/slice"
)

// chainSlice returns the slice for a program all of whose slots are variables of
// one chain. The time complexity of chainSlice is O(assignments · (slots+|formula|)).
func chainSlice(p *program) *slice.Slice {
	t := chainTurns(p)
	return slice.Chain(p.comp, t.events, t.holds)
}

// chainTurns finds the turns of a program all of whose slots are variables of one
// chain: of one process, or one shared variable.
func chainTurns(p *program) turns {
	env := p.env()
	for i, s := range p.slots {
		env[i] = s.variable.Value(-1)
	}
	t := turns{holds: []bool{p.holds(env)}}
	if len(p.slots) == 1 {
		v := p.slots[0].variable
		for i := range v.Len() {
			env[0] = v.Value(i)
			t.add(v.Event(i), p.holds(env))
		}
		return t
	}
	next := make([]int, len(p.slots))
	for {
		e := graphs.Event(-1)
		for i, s := range p.slots {
			if next[i] < s.variable.Len() && (e < 0 || s.variable.Event(next[i]) < e) {
				e = s.variable.Event(next[i])
			}
		}
		if e < 0 {
			return t
		}
		for i, s := range p.slots {
			if next[i] < s.variable.Len() && s.variable.Event(next[i]) == e {
				env[i] = s.variable.Value(next[i])
				next[i]++
			}
		}
		t.add(e, p.holds(env))
	}
}

// turns lists the events at which the truth of a chain predicate changes.
type turns struct {
	events []graphs.Event
	holds  []bool // one more than events
}

func (t *turns) add(e graphs.Event, holds bool) {
	if holds != t.holds[len(t.holds)-1] {
		t.events = append(t.events, e)
		t.holds = append(t.holds, holds)
	}
}
