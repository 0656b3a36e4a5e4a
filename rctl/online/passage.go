package online

import (
	"context"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// A passage makes the window sufficient for formulas of one form: before the events of a moment are forgotten, it notes
// in part.left the cuts that a continuation needs. Two forms need one cut. A third needs several (reached.go).
//
// # Phases
//
// EF(p && EF(q && … EF r)) with conjunctions p, q, … of predicates of single chains. The cuts that satisfy p
// are closed under intersection, so there is a least one if there is any, however the execution
// goes on. Any cut with p before a later one can be replaced by the least one. From then on,
// EF(q && … EF r) remains to be decided on the cuts that contain the least one. Until then no cut
// that was seen has p, so only the window matters.
//
// This also holds with open atoms: the intersection of a cut with p and one whose atoms may be
// true because of events still to come has no such event.
//
// # Until
//
// E[p U q] and EG p with a regular p.
//
// Proposition. Let D be the least cut with p that contains G. If a run leads to D through cuts
// with p, then E[p U q] and EG p say the same at D as at the beginning, or E[p U q] holds
// already. If none does, both fail, or E[p U q] holds already.
//
// Proof. A step to a cut that is not seen yet leads from one that contains G. So a run that
// gets this far through cuts with p comes to a first cut C that contains G, one of the cuts
// seen. Its cuts intersected with D are a run to C ∩ D, and have p, as p is regular; C ∩ D
// contains G and has p, so it is D. The unions of D with these cuts form a run from D to C,
// and p holds along it too. ∎
type passage func(*part, *moment)

// isPhases reports whether f has the form of Phases.
func isPhases(f *syntax.Formula) bool {
	now, then := phase(f)
	if then == nil || then.Op != syntax.OpEF || !regular.SomeChain(syntax.NNF(syntax.Not(now))) {
		return false
	}
	return syntax.IsPropositional(then.Sub[0]) || isPhases(then)
}

// phase returns p and f of EF(p && f), with p without and f with temporal operators; f is nil for other formulas.
func phase(of *syntax.Formula) (p, f *syntax.Formula) {
	if of.Op != syntax.OpEF {
		return nil, nil
	}
	var now []*syntax.Formula
	for _, g := range syntax.Conjuncts(of.Sub[0]) {
		switch {
		case syntax.IsPropositional(g):
			now = append(now, g)
		case f != nil:
			return nil, nil
		default:
			f = simpler(g)
		}
	}
	return syntax.And(now...), f
}

// isTemporal reports whether f has temporal operators.
func isTemporal(f *syntax.Formula) bool { return !syntax.IsPropositional(f) }

// nextPhases is the passage of Phases: it moves on while the window has a cut of the next phase.
func (p *part) nextPhases(at *moment) {
	for {
		now, then := phase(p.left[0].f)
		if then == nil {
			return
		}
		w, s := at.slice(p.left[0].cut, now)
		if s == nil {
			return
		}
		least := s.Least()
		if least == nil {
			return
		}
		p.left[0] = rest{then, w.Counts(least)}
	}
}

// isUntil reports whether f has the form of Until.
func isUntil(f *syntax.Formula) bool {
	if f.Op != syntax.OpEU && f.Op != syntax.OpEG || slices.ContainsFunc(f.Sub, isTemporal) {
		return false
	}
	empty := must(new(graphs.Builder).Build()) // an empty computation has no errors
	// A predicate that is regular on the empty computation is regular on any, whatever the values are.
	return regular.New(context.Background(), empty, regular.NewMemo()).Has(f.Sub[0])
}

// passUntil is the passage of Until: it finds D. If there is none, the verdict on p is final.
func (p *part) passUntil(at *moment) {
	floor := at.floor()
	if floor == nil {
		return
	}
	w, s := at.slice(p.left[0].cut, p.f.Sub[0])
	if s == nil {
		return
	}
	d, ok := s.Above(contains(w, floor))
	switch {
	case ok && slice.EU(s, slice.Between(w.Computation, d, d)).Contains(w.Computation.Initial()):
		p.left[0].cut = w.Counts(d)
	case p.why == "": // E[p U q] does not hold already
		p.known = p.of(rctl.Fails)
	}
}

// slice returns the window of a moment above a cut, and the slice of a predicate there, which is nil if it cannot be
// made.
func (at *moment) slice(cut []int64, f *syntax.Formula) (*stream.Window, *slice.Slice) {
	w, _ := at.from(cut).plain()
	k := regular.New(at.ctx, w.Computation, regular.NewMemo())
	s := k.Of(f)
	return w, must(s, k.Err())
}

// contains returns the least cut of a window that contains given counts.
func contains(w *stream.Window, counts []int64) graphs.Cut {
	cut := slices.Clone(w.Computation.Initial())
	for p, n := range w.Events(counts) {
		cut[p] = max(cut[p], n)
	}
	return cut
}
