package rctl

import (
	"context"
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// maxStates bounds the states of a process that are decided one by one.
const maxStates = 2000

// possible finds the states of a process, by the number of its events so far, in which a formula about
// single cuts is true at some cut. A process knows a formula in the states in which its negation is not
// possible (Halpern and Moses, Knowledge and Common Knowledge in a Distributed Environment, JACM 1990,
// section 6, for the view of the last state).
//
// A disjunction is possible in the states in which an operand is. A regular operand has a slice, and
// each state of the process has a least cut in it, which has that state unless the slice makes the
// process's next event happen together with its last one. Any other operand is decided state by state.
// The time complexity is that of the slices, plus one decision for each of those states.
func possible(ctx context.Context, c *graphs.Computation, process int, f *syntax.Formula) ([]bool, error) {
	states := make([]bool, c.Len(process)+1)
	if c.Empty() {
		return states, nil
	}
	s := NewSession(c)
	for _, operand := range syntax.Alternatives(syntax.NNF(f)) {
		found, err := s.SliceOf(ctx, operand)
		if err == nil && found.Lean() {
			cuts := found.Computation()
			if cuts.Empty() {
				continue
			}
			first, last := int(cuts.Initial()[process]), int(cuts.Final()[process])
			for k := first; k <= last; k++ {
				if k == first || k == last || !cuts.SameStep(cuts.Event(process, k), cuts.Event(process, k+1)) {
					states[k] = true
				}
			}
			continue
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := stateByState(ctx, c, process, operand, states); err != nil {
			return nil, err
		}
	}
	return states, nil
}

// stateByState sets states[i] for the states of a process in which f is true. It takes a decision
// for each state that is not set yet.
func stateByState(ctx context.Context, c *graphs.Computation, process int, f *syntax.Formula, states []bool) error {
	if len(states) > maxStates {
		return fmt.Errorf("%s has %d states, and what it knows is decided for at most %d of them, one by one", c.Processes()[process], len(states), maxStates)
	}
	for k := range states {
		if states[k] {
			continue
		}
		var fixed []graphs.Edge
		if k > 0 {
			fixed = append(fixed, graphs.Edge{From: c.Event(process, k), To: graphs.Bottom})
		}
		if k+1 < len(states) {
			fixed = append(fixed, graphs.Edge{From: c.Top(), To: c.Event(process, k+1)})
		}
		at := c.With(fixed)
		if at.Empty() {
			continue
		}
		r, err := Check(ctx, at, syntax.New(syntax.OpEF, f.Pos, f), Options{})
		if err != nil {
			return err
		}
		if r.Verdict == Unknown {
			return fmt.Errorf("what %s knows after %d events is not decided: %s", c.Processes()[process], k, r.Reason)
		}
		states[k] = r.Verdict == Holds
	}
	return nil
}
