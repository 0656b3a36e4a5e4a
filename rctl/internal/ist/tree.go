package ist

import (
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
// which is freed before the next is made.
func (x *evaluation) predicate(f *syntax.Formula) ist.Set {
	runs := maxRuns
	if x.Bytes > 0 {
		runs = int(min(maxRuns, max(x.Bytes/partOfDiagrams/bytesOfRun, 1)))
	}
	x.trees = make(map[*diagram.Node]ist.Set)
	x.assigners = make(map[*diagram.Chain][]assigner)
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

// within returns the tuples where a shared variable is in one of some intervals of states: those
// with all assignments up to the first of these states, and none after the last. Tuples that are
// not cuts are in one such interval at most, so that unions do not grow from them.
//
// The time complexity of within is O(k·log m) for each interval, with m assignments by k processes.
func (x *evaluation) within(h *diagram.Chain, where []diagram.Interval) ist.Set {
	assigning := x.assigning(h)
	parts := make([]ist.Set, len(where))
	for i, states := range where {
		parts[i] = x.store.Full()
		for _, by := range slices.Backward(assigning) {
			// The assignments that the tuple has, and those that it has not.
			had, _ := slices.BinarySearch(by.states, states.From+1)
			left, _ := slices.BinarySearch(by.states, states.To+1)
			var intervals []ist.Interval
			if had > 0 {
				intervals = append(intervals, ist.Interval{Hi: by.values[had-1] - 1, To: ist.Empty})
			}
			if left < len(by.values) {
				intervals = append(intervals, ist.Interval{Hi: by.values[left] - 1, To: parts[i]},
					ist.Interval{Hi: x.space.tops[by.variable], To: ist.Empty})
			} else {
				intervals = append(intervals, ist.Interval{Hi: x.space.tops[by.variable], To: parts[i]})
			}
			parts[i] = x.store.Choose(by.variable, intervals)
		}
		parts[i] = x.store.Lift(parts[i])
	}
	return x.store.UnionOf(parts)
}

// An assigner is a process that assigns a shared variable.
type assigner struct {
	variable int     // the variable of the process
	states   []int   // the states of the chain that begin with one of its assignments
	values   []int32 // the values of the variable at these assignments
}

// assigning returns the processes that assign a shared variable, in the order of their variables.
func (x *evaluation) assigning(h *diagram.Chain) []assigner {
	if all, ok := x.assigners[h]; ok {
		return all
	}
	all := make([]assigner, len(x.space.process))
	for state := h.Low + 1; state <= h.High; state++ {
		e := h.Event(state)
		v := x.space.variable[x.Comp.Process(e)]
		all[v].variable = v
		all[v].states = append(all[v].states, state)
		all[v].values = append(all[v].values, x.space.value(e))
	}
	all = slices.DeleteFunc(all, func(a assigner) bool { return a.states == nil })
	x.assigners[h] = all
	return all
}
