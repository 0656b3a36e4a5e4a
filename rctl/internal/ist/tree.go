package ist

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/ist"
	"github.com/pota-project/pota/rctl/diagram"
	"github.com/pota-project/pota/rctl/internal/effort"
	"github.com/pota-project/pota/rctl/syntax"
)

// A run of a decision diagram takes about bytesOfRun, with its part of the tables. A diagram may
// take one part of the memory in partOfDiagrams, and maxRuns where it is not limited.
const (
	bytesOfRun     = 64
	partOfDiagrams = 8
	maxRuns        = 1 << 23
)

// predicate returns a set for a formula without temporal operators: that of its decision diagram,
// which is forgotten before the next is made.
func (x *evaluation) predicate(f *syntax.Formula) ist.Set {
	runs := maxRuns
	if x.Bytes > 0 {
		runs = int(min(maxRuns, max(x.Bytes/partOfDiagrams/bytesOfRun, 1)))
	}
	x.trees = make(map[*diagram.Node]ist.Set)
	diagrams := diagram.NewStore(effort.Looking(x.Ctx, stepsOfLook), x.Comp, x.space.variable)
	n, err := diagrams.Formula(f, runs)
	switch {
	case err != nil:
		x.err = err
	case n == nil:
		if x.err = x.Ctx.Err(); x.err == nil {
			x.err = &ist.LimitError{
				Reason: fmt.Sprintf("more than %d bytes for one predicate", runs*bytesOfRun)}
		}
	default:
		return x.store.Lift(x.tree(n))
	}
	return ist.Empty
}

// tree returns the tuples where a diagram is true. The diagram asks for processes in the order of
// their variables, so that a choice becomes a node with the same intervals.
func (x *evaluation) tree(n *diagram.Node) ist.Set {
	if n.Leaf() {
		if n.Value.Bool() {
			return x.store.Full()
		}
		return ist.Empty
	}
	a, ok := x.trees[n]
	if ok {
		return a
	}

	if h := n.Chain; h.Process != graphs.Shared {
		first := int(x.Comp.Initial()[h.Process])
		intervals := make([]ist.Interval, len(n.Runs))
		for i, run := range n.Runs {
			last := h.High
			if i+1 < len(n.Runs) {
				last = n.Runs[i+1].From - 1
			}
			intervals[i] = ist.Interval{Hi: int32(last - first), To: x.tree(run.Node)}
		}
		a = x.store.Choose(x.space.variable[h.Process], intervals)
	} else {
		var parts []ist.Set
		for _, branch := range n.Branches() {
			if to := x.store.Lift(x.tree(branch.Node)); to != ist.Empty {
				parts = append(parts, x.store.Intersect(x.within(h, branch.Where), to))
			}
		}
		a = x.store.UnionOf(parts)
	}
	x.trees[n] = a
	return a
}

// within returns the tuples where a shared variable is in one of some intervals of states. A cut
// that has an assignment has all before it, so the last one counts that the tuple has of any
// process.
//
// Example: let P assign first and Q next. State 1 has the tuples with the assignment of P and
// without that of Q, and state 2 all with that of Q.
func (x *evaluation) within(h *diagram.Chain, where []diagram.Interval) ist.Set {
	type change struct {
		variable int
		at       int32 // the value of the variable
		state    int   // of the chain, from there on
	}
	var changes []change
	for state := h.Low + 1; state <= h.High; state++ {
		e := h.Event(state)
		changes = append(changes,
			change{x.space.variable[x.Comp.Process(e)], x.space.value(e), state})
	}
	// Of each variable in turn, and of one variable as it goes on.
	byVariable := func(a, b change) int { return cmp.Compare(a.variable, b.variable) }
	slices.SortStableFunc(changes, byVariable)

	type place struct{ from, state int }
	known := make(map[place]ist.Set)
	var build func(left []change, state int) ist.Set
	build = func(left []change, state int) ist.Set {
		if len(left) == 0 {
			at := func(i diagram.Interval) bool { return i.From <= state && state <= i.To }
			if slices.ContainsFunc(where, at) {
				return x.store.Full()
			}
			return ist.Empty
		}
		at := place{len(left), state}
		if a, ok := known[at]; ok || x.store.Err() != nil {
			return a
		}
		v := left[0].variable
		n := 0
		for n < len(left) && left[n].variable == v {
			n++
		}
		now := state
		var intervals []ist.Interval
		for _, c := range left[:n] {
			if c.state > now {
				intervals = append(intervals, ist.Interval{Hi: c.at - 1, To: build(left[n:], now)})
				now = c.state
			}
		}
		intervals = append(intervals, ist.Interval{Hi: x.space.tops[v], To: build(left[n:], now)})
		known[at] = x.store.Choose(v, intervals)
		return known[at]
	}
	return x.store.Lift(build(changes, h.Low))
}
