package rctl

import (
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// Replay checks evidence by executing its run: every step is enabled when it is
// taken, the run ends where it should, and what the formula's operator asks of
// the cuts along it is not contradicted by any variable or channel. It uses
// neither slices nor enumeration. Operators nested in the formula are not looked
// into; their own evidence is in Children, which Replay does not visit.
//
// The time complexity of Replay is O(|V|+|edges|) and an evaluation, for each
// step, of the conjuncts that its processes can change.
func Replay(c *graphs.Computation, e *Evidence) error {
	r := &replay{comp: c, cut: e.Start.Clone()}
	before, end := obligations(e)
	if err := r.watch(before); err != nil {
		return err
	}
	run := e.Run
	for len(run) > 0 {
		if err := r.hold(); err != nil {
			return err
		}
		n, err := r.step(run)
		if err != nil {
			return err
		}
		run = run[n:]
	}
	if !r.cut.Equal(e.Cut) {
		return fmt.Errorf("the run ends at %v, not at %v", r.cut, e.Cut)
	}
	if e.Whole && !e.Cut.Equal(c.Final()) {
		return fmt.Errorf("the run ends at %v before the final cut", e.Cut)
	}
	if e.Formula.Op == syntax.OpEX && r.steps != 1 {
		return fmt.Errorf("a run of %d steps for EX", r.steps)
	}
	last := &replay{comp: c, cut: r.cut}
	if err := last.watch(end); err != nil {
		return err
	}
	return last.hold()
}

// obligations returns what must hold at every cut of the run before its end, and
// what at the end.
func obligations(e *Evidence) (before, end *syntax.Formula) {
	f := e.Formula
	always := &syntax.Formula{Op: syntax.OpTrue}
	switch f.Op {
	case syntax.OpEX, syntax.OpEF:
		return always, f.Sub[0]
	case syntax.OpEG:
		return f.Sub[0], f.Sub[0]
	case syntax.OpEU, syntax.OpEW:
		if e.Whole {
			return f.Sub[0], syntax.Or(f.Sub...)
		}
		return f.Sub[0], f.Sub[1]
	case syntax.OpER:
		if e.Whole {
			return f.Sub[1], f.Sub[1]
		}
		return f.Sub[1], syntax.And(f.Sub...)
	}
	return always, always
}

type replay struct {
	comp     *graphs.Computation
	cut      graphs.Cut
	steps    int
	watched  []watched
	touching [][]int // by process: the watched conjuncts that its events can change
	dirty    []int   // watched conjuncts to evaluate at this cut
}

// watched is a conjunct without temporal operators.
type watched struct {
	formula *syntax.Formula
	program *program
	env     []graphs.Value
}

// watch adds the conjuncts of f. A part with temporal operators is weakened to
// what is certain of it.
func (r *replay) watch(f *syntax.Formula) error {
	r.touching = make([][]int, r.comp.NumProcesses())
	for _, part := range conjuncts(syntax.NNF(f)) {
		part = certain(part)
		p, err := compile(r.comp, part)
		if err != nil {
			return err
		}
		i := len(r.watched)
		r.watched = append(r.watched, watched{part, p, p.env()})
		r.dirty = append(r.dirty, i)
		touched := make([]bool, r.comp.NumProcesses())
		for _, s := range p.slots {
			events := append(s.sends[:len(s.sends):len(s.sends)], s.recvs...)
			if s.variable != nil {
				events = s.variable.Events()
			}
			for _, e := range events {
				touched[r.comp.Process(e)] = true
			}
		}
		for q, t := range touched {
			if t {
				r.touching[q] = append(r.touching[q], i)
			}
		}
	}
	return nil
}

// certain replaces temporal operators by true: in a formula in negation normal
// form they occur positively, so that what is left follows from it.
func certain(f *syntax.Formula) *syntax.Formula {
	if f.Op.IsTemporal() {
		return &syntax.Formula{Op: syntax.OpTrue}
	}
	switch f.Op {
	case syntax.OpAnd, syntax.OpOr:
		subs := make([]*syntax.Formula, len(f.Sub))
		for i, sub := range f.Sub {
			subs[i] = certain(sub)
		}
		if f.Op == syntax.OpAnd {
			return syntax.And(subs...)
		}
		return syntax.Or(subs...)
	}
	return f
}

func (r *replay) hold() error {
	for _, i := range r.dirty {
		w := r.watched[i]
		if !w.program.at(r.cut, w.env) {
			return fmt.Errorf("%s is false at %v", w.formula, r.cut)
		}
	}
	r.dirty = r.dirty[:0]
	return nil
}

// step executes the meta-event with which run begins and returns how many events
// it has.
func (r *replay) step(run []graphs.Event) (int, error) {
	c := r.comp
	step := c.Step(run[0])
	if len(run) < len(step) {
		return 0, fmt.Errorf("the run ends within the step of %s", c.ID(run[0]))
	}
	if !c.Enabled(r.cut, run[0]) {
		return 0, fmt.Errorf("%s cannot happen at %v", c.ID(run[0]), r.cut)
	}
	for _, e := range run[:len(step)] {
		if !c.SameStep(e, run[0]) {
			return 0, fmt.Errorf("%s happens within the step of %s", c.ID(e), c.ID(run[0]))
		}
		p := c.Process(e)
		if int(r.cut[p])+1 != c.Position(e) {
			return 0, fmt.Errorf("%s happens twice or too early", c.ID(e))
		}
		r.cut[p]++
		r.dirty = append(r.dirty, r.touching[p]...)
	}
	r.steps++
	return len(step), nil
}
