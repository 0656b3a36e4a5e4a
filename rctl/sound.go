package rctl

import "github.com/pota-project/pota/rctl/syntax"

// Sound reports whether the verdict on f, a resolved formula, would be the same had
// the trace told more of causality (graphs.Computation.LowerBound). Unknown claims
// nothing and is sound.
//
// Let D be the computation C with causal edges added that let no further events
// happen together. The cuts of D are cuts of C, the least and the greatest among
// them, a step of D is a step of C, and so the runs of D are runs of C. By induction
// on a formula with A operators only, in negation normal form, D satisfies at each
// of its cuts what C satisfies there: where all runs of C do, those of D do, and AX
// has fewer next cuts to look at. That is the preservation of ACTL under simulation
// (Grumberg and Long, Model checking and modular verification, ACM TOPLAS 16(3),
// 1994). So a formula of A operators that holds is sound and, by negation, one of E
// operators that fails.
//
// EF and AF of a disjunction of predicates of single chains count as both: a run
// passes through all local states of a process that are left, in whatever order
// those of others come between, so that the two say the same in C and in D. So do
// EG and AG of a conjunction of such predicates.
//
// Every other verdict is called unsound, though on a given trace it may be right.
// The time complexity of Sound is O(|f|).
func Sound(f *syntax.Formula, v Verdict) bool {
	switch v {
	case Holds:
		return newUniversality().of(syntax.NNF(f))
	case Fails:
		return newUniversality().of(syntax.NNF(syntax.Not(f)))
	}
	return true
}

// universality finds the formulas in negation normal form that speak of all runs only.
type universality struct{ known map[*syntax.Formula]bool }

func newUniversality() universality { return universality{make(map[*syntax.Formula]bool)} }

// of reports whether f speaks of all runs only. Subformulas may be shared, so answers
// are kept.
func (u universality) of(f *syntax.Formula) bool {
	if len(f.Sub) == 0 {
		return true
	}
	is, ok := u.known[f]
	if !ok {
		is = u.decide(f)
		u.known[f] = is
	}
	return is
}

// decide finds the answer for a formula that has none yet.
func (u universality) decide(f *syntax.Formula) bool {
	switch f.Op {
	case syntax.OpEF:
		return ofChains(f.Sub[0], syntax.OpOr)
	case syntax.OpEG:
		return ofChains(f.Sub[0], syntax.OpAnd)
	case syntax.OpEX, syntax.OpEU, syntax.OpER, syntax.OpEW:
		return false
	}
	for _, sub := range f.Sub {
		if !u.of(sub) {
			return false
		}
	}
	return true
}

// ofChains reports whether f joins predicates of single chains by op.
func ofChains(f *syntax.Formula, op syntax.Op) bool {
	if _, _, ok := syntax.ChainOf(f); ok {
		return true
	}
	if f.Op != op {
		return false
	}
	for _, sub := range f.Sub {
		if !ofChains(sub, op) {
			return false
		}
	}
	return true
}
