package rctl

import (
	"slices"

	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// A rewriting leads from a formula to others that decide it in some cases.
type rewriting uint8

const (
	reachable rewriting = iota
	sufficient
	approach
	split
)

// weaken returns the step that a rewriting is, if it is one for f.
func (k *checker) weaken(r rewriting, f *syntax.Formula) (s step, ok bool) {
	switch r {
	case reachable:
		return k.reachable(f)
	case sufficient:
		return k.sufficient(f)
	case approach:
		return k.approach(f)
	}
	return k.split(f)
}

// split is the step that decides E[q R p] and E[p W q] as what they are: a run to the
// goal or one for ever, E[p U p && q] || EG p and E[p U q] || EG p. It is not ok for other
// formulas.
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
		k.Normal(&syntax.Formula{Op: syntax.OpEU, Sub: []*syntax.Formula{along, goal}, Pos: f.Pos}),
		k.Normal(&syntax.Formula{Op: syntax.OpEG, Sub: []*syntax.Formula{along}, Pos: f.Pos}),
	}
	decide := func() engine.Answer {
		a := k.any(parts)
		for _, r := range a.Runs {
			if r.Formula == parts[0] || r.Formula == parts[1] {
				r.Formula = f
			}
		}
		return a
	}
	return k.rewriting("decide whether a run reaches the goal, or goes on for ever", decide, parts...), true
}

// reachable is the step that refutes EF g and E[p U g] where no cut at all satisfies
// what g needs, p && q for p && EG q. It is not ok for other formulas, or where g needs
// nothing simpler.
func (k *checker) reachable(f *syntax.Formula) (s step, ok bool) {
	if f.Op != syntax.OpEF && f.Op != syntax.OpEU {
		return step{}, false
	}
	goal := syntax.Goal(f)
	need := k.Normal(&syntax.Formula{Op: syntax.OpEF, Sub: []*syntax.Formula{needed(goal)}, Pos: f.Pos})
	if need.Sub[0].Op == syntax.OpTrue || need == f {
		return step{}, false
	}
	decide := func() engine.Answer {
		evidence, end := k.Evidence, k.hurry(0)
		k.Evidence = false
		a := k.decide(need)
		k.Evidence = evidence
		end()
		if a.Verdict == Fails {
			return engine.Answer{Verdict: Fails}
		}
		return engine.Answer{}
	}
	s = k.rewriting("decide whether any cut satisfies what the goal needs", decide, need)
	s.partial = true
	return s, true
}

// sufficient is the step that shows EF g and E[p U g] by what is enough for g: p && q for
// p && E[r U q], say. It is not ok for other formulas, or where nothing simpler is enough.
func (k *checker) sufficient(f *syntax.Formula) (s step, ok bool) {
	if f.Op != syntax.OpEF && f.Op != syntax.OpEU || syntax.IsPropositional(syntax.Goal(f)) {
		return step{}, false
	}
	goal := len(f.Sub) - 1
	enough := *f
	enough.Sub = slices.Clone(f.Sub)
	enough.Sub[goal] = syntax.Not(needed(k.Negation(f.Sub[goal])))
	g := k.Normal(&enough)
	if g == f || g.Op != f.Op || g.Sub[goal].Op == syntax.OpFalse {
		return step{}, false
	}
	decide := func() engine.Answer {
		defer k.hurry(approachSteps)()
		a := k.decide(g)
		if a.Verdict != Holds {
			return engine.Answer{}
		}
		for _, r := range a.Runs {
			r.Formula, r.Nearer = f, true
		}
		return a
	}
	s = k.rewriting("decide whether any cut satisfies what is enough for the goal", decide, g)
	s.partial = true
	return s, true
}

// needed returns a formula without temporal operators but EF that holds wherever f,
// which is in negation normal form, does.
func needed(f *syntax.Formula) *syntax.Formula {
	if syntax.IsPropositional(f) {
		return f
	}
	subs := make([]*syntax.Formula, len(f.Sub))
	for i, sub := range f.Sub {
		subs[i] = needed(sub)
	}
	switch f.Op {
	case syntax.OpAnd:
		return syntax.And(subs...)
	case syntax.OpOr:
		return syntax.Or(subs...)
	case syntax.OpEG, syntax.OpAG:
		return subs[0]
	case syntax.OpER, syntax.OpAR:
		return subs[1]
	case syntax.OpAX: // holds at the final cut, whatever it is of
		return &syntax.Formula{Op: syntax.OpTrue}
	case syntax.OpEX, syntax.OpEF, syntax.OpAF:
		return eventually(subs[0])
	}
	return syntax.Or(subs...) // untils
}

func eventually(f *syntax.Formula) *syntax.Formula {
	if f.Op == syntax.OpTrue || f.Op == syntax.OpFalse {
		return f
	}
	return &syntax.Formula{Op: syntax.OpEF, Sub: []*syntax.Formula{f}, Pos: f.Pos}
}
