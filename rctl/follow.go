package rctl

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/clocks"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// follow finds where a predicate is true: along its chain or, if it is about several processes,
// along the events that may change it, if causality orders these. So it can also follow the state of
// a request that passes from one process to the next. It is a scope.Follower.
//
// The time complexity of follow is O(changes · (slots+|f|) + changes · log changes).
func follow(c *graphs.Computation, f *syntax.Formula, before func(e, f graphs.Event) bool) (h clocks.History, ok bool, err error) {
	p, err := atoms.Compile(c, f)
	if err != nil {
		return h, false, err
	}
	type change struct {
		event       graphs.Event
		slot, index int
	}
	var changes []change
	for n := range p.Slots {
		for i, e := range p.Slots[n].Changes() {
			changes = append(changes, change{e, n, i})
		}
	}
	slices.SortStableFunc(changes, func(x, y change) int {
		switch first, last := before(x.event, y.event), before(y.event, x.event); {
		case first == last:
			return 0
		case first:
			return -1
		}
		return 1
	})
	for i := 1; i < len(changes); i++ {
		if !before(changes[i-1].event, changes[i].event) {
			return h, false, nil
		}
	}
	env := p.Env()
	for i := range p.Slots {
		env[i] = p.Slots[i].Value(-1)
	}
	h.Begins = p.Of(env)
	holds := h.Begins
	for i := 0; i < len(changes); {
		e := changes[i].event
		// Events that happen together are one change.
		for ; i < len(changes) && before(changes[i].event, e); i++ {
			x := changes[i]
			env[x.slot] = p.Slots[x.slot].Value(x.index)
		}
		if now := p.Of(env); now != holds {
			h.Flips = append(h.Flips, e)
			holds = now
		}
	}
	return h, true, nil
}
