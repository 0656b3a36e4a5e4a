// Package ends decides formulas by their truth at the first and at the last cut.
//
// # Definitions
//
// Every run ends at the same final cut. There the atoms decide a formula, as no later cut exists.
// One pass finds the truth of each subformula
//
//	last  at the final cut; this is always known
//	all   at all cuts, if it is the same at all of them, and this follows from last and from the
//	      values of the operands
//	eve   at the cuts one step before the final one, if it follows from last and from the values of
//	      the operands
//	now   at the initial cut, if it follows from the values of atoms there and from last, all and eve
//
// EF p holds at all cuts if p holds at the last one, and EG p fails at all of them if
// it fails there. So AG EF p, AG AF p, EG EF p, EG AF p, EF AG p, EF EG p, AF AG p and
// AF EG p have at each cut the truth of p at the final one.
//
// From a cut one step before the final one there is only that step. So EX p and AX p
// hold there if p holds at the final cut. Every run with a step passes through such a
// cut. So at all cuts but the final one, AF EX p holds if p holds at the final cut, and
// EG AX p fails if p fails there.
//
// # Theory
//
// The rules are those below, at of and at simplify. They follow from the semantics over
// runs that all go on to the final cut (package rctl/syntax). Verdicts and
// simplifications are compared with brute force.
//
// The time complexity of each function is O(|f|) and an evaluation of each atom at two
// cuts.
package ends

