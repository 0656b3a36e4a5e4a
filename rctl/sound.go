package rctl

import (
	"slices"

	"github.com/pota-project/pota/rctl/syntax"
)

// Sound reports whether the verdict on f, a resolved formula or one about data as written, would
// be the same if the trace had recorded more causality (graphs.Computation.LowerBound). Unknown
// claims nothing and is sound.
//
// Let D be the computation C with causal edges added that let no further events
// happen together. The cuts of D are cuts of C, the least and the greatest among
// them, a step of D is a step of C, and so the runs of D are runs of C. By induction
// on a formula with A operators only, in negation normal form, D satisfies at each
// of its cuts what C satisfies there: if all runs of C do, those of D do, and AX
// ranges over fewer next cuts. That is the preservation of ACTL under simulation
// (Grumberg and Long, Model checking and modular verification, ACM TOPLAS 16(3),
// 1994). So a formula of A operators that holds is sound and, by negation, one of E
// operators that fails.
//
// EF and AF of a disjunction of predicates of single chains count as both: a run
// passes through all local states of a process that are left, in whatever order
// those of others come between, so that the two say the same in C and in D. So do
// EG and AG of a conjunction of such predicates.
//
// If e happened before d in C, it did so in D, so e before d may occur in f, but not its negation.
// In the same way a process knows in D what it knows in C.
//
// Every other verdict is called unsound, though on a given trace it may be right.
// The time complexity of Sound is O(|f|).
func Sound(f *syntax.Formula, v Verdict) bool {
	switch v {
	case Holds:
		return ofAllRuns(syntax.NNF(f))
	case Fails:
		return ofAllRuns(syntax.NNF(syntax.Not(f)))
	}
	return true
}

// ofAllRuns reports whether f, in negation normal form, speaks of all runs only. Walk visits
// a shared subformula once.
func ofAllRuns(f *syntax.Formula) bool {
	all := true
	syntax.Walk(f, func(f *syntax.Formula) bool {
		if mayChange(f) {
			all = false
			return false
		}
		switch f.Op {
		case syntax.OpEF, syntax.OpEG:
			parts := syntax.Alternatives(f.Sub[0])
			if f.Op == syntax.OpEG {
				parts = syntax.Conjuncts(f.Sub[0])
			}
			several := func(f *syntax.Formula) bool { return !syntax.OfOneChain(f) }
			all = all && !slices.ContainsFunc(parts, several) && syntax.Find(f.Sub[0], mayChange) == nil
			return false
		case syntax.OpNot:
			return false // the negation of an atom, which mayChange has checked
		case syntax.OpEX, syntax.OpEU, syntax.OpER, syntax.OpEW:
			all = false
		}
		return all
	})
	return all
}

// mayChange reports whether f, an atom or the negation of one, may be true at a cut of C and false at
// the same cut of D: the negation of e before d, or of what a process knows. It assumes so for all
// that a process knows of events.
func mayChange(f *syntax.Formula) bool {
	e := f.Expr
	if f.Op == syntax.OpAtom && f.Expr.Op == syntax.ExprTogether {
		return true // there may be fewer states
	}
	negated := f.Op == syntax.OpNot && f.Sub[0].Op == syntax.OpAtom
	if negated {
		e = f.Sub[0].Expr
	}
	switch {
	case e == nil:
		return false
	case e.Op == syntax.ExprKnows && !syntax.DataFree(e.Conds[0]):
		return true
	}
	return negated && (e.Op == syntax.ExprBefore || e.Op == syntax.ExprKnows || e.Op == syntax.ExprResponse || e.Op == syntax.ExprLasts)
}
