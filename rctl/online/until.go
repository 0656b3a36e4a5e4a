package online

import (
	"context"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// E[p U q] and EG p with a regular p need the window and one cut.
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

// passage is the state kept for E[p U q] and EG p.
type passage struct {
	f   *syntax.Formula
	cut []int64 // D, how many events of each process; empty for the beginning
}

// newPassage returns the memory for f; nil if f is of another form.
func newPassage(f *syntax.Formula) memory {
	if f.Op != syntax.OpEU && f.Op != syntax.OpEG || slices.ContainsFunc(f.Sub, isTemporal) {
		return nil
	}
	empty, err := new(graphs.Builder).Build()
	if err != nil {
		panic("this cannot happen, because it is empty: " + err.Error())
	}
	// whatever the values are
	if !regular.New(context.Background(), empty, regular.NewMemo()).Has(f.Sub[0]) {
		return nil
	}
	return &passage{f: f}
}

// left implements memory: only cuts that contain D matter.
func (x *passage) left(at *moment) []rest { return []rest{{x.f, at.from(x.cut)}} }

// remember notes D at a moment, or that p is final because there is none.
func (x *passage) remember(p *part, at *moment) error {
	floor := at.floor()
	if floor == nil {
		return nil
	}
	w, _, err := at.from(x.cut).plain()
	if err != nil {
		return err
	}
	k := regular.New(at.ctx, w.Computation, regular.NewMemo())
	s := k.Of(x.f.Sub[0])
	if s == nil {
		return k.Err()
	}
	d, ok := s.Above(contains(w, floor))
	switch {
	case ok && slice.EU(s, slice.Between(w.Computation, d, d)).Contains(w.Computation.Initial()):
		x.cut = w.Counts(d)
	case p.why == "": // E[p U q] does not hold already
		p.known = p.of(rctl.Fails)
	}

	return nil
}
