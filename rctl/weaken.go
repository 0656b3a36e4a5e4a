package rctl

import (
	"slices"

	"github.com/pota-project/pota/rctl/internal/ends"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/syntax"
)

// split is the step that decides E[q R p] and E[p W q] by their definitions, a run to the
// goal or one for ever: E[p U p && q] || EG p and E[p U q] || EG p. It returns ok = false for
// other formulas.
func (k *checker) split(f *syntax.Formula) (s step, ok bool) {
	along, goal := f.Sub[0], (*syntax.Formula)(nil)
	switch f.Op {
	case syntax.OpER:
		along, goal = f.Sub[1], syntax.And(f.Sub[1], f.Sub[0])
	case syntax.OpEW:
		goal = f.Sub[1]
	default:
		return step{}, false
	}
	parts := []*syntax.Formula{
		k.Normal(syntax.New(syntax.OpEU, f.Pos, along, goal)),
		k.Normal(syntax.New(syntax.OpEG, f.Pos, along)),
	}
	decide := func() engine.Answer {
		a := k.any(parts)
		relabel(a.Runs, parts[0], f)
		relabel(a.Runs, parts[1], f)
		return a
	}
	return k.rewriting("decide whether a run reaches the goal, or goes on for ever", decide, parts...), true
}

// reachable is the step that refutes EF g and E[p U g] if no cut at all satisfies a formula that
// g implies (p && q for p && EG q), or a conjunct of it. It returns ok = false for other formulas,
// or if g implies nothing simpler.
func (k *checker) reachable(f *syntax.Formula) (s step, ok bool) {
	if f.Op != syntax.OpEF && f.Op != syntax.OpEU {
		return step{}, false
	}
	goal := needed(syntax.Goal(f))
	// the parts dropped are too simple to be tried alone: they are cheap as conjuncts of the goal
	parts := slices.DeleteFunc(slices.Clone(syntax.Conjuncts(goal)), regular.SomeChain)
	var needs []*syntax.Formula
	for _, part := range append(parts, goal) {
		need := k.Normal(syntax.New(syntax.OpEF, f.Pos, part))
		if need.Sub[0].Op != syntax.OpTrue && need != f && !slices.Contains(needs, need) {
			needs = append(needs, need)
		}
	}
	decide := func() engine.Answer {
		for _, need := range needs {
			if k.soonFails(need) {
				return engine.Answer{Verdict: Fails}
			}
		}
		return engine.Answer{}
	}
	return k.attempt("decide whether any cut satisfies what the goal needs", decide, needs...), len(needs) > 0
}

// tryWork bounds the computations, in processes times events, for attempts that decide
// other formulas only to see whether that helps.
const tryWork = 2e6

// constant is the step that puts true or false for predicates that hold at all cuts, or at no
// cut, although their atoms do not. It returns ok = false for predicates, and for EF and EG of one.
func (k *checker) constant(f *syntax.Formula) (s step, ok bool) {
	if syntax.IsPropositional(f) || len(f.Sub) == 1 && syntax.IsPropositional(f.Sub[0]) ||
		k.exceeds(tryWork) {
		return step{}, false
	}
	decide := func() engine.Answer {
		g := k.Normal(k.withConstants(f))
		if g == f || k.failure() != nil {
			return engine.Answer{}
		}
		a := k.decide(g)
		if g.Op == f.Op {
			relabel(a.Runs, g, f)
		}
		return a
	}
	return k.attempt("look for predicates that are the same at all cuts", decide), true
}

// soonFails reports whether f is found to fail within the budget for evidence. It looks for no run.
func (k *checker) soonFails(f *syntax.Formula) bool {
	defer k.withEvidenceBudget(0)()
	defer func(evidence bool) { k.Evidence = evidence }(k.Evidence)
	k.Evidence = false
	return k.decide(f).Verdict == Fails
}

// withConstants returns f, in negation normal form, with true or false for predicates that were
// found to hold at all cuts or at no cut.
func (k *checker) withConstants(f *syntax.Formula) *syntax.Formula {
	if !syntax.IsPropositional(f) {
		g := *f
		g.Sub = syntax.Mapped(f.Sub, k.withConstants)
		return &g
	}
	now, last := k.evaluate(f).Verdict, Fails
	if holds, err := At(k.Comp, f, k.Comp.Final()); holds && err == nil {
		last = Holds
	}
	if now != last || len(f.Sub) == 0 && f.Op != syntax.OpAtom {
		return f
	}
	other := f
	if now == Holds {
		other = syntax.Not(f)
	}
	switch {
	case !k.soonFails(k.Normal(syntax.New(syntax.OpEF, f.Pos, other))):
		return f
	case now == Holds:
		return &syntax.Formula{Op: syntax.OpTrue, Pos: f.Pos}
	}
	return &syntax.Formula{Op: syntax.OpFalse, Pos: f.Pos}
}

