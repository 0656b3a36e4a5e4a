package online

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/syntax"
)

// EF(p && EF(q && … EF r)) with conjunctions p, q, … of predicates of single chains needs the
// window alone. The cuts that satisfy p
// are closed under intersection, so there is a least one as soon as there is any, however the
// execution goes on. Any cut with p before a later one can be replaced by the least one. From
// there on it is left to decide EF(q && … EF r) on what contains that cut. Until then no cut
// that was seen has p, so nothing but the window matters.
//
// Where atoms are open this is so, too: the intersection of a cut with p and one with atoms
// that may be true by events still to come has no such event.

// phases are the steps of such a formula, decided one after the other.
type phases struct {
	// EF(p && EF(q && … EF r)), EF(q && … EF r), …
	formulas []*syntax.Formula
	p        []*syntax.Formula // p, q, …, one less
	found    int               // of these
	// the least with the last that was found, after those before: events of each
	// process
	cut []int64
}

// newPhases returns the phases of f; nil if f is of another form.
func newPhases(f *syntax.Formula) memory {
	x := &phases{formulas: []*syntax.Formula{f}}
	for f.Op == syntax.OpEF && !syntax.IsPropositional(f.Sub[0]) {
		now, then := nowAndThen(f.Sub[0])
		p := syntax.And(now...)
		if len(then) != 1 || !regular.SomeChain(syntax.NNF(syntax.Not(p))) {
			return nil
		}
		f = simpler(then[0])
		x.p = append(x.p, p)
		x.formulas = append(x.formulas, f)
	}

	if f.Op != syntax.OpEF || len(x.p) == 0 {
		return nil
	}
	return x
}

// nowAndThen divides the conjuncts of f into those without and with temporal operators.
func nowAndThen(f *syntax.Formula) (now, then []*syntax.Formula) {
	for _, g := range syntax.Conjuncts(f) {
		if syntax.IsPropositional(g) {
			now = append(now, g)
		} else {
			then = append(then, g)
		}
	}
	return now, then
}

// isTemporal reports whether f has temporal operators.
func isTemporal(f *syntax.Formula) bool { return !syntax.IsPropositional(f) }

// left implements memory: the cuts contain the one that was found before.
func (x *phases) left(at *moment) []rest { return []rest{{x.formulas[x.found], at.from(x.cut)}} }

// remember looks for the next cuts.
func (x *phases) remember(_ *part, at *moment) error {
	for x.found < len(x.p) {
		w, _, err := at.from(x.cut).plain()
		if err != nil {
			return err
		}
		k := regular.New(at.ctx, w.Computation, regular.NewMemo())
		s := k.Of(x.p[x.found])
		if s == nil {
			return k.Err()
		}
		least := s.Least()
		if least == nil {
			return nil
		}
		x.found, x.cut = x.found+1, w.Counts(least)
	}

	return nil
}

// contains returns the least cut of a window that contains given counts.
func contains(w *stream.Window, counts []int64) graphs.Cut {
	cut := slices.Clone(w.Computation.Initial())
	for p, n := range w.Events(counts) {
		cut[p] = max(cut[p], n)
	}
	return cut
}
