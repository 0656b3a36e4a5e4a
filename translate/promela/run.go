package promela

import (
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// Events returns the run that a trail of SPIN stands for. movers are the processes that move, which
// SPIN numbers from 1 in the order of their proctypes. Other numbers are moves of the claim, or repeat
// the last state; they are left out.
func (m *Model) Events(movers []int) ([]graphs.Event, error) {
	done := make([]int, len(m.processes))   // steps
	ready := make([]bool, len(m.processes)) // the process is at its second place
	var run []graphs.Event
	for _, pid := range movers {
		i := pid - 1
		if i < 0 || i >= len(m.processes) {
			continue
		}
		p := m.processes[i]
		if done[i] == len(p.steps) {
			return nil, fmt.Errorf("the trail goes on after the last event of %s", m.comp.Processes()[p.number])
		}
		if p.steps[done[i]].visible && p.twoPlaces() && !ready[i] {
			ready[i] = true
			continue
		}
		run = append(run, p.steps[done[i]].events...)
		done[i]++
		ready[i] = false
	}
	return run, nil
}

// Evidence makes evidence of a run that SPIN found: for Formula if Witness is set, and otherwise for
// its negation. Nested operators get evidence of their own from the same run. Evidence is nil if the
// formula has no temporal operator. The error says that the trail is not a run, or that the run does
// not have the property of the claim.
func (m *Model) Evidence(run []graphs.Event) (*rctl.Evidence, error) {
	c := m.comp
	run = c.Unrolled(run)
	cuts := []graphs.Cut{c.Initial()}
	steps := []int{0} // events before each cut
	for i := 0; i < len(run); i += len(c.Step(run[i])) {
		cut := cuts[len(cuts)-1]
		if !c.Enabled(cut, run[i]) {
			return nil, fmt.Errorf("%s cannot happen at %v", c.ID(run[i]), cut)
		}
		cuts = append(cuts, c.Execute(cut, run[i]))
		steps = append(steps, i+len(c.Step(run[i])))
	}
	t := *m.translator // so that the model does not get what only the explanation needs
	t.known = make(map[string]*proposition)
	r := &replay{t: &t, run: run, cuts: cuts, steps: steps, whole: cuts[len(cuts)-1].Equal(c.Final())}
	if !m.claim.holds(cuts, r.whole, 0) {
		return nil, fmt.Errorf("the run that SPIN found does not have the property %s", m.claim)
	}
	f := m.Formula
	if !m.Witness {
		f = syntax.NNF(syntax.Not(f))
	}
	all, err := r.explain(f, 0)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return &rctl.Evidence{Formula: f, Start: cuts[0], Cut: cuts[0], Children: all}, nil
}

// A replay is a run of SPIN with its cuts.
type replay struct {
	t     *translator
	run   []graphs.Event
	cuts  []graphs.Cut
	steps []int
	whole bool
}

// explain returns evidence for f, given that the run shows that f holds at its i-th cut.
func (r *replay) explain(f *syntax.Formula, i int) ([]*rctl.Evidence, error) {
	switch f.Op {
	case syntax.OpAnd, syntax.OpOr:
		var all []*rctl.Evidence
		for _, g := range f.Sub {
			if f.Op == syntax.OpOr && !r.shows(g, i) {
				continue
			}
			more, err := r.explain(g, i)
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
			if f.Op == syntax.OpOr {
				break
			}
		}
		return all, nil
	case syntax.OpEF, syntax.OpEU, syntax.OpEW, syntax.OpER, syntax.OpEG:
	default:
		return nil, nil
	}
	ev := &rctl.Evidence{Formula: f, Start: r.cuts[i]}
	// The run shows an operator up to the first cut where its goal holds.
	goal := syntax.Goal(f)
	end := i
	for end < len(r.cuts) && (goal == nil || !r.shows(goal, end)) {
		end++
	}
	if end == len(r.cuts) {
		// Only an operator that may hold for ever is shown by a run without its goal.
		if f.Op == syntax.OpEF || f.Op == syntax.OpEU || !r.whole {
			return nil, nil // a slice decides it, or it is shown by another run
		}
		ev.Whole, end = true, end-1
	}
	ev.Cut, ev.Run = r.cuts[end], r.run[r.steps[i]:r.steps[end]]
	if err := rctl.Replay(r.t.comp, ev); err != nil {
		return nil, err
	}
	if !ev.Whole {
		var err error
		if ev.Children, err = r.explain(goal, end); err != nil {
			return nil, err
		}
	}
	return []*rctl.Evidence{ev}, nil
}

// shows reports whether the run from its i-th cut on shows that f holds there.
func (r *replay) shows(f *syntax.Formula, i int) bool {
	if cut := r.cuts[i]; cut.Equal(r.t.comp.Final()) {
		p, err := atoms.Compile(r.t.comp, atFinal(f))
		return err == nil && p.At(cut, p.Env())
	}
	g, err := r.t.path(f)
	return err == nil && g.holds(r.cuts, r.whole, i)
}