import (
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// The texts for Task.How and Task.Cost.
const (
	how  = "evaluate at the first and the last cut"
	cost = "one look at the values of each"
)

// Prepare accepts formulas that the first and the last cut decide. If a run has to show the verdict,
// the run of no steps must show it.
func Prepare(p *engine.Problem, f *syntax.Formula) (*engine.Task, error) {
	return prepare(p, f, func(v value) (a engine.Answer, ok bool) {
		a.Verdict = v.now
		if !p.Evidence || syntax.IsExistential(f) != (v.now == engine.Holds) {
			return a, true
		}
		return p.Shown(f, p.Comp.Initial()), v.here
	})
}

// PrepareAny accepts formulas with an E operator at the root, other than EX, that the first and the
// last cut decide, but that the run of no steps does not show. The run leads to the final cut or, if
// that does not show it, to a cut one step before.
func PrepareAny(p *engine.Problem, f *syntax.Formula) (*engine.Task, error) {
	if !syntax.IsExistential(f) {
		return nil, nil
	}
	return prepare(p, f, func(v value) (a engine.Answer, ok bool) {
		if v.now == engine.Fails {
			return engine.Answer{Verdict: v.now}, true
		}
		if v.here || f.Op == syntax.OpEX {
			return a, false
		}
		cut := p.Comp.Final().Clone()
		if !v.last { // the run has a step less
			run := p.Comp.Topological(p.Comp.Initial(), cut)
			for _, e := range p.Comp.Step(run[len(run)-1]) {
				cut[p.Comp.Process(e)]--
			}
		}
		a = p.Shown(f, cut)
		switch r := a.Runs[0]; f.Op {
		case syntax.OpEF, syntax.OpEU:
			r.MaybeShorter = true
		default:
			r.Whole = true
		}
		return a, true
	})
}

// prepare makes the task of a formula with a known value at the initial cut, if answer
// has an answer for it.
func prepare(p *engine.Problem, f *syntax.Formula, answer func(value) (engine.Answer, bool)) (*engine.Task, error) {
	x := newEvaluation(p)
	v := x.of(f)
	if x.err != nil || v.now == engine.Unknown {
		return nil, x.err
	}
	a, ok := answer(v)
	if !ok {
		return nil, nil
	}
	return &engine.Task{How: how, Cost: cost, Decide: func() (engine.Answer, error) { return a, nil }}, nil
}

// A value holds the known truth values of a formula.
type value struct {
	last bool
	all  engine.Verdict
	eve  engine.Verdict
	now  engine.Verdict
	here bool // whether the goal of an E operator (syntax.Goal) holds at the initial cut
}

// An evaluation has the values of formulas.
type evaluation struct {
	*engine.Problem
	*memo
	single bool // whether there is only one cut
	err    error
}

func newEvaluation(p *engine.Problem) *evaluation {
	m, ok := p.Ends.(*memo)
	if !ok {
		m = &memo{values: make(map[*syntax.Formula]value)}
	}
	return &evaluation{Problem: p, memo: m, single: p.Comp.Initial().Equal(p.Comp.Final())}
}

// A memo has the values of formulas at one cut. The values in fixed were found at any cut: except for
// now and here, they are the same at all cuts. Evidence for EF(p1 && EF(p2 && …)) needs the values
// of all levels at one cut for each level, but an atom decides most of them there.
type memo struct {
	values, fixed map[*syntax.Formula]value
}

// NewMemo returns an empty memo for a problem, and for problems at later cuts.
func NewMemo() engine.Ends {
	return &memo{make(map[*syntax.Formula]value), make(map[*syntax.Formula]value)}
}

// Later returns a memo for problems at a later cut.
func (m *memo) Later() engine.Ends { return &memo{make(map[*syntax.Formula]value), m.fixed} }

// of returns the value of a formula in negation normal form.
func (x *evaluation) of(f *syntax.Formula) value {
	v, ok := x.values[f]
	if !ok {
		if x.err == nil && len(x.values)%1024 == 0 {
			x.err = x.Ctx.Err()
		}
		if x.err != nil {
			return value{}
		}
		v = x.find(f)
		if x.err != nil {
			return value{} // not stored, because others may use the memo
		}
		if x.single {
			v.all = engine.VerdictOf(v.last)
		} else if x.fixed != nil {
			x.fixed[f] = v
		}
		if v.all != engine.Unknown {
			v.eve, v.now = v.all, v.all
		}
		x.values[f] = v
	}
	return v
}

const (
	holds   = engine.Holds
	fails   = engine.Fails
	unknown = engine.Unknown
)

// find applies the rules to a formula, given the values of its operands.
func (x *evaluation) find(f *syntax.Formula) (v value) {
	switch f.Op {
	case syntax.OpTrue:
		return value{last: true, all: holds}
	case syntax.OpFalse:
		return value{all: fails}
	case syntax.OpAtom, syntax.OpNot:
		if is, ok := reflexive(f); ok {
			return value{last: is, all: engine.VerdictOf(is)}
		}
		now, last, err := x.AtEnds(f)
		if err != nil {
			x.err = err
			return value{}
		}
		return value{last: last, now: engine.VerdictOf(now)}
	case syntax.OpAnd:
		return x.both(f, holds, fails)
	case syntax.OpOr:
		return x.both(f, fails, holds)
	}
	p := x.of(f.Sub[0])
	if len(f.Sub) == 1 {
		return unary(f.Op, p)
	}
	q := x.of(f.Sub[1])
	switch f.Op {
	case syntax.OpEU, syntax.OpAU: // p U q
		v = value{last: q.last, all: q.all, now: q.now, here: q.now == holds}
		switch {
		case q.all == unknown && p.all == holds && q.last:
			v.all = holds
		case q.now == fails && p.now != fails:
			v.now = unknown
		}
	case syntax.OpEW, syntax.OpAW: // p W q
		v = value{last: p.last || q.last, all: unknown, now: unknown, here: q.now == holds}
		switch {
		case p.all == holds || q.all == holds:
			v.all = holds
		case q.all == fails && (p.all == fails || !p.last):
			v.all = fails
		case q.now == holds:
			v.now = holds
		case q.now == fails && p.now == fails:
			v.now = fails
		}
	case syntax.OpER, syntax.OpAR: // p R q
		v = value{last: q.last, all: q.all, now: unknown, here: p.now == holds && q.now == holds}
		switch {
		case p.all == fails && !q.last:
			v.all = fails
		case q.now == fails:
			v.now = fails
		case q.now == holds && p.now == holds:
			v.now = holds
		}
	}
	return v
}

// unary finds the value of an operator over a formula with the value p. At the final cut
// EX p fails and AX p holds, so EX p can be the same at all cuts only if it fails, and
// AX p only if it holds. All other cuts have a next cut.
func unary(op syntax.Op, p value) (v value) {
	switch op {
	case syntax.OpEX:
		v = value{eve: engine.VerdictOf(p.last), now: p.all}
		if p.all == fails {
			v.all = fails
		}
	case syntax.OpAX:
		v = value{last: true, eve: engine.VerdictOf(p.last), now: p.all}
		if p.all == holds {
			v.all = holds
		}
	case syntax.OpEF, syntax.OpAF:
		v = value{last: p.last, all: p.all, eve: p.eve, here: p.now == holds}
		if p.last {
			v.all = holds
		}
		if p.now == holds || p.eve == holds {
			v.now = holds
		}
	case syntax.OpEG, syntax.OpAG:
		v = value{last: p.last, all: p.all, eve: p.eve}
		if !p.last {
			v.all = fails
		}
		if p.now == fails || p.eve == fails {
			v.now = fails
		}
	}
	return v
}

// both finds the value of && or ||: its verdict is every if all operands have that verdict,
// and one if some operand has that. A temporal operand and its negation together count as
// an operand with the verdict one.
func (x *evaluation) both(f *syntax.Formula, every, one engine.Verdict) value {
	join := func(a *engine.Verdict, b engine.Verdict) {
		if *a != one && b != every {
			*a = b
		}
	}
	if v, ok := x.fixed[f]; ok {
		v.now = every
		for _, atoms := range []bool{true, false} { // the others may be deep
			for i := 0; i < len(f.Sub) && v.now != one; i++ {
				if sub := f.Sub[i]; atoms == (sub.Op == syntax.OpAtom || sub.Op == syntax.OpNot) {
					join(&v.now, x.of(sub).now)
				}
			}
		}
		return v
	}
	v := value{last: every == holds, all: every, eve: every, now: every}
	beside := make(map[*syntax.Formula]bool)
	for _, sub := range f.Sub {
		if v.last == (one == holds) && v.all != every && v.now == one && !sameAtAll(sub) {
			continue // sub changes nothing: eve and now are the same if both are known
		}
		w := x.of(sub)
		if w.last == (one == holds) {
			v.last = w.last
		}
		join(&v.all, w.all)
		join(&v.eve, w.eve)
		join(&v.now, w.now)
		if sub.Op.IsTemporal() {
			beside[sub] = true
			if beside[x.Negation(sub)] {
				v.all, v.last = one, one == holds
			}
		}
	}
	return v
}

// sameAtAll reports whether f alone may imply that f is the same at all cuts.
func sameAtAll(f *syntax.Formula) bool {
	_, ok := reflexive(f)
	return ok || f.Op != syntax.OpAtom && f.Op != syntax.OpNot
}

// reflexive returns the truth of an atom, or of its negation, if the atom compares an expression with
// itself, so that its truth is the same at all cuts.
func reflexive(f *syntax.Formula) (is, ok bool) {
	atom := f
	if f.Op == syntax.OpNot {
		atom = f.Sub[0]
	}
	if e := atom.Expr; atom.Op == syntax.OpAtom && e.Op == syntax.ExprCompare && len(e.Rel) == 1 &&
		e.Args[0].Equal(e.Args[1]) {
		return e.Rel[0].Relates(0) == (f == atom), true
	}
	return false, false
}

// Known reports whether f is decided by the first and the last cut. The error is a
// *atoms.ValuesError.
func Known(p *engine.Problem, f *syntax.Formula) (bool, error) {
	x := newEvaluation(p)
	return x.of(f).now != unknown, x.err
}
