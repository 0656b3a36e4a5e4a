package vacuity

import (
	"math/big"
	"slices"

	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// A verdict must not wait long for findings about it, and a formula may be easy although a part of
// it is hard, such as AG(a -> EF b) if b holds in the end. Whatever slices can decide is decided.
// The other bounds do not depend on time, so that findings are the same on every machine: they
// limit the number of other searches, memory, and the search of a satisfiability solver, because
// memory does not bound that. Each search takes well under a second.
const (
	maxSearches = 4
	maxMemory   = 32 << 20
)

// maxSolved bounds the number of cuts from which a satisfiability solver may have to choose.
var maxSolved = big.NewInt(1 << 20)

// decide returns the verdict on a formula as written, Unknown if the bounds do not suffice.
func (s *search) decide(f *syntax.Formula) rctl.Verdict {
	c, g, err := rctl.Resolve(s.ctx, s.c, f)
	// The session is valid only for the columns of the formula that was decided.
	if err != nil || c != s.c {
		return rctl.Unknown
	}
	opts := s.opts
	opts.Engine = rctl.Slice
	if v := s.check(g, opts); v != rctl.Unknown || s.searches == 0 || s.ctx.Err() != nil {
		return v
	}
	plan, err := rctl.MakePlan(s.ctx, s.c, g, s.opts)
	if err != nil {
		return rctl.Unknown
	}
	opts.Engine = rctl.Auto
	if needsSearch(plan) {
		s.searches--
		if opts.MaxMemory == 0 || opts.MaxMemory > maxMemory {
			opts.MaxMemory = maxMemory
		}
		if solves(plan) {
			opts.Engine = rctl.IST
		}
	}

	return s.check(g, opts)
}

// check decides f within the remaining bounds.
func (s *search) check(f *syntax.Formula, opts rctl.Options) rctl.Verdict {
	res, err := s.session.Check(s.ctx, f, opts)
	if err != nil {
		return rctl.Unknown
	}
	return res.Verdict
}

// needsSearch reports whether a plan has a part that is not polynomial.
func needsSearch(p *rctl.Plan) bool {
	return p.Engine >= rctl.SAT || slices.ContainsFunc(p.Parts, needsSearch)
}

// solves reports whether a plan leaves more than maxSolved cuts to a satisfiability
// solver.
func solves(p *rctl.Plan) bool {
	alone := len(p.Parts) == 0
	return alone && p.Engine == rctl.SAT && p.Cuts.Cmp(maxSolved) > 0 || slices.ContainsFunc(p.Parts, solves)
}
