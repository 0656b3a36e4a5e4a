package rctl

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// At evaluates a resolved formula without temporal operators at a cut. The error
// says that values were not read.
func At(c *graphs.Computation, f *syntax.Formula, cut graphs.Cut) (bool, error) {
	p, err := compile(c, f)
	if err != nil {
		return false, err
	}
	return p.at(cut, p.env()), nil
}

// Shown returns what the evidence of a verdict on f shows: f where it holds, its
// negation where it fails, in negation normal form, comparisons without a ! before
// them. The quantifiers of an f that is not resolved stay. Evidence for a part of
// f has that part of Shown(f, v), resolved, for its Formula, unless an engine put
// an equivalent one in its place.
func Shown(f *syntax.Formula, v Verdict) *syntax.Formula {
	if v == Fails {
		f = syntax.Not(f)
	}
	return tidy(syntax.NNF(f))
}
