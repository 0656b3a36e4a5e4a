package regular

import (
	"slices"

	"github.com/pota-project/pota/rctl/syntax"
)

// Disjuncts splits f into the members of a disjunction, with || lifted out of && and EF
// where possible. A predicate of one chain stays whole. It returns ok = false if there
// would be more than most. f must be in negation normal form.
func Disjuncts(f *syntax.Formula, most int) (fs []*syntax.Formula, ok bool) {
	if syntax.OfOneChain(f) {
		return []*syntax.Formula{f}, true
	}
	switch f.Op {
	case syntax.OpOr:
		for _, sub := range f.Sub {
			ds, ok := Disjuncts(sub, most)
			if !ok || len(fs)+len(ds) > most {
				return nil, false
			}
			fs = append(fs, ds...)
		}
		return fs, true
	case syntax.OpEF:
		ds, ok := Disjuncts(f.Sub[0], most)
		if !ok {
			return nil, false
		}
		if len(ds) == 1 && ds[0] == f.Sub[0] {
			return []*syntax.Formula{f}, true
		}
		for _, d := range ds {
			fs = append(fs, &syntax.Formula{Op: syntax.OpEF, Sub: []*syntax.Formula{d}, Pos: f.Pos})
		}
		return fs, true
	case syntax.OpAnd:
		return distribute(f, most)
	}
	return []*syntax.Formula{f}, true
}

// distribute is disjuncts for a conjunction.
func distribute(f *syntax.Formula, most int) ([]*syntax.Formula, bool) {
	var common []*syntax.Formula
	products := [][]*syntax.Formula{nil}
	for _, sub := range f.Sub {
		ds, ok := Disjuncts(sub, most)
		if !ok || len(ds)*len(products) > most {
			return nil, false
		}
		if len(ds) == 1 {
			common = append(common, ds[0])
			continue
		}
		var next [][]*syntax.Formula
		for _, p := range products {
			for _, d := range ds {
				next = append(next, append(slices.Clip(p), d))
			}
		}
		products = next
	}
	// Where nothing was distributed, f itself is kept: others find its slice by it.
	if slices.Equal(common, f.Sub) {
		return []*syntax.Formula{f}, true
	}
	fs := make([]*syntax.Formula, len(products))
	for i, p := range products {
		fs[i] = syntax.And(append(slices.Clip(common), p...)...)
	}
	return fs, true
}