// now is the step that decides a formula with an E operator over others by the truth of those at
// the initial cut: E[p U q] is q || p && EX E[p U q]. It returns ok = false for EX, and for an
// operator over predicates.
func (k *checker) now(f *syntax.Formula) (s step, ok bool) {
	// f is here || along && EX f
	here, along := &syntax.Formula{Op: syntax.OpFalse}, &syntax.Formula{Op: syntax.OpTrue}
	switch f.Op {
	case syntax.OpEF:
		here = f.Sub[0]
	case syntax.OpEG:
		along = f.Sub[0]
	case syntax.OpEU, syntax.OpEW:
		along, here = f.Sub[0], f.Sub[1]
	case syntax.OpER:
		here, along = k.Normal(syntax.And(f.Sub...)), f.Sub[1]
	default:
		return step{}, false
	}
	decide := func() engine.Answer {
		defer k.withEvidenceBudget(attemptSteps)()
		switch k.decide(here).Verdict {
		case Holds:
			return k.Shown(f, k.Comp.Initial())
		case Fails:
			if k.decide(along).Verdict == Fails {
				return engine.Answer{Verdict: Fails}
			}
		}
		return engine.Answer{}
	}
	return k.attempt("decide the operands at the initial cut", decide, here, along), !syntax.IsPropositional(here) || !syntax.IsPropositional(along)
}

// sufficient is the step that shows EF g and E[p U g] by a simpler formula that implies g: p && q
// for p && E[r U q], or p && AG q for p && A[r R q]. If p is downward closed, EF(p && g) is enough
// as well. It returns ok = false for other formulas, or if nothing simpler is enough.
func (k *checker) sufficient(f *syntax.Formula) (s step, ok bool) {
	if f.Op != syntax.OpEF && f.Op != syntax.OpEU || syntax.IsPropositional(f.Sub[len(f.Sub)-1]) {
		return step{}, false
	}
	goal := len(f.Sub) - 1
	var enough []*syntax.Formula
	try := func(op syntax.Op, subs ...*syntax.Formula) {
		g := k.Normal(syntax.New(op, f.Pos, subs...))
		if g != f && g.Op == op && g.Sub[len(subs)-1].Op != syntax.OpFalse &&
			!slices.Contains(enough, g) {
			enough = append(enough, g)
		}
	}
	for _, g := range [...]*syntax.Formula{syntax.Not(needed(k.Negation(f.Sub[goal]))), forEver(f.Sub[goal])} {
		try(f.Op, append(slices.Clone(f.Sub[:goal]), g)...)
	}
	if f.Op == syntax.OpEU && ends.DownClosed(f.Sub[0]) {
		try(syntax.OpEF, syntax.And(f.Sub...))
	}
	decide := func() engine.Answer {
		for _, g := range enough {
			end := k.withEvidenceBudget(attemptSteps)
			a := k.decide(g)
			if end(); a.Verdict != Holds {
				continue
			}
			for _, r := range a.Runs {
				if r.Formula == g { // other runs show the formulas that g was rewritten to
					r.Formula, r.MaybeShorter = f, true
				}
			}
			return a
		}
		return engine.Answer{}
	}
	return k.attempt("decide whether any cut satisfies what is enough for the goal", decide, enough...), len(enough) > 0
}

// forEver returns a formula that implies f, in negation normal form: it requires for ever what f
// requires until something else holds.
func forEver(f *syntax.Formula) *syntax.Formula {
	switch f.Op {
	case syntax.OpAnd, syntax.OpOr:
		subs := syntax.Mapped(f.Sub, forEver)
		return syntax.New(f.Op, f.Pos, subs...)
	case syntax.OpER:
		return syntax.New(syntax.OpEG, f.Pos, f.Sub[1:]...)
	case syntax.OpAR:
		return syntax.New(syntax.OpAG, f.Pos, f.Sub[1:]...)
	case syntax.OpEW:
		return syntax.New(syntax.OpEG, f.Pos, f.Sub[:1]...)
	case syntax.OpAW:
		return syntax.New(syntax.OpAG, f.Pos, f.Sub[:1]...)
	}
	return f
}

// needed returns a formula that f, in negation normal form, implies. Its only temporal operator is
// EF.
func needed(f *syntax.Formula) *syntax.Formula {
	if syntax.IsPropositional(f) {
		return f
	}
	subs := syntax.Mapped(f.Sub, needed)
	switch f.Op {
	case syntax.OpAnd:
		return syntax.And(subs...)
	case syntax.OpOr:
		return syntax.Or(subs...)
	case syntax.OpEG, syntax.OpAG:
		return subs[0]
	case syntax.OpER, syntax.OpAR:
		return subs[1]
	case syntax.OpAX: // AX of anything holds at the final cut, so AX needs nothing
		return &syntax.Formula{Op: syntax.OpTrue}
	case syntax.OpEX, syntax.OpEF, syntax.OpAF:
		if subs[0].Op == syntax.OpTrue || subs[0].Op == syntax.OpFalse {
			return subs[0]
		}
		return syntax.New(syntax.OpEF, f.Pos, subs[0])
	}
	return syntax.Or(subs...) // untils
}
