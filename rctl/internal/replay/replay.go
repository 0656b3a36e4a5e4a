// Package replay checks runs by executing them. It is independent of the engines that
// find them: it uses neither slices nor enumeration nor projection, and shares with the
// engines only the evaluation of atoms.
package replay

import (
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// Check executes a run of c from start. Every step is enabled when it is taken, the run
// ends at the right cut, and no variable or channel contradicts the formula's operator
// at the cuts on the way. Operators nested in the formula are not checked.
//
// The time complexity of Check is O(|V|+|edges|) and, for each step, an evaluation of
// the conjuncts that read the values changed by it.
func Check(c *graphs.Computation, start graphs.Cut, e *engine.Run) error {
	r := &replay{comp: c, cut: start.Clone()}
	before, end := Obligations(e)
	if err := r.watch(before); err != nil {
		return err
	}
	run := e.In(c)
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
	// The run has been executed, and has to be at its end.
	if !r.cut.Equal(e.Cut) {
		return fmt.Errorf("the run ends at %v, not at %v", r.cut, e.Cut)
	}
	if e.Whole && !e.Cut.Equal(c.Final()) {
		return fmt.Errorf("the run ends at %v before the final cut", e.Cut)
	}
	if e.Formula.Op == syntax.OpEX && r.steps != 1 {
		return fmt.Errorf("a run of %d steps for EX", r.steps)
	}
	// The end has obligations of its own, checked from scratch.
	last := &replay{comp: c, cut: r.cut}
	if err := last.watch(end); err != nil {
		return err
	}
	return last.hold()
}

// Obligations returns what must hold at every cut of the run before its end, and
// what at the end.
func Obligations(e *engine.Run) (before, end *syntax.Formula) {
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

// A replay executes a run and keeps the values that its formulas read up to date.
type replay struct {
	comp     *graphs.Computation
	cut      graphs.Cut
	steps    int
	watched  []watched
	touching [][]reading // by process: the slots that its events can change
	dirty    []int       // the watched conjuncts to evaluate at this cut
}

// watched is a conjunct without temporal operators, with the values of its slots at the
// cut.
type watched struct {
	formula *syntax.Formula
	program *atoms.Predicate
	env     []graphs.Value
	next    []int // by slot: the first change that is not in the cut
	dirty   bool
}

// reading is a slot of a watched conjunct.
type reading struct{ watched, slot int }

// watch adds the conjuncts of f. A part with temporal operators is weakened to a
// predicate that follows from it.
func (r *replay) watch(f *syntax.Formula) error {
	r.touching = make([][]reading, r.comp.NumProcesses())
	for _, part := range syntax.Conjuncts(f) {
		part = certain(part)
		// Only the evaluation of atoms is shared with the engines.
		p, err := atoms.Compile(r.comp, part)
		if err != nil {
			return err
		}
		w := watched{formula: part, program: p, env: p.Env(), next: make([]int, len(p.Slots)), dirty: true}
		for i := range p.Slots {
			s := &p.Slots[i]
			last := s.Last(r.comp, r.cut)
			w.env[i], w.next[i] = s.Value(last), last+1
			// Several processes can change a shared variable.
			changing := []int{s.Chain().Process}
			if changing[0] == graphs.Shared {
				changing = syntax.Mapped(s.Changes(), r.comp.Process)
				slices.Sort(changing)
			}
			for _, q := range slices.Compact(changing) {
				r.touching[q] = append(r.touching[q], reading{len(r.watched), i})
			}
		}
		r.dirty = append(r.dirty, len(r.watched))
		r.watched = append(r.watched, w)
	}
	return nil
}

// execute updates the values that the formulas read, after event e. The cut has all events of e's
// step, which may assign a shared variable several times, in an order of its own.
func (r *replay) execute(e graphs.Event) {
	for _, at := range r.touching[r.comp.Process(e)] {
		w := &r.watched[at.watched]
		s, n := &w.program.Slots[at.slot], &w.next[at.slot]
		changes, before := s.Changes(), *n
		for *n < len(changes) && r.comp.Has(r.cut, changes[*n]) {
			*n++
		}
		if *n == before {
			continue
		}
		w.env[at.slot] = s.Value(*n - 1)
		if !w.dirty {
			w.dirty = true
			r.dirty = append(r.dirty, at.watched)
		}
	}
}

// certain replaces temporal operators by true. In negation normal form they occur positively, so that
// the result follows from the formula. Operators below others have replays of their own.
func certain(f *syntax.Formula) *syntax.Formula {
	if f.Op.IsTemporal() {
		return &syntax.Formula{Op: syntax.OpTrue}
	}
	if f.Op == syntax.OpImplies || f.Op == syntax.OpIff || f.Op == syntax.OpNot && f.Sub[0].Op != syntax.OpAtom {
		return certain(syntax.NNF(f))
	}
	switch f.Op {
	case syntax.OpAnd, syntax.OpOr:
		subs := syntax.Mapped(f.Sub, certain)
		if f.Op == syntax.OpAnd {
			return syntax.And(subs...)
		}
		return syntax.Or(subs...)
	}
	return f
}

// hold evaluates the conjuncts that may have changed since the last cut.
func (r *replay) hold() error {
	for _, i := range r.dirty {
		w := &r.watched[i]
		w.dirty = false
		if !w.program.Of(w.env) {
			return fmt.Errorf("%s is false at %v", w.formula, r.cut)
		}
	}
	r.dirty = r.dirty[:0]
	return nil
}

// step executes the meta-event that run begins with and returns its number of events.
func (r *replay) step(run []graphs.Event) (int, error) {
	c := r.comp
	step := c.Step(run[0])
	if len(run) < len(step) {
		return 0, fmt.Errorf("the run ends within the step of %s", c.ID(run[0]))
	}
	if !c.Enabled(r.cut, run[0]) {
		return 0, fmt.Errorf("%s cannot happen at %v", c.ID(run[0]), r.cut)
	}
	// The events of a step come together, each process's in their order.
	for _, e := range run[:len(step)] {
		if !c.SameStep(e, run[0]) {
			return 0, fmt.Errorf("%s happens within the step of %s", c.ID(e), c.ID(run[0]))
		}
		p := c.Process(e)
		if int(r.cut[p])+1 != c.Position(e) {
			return 0, fmt.Errorf("%s happens twice or too early", c.ID(e))
		}
		r.cut[p]++
	}
	for _, e := range step {
		r.execute(e)
	}
	r.steps++
	return len(step), nil
}
