package vacuity

import (
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// initial reports that the values at the initial cut decide a formula, and suggests the
// formula about all cuts that may have been meant.
func (s *search) initial(resolved *syntax.Formula) {
	if s.verdict == rctl.Unknown || len(syntax.Names(resolved)) == 0 && !syntax.UsesTransit(resolved) {
		return
	}
	v := &firstValues{s: s, known: make(map[*syntax.Formula]rctl.Verdict)}
	if v.of(resolved) == rctl.Unknown {
		return
	}
	if v.reached != nil {
		s.report(Initial, s.root.Pos, "decided before any event: %s is true at the first cut already", v.reached.Brief(maxShown))
		return
	}

	always := &syntax.Formula{Op: syntax.OpAG, Sub: []*syntax.Formula{s.root}}
	s.report(Initial, s.root.Pos, "decided before any event: did you mean %s?", always.Brief(maxShown))
}

// firstValues are what formulas are worth for the values at the initial cut alone:
// unknown for those with a temporal operator, except p U q and p W q where q is true.
type firstValues struct {
	s       *search
	known   map[*syntax.Formula]rctl.Verdict
	reached *syntax.Formula // such a q
}

// of returns the verdict that the initial values alone give, Unknown if they do
// not.
func (v *firstValues) of(f *syntax.Formula) rctl.Verdict {
	known, ok := v.known[f]
	if !ok {
		known = v.find(f)
		v.known[f] = known
	}
	return known
}

// find is of without the results so far.
func (v *firstValues) find(f *syntax.Formula) rctl.Verdict {
	switch f.Op {
	case syntax.OpNot:
		return v.of(f.Sub[0]).Not()
	case syntax.OpAnd:
		return v.joined(f.Sub, rctl.Holds, rctl.Fails)
	case syntax.OpOr:
		return v.joined(f.Sub, rctl.Fails, rctl.Holds)
	case syntax.OpImplies:
		p, q := v.of(f.Sub[0]), v.of(f.Sub[1])
		switch {
		case p == rctl.Fails || q == rctl.Holds:
			return rctl.Holds
		case p == rctl.Unknown:
			return rctl.Unknown
		}
		return q
	case syntax.OpIff:
		p, q := v.of(f.Sub[0]), v.of(f.Sub[1])
		switch {
		case p == rctl.Unknown || q == rctl.Unknown:
			return rctl.Unknown
		case p == q:
			return rctl.Holds
		}
		return rctl.Fails
	case syntax.OpEU, syntax.OpAU, syntax.OpEW, syntax.OpAW:
		if v.of(f.Sub[1]) == rctl.Holds {
			v.reached = f.Sub[1]
			return rctl.Holds
		}
		return rctl.Unknown
	}

	if f.Op.IsTemporal() {
		return rctl.Unknown
	}
	truth, err := rctl.At(v.s.c, f, v.s.c.Initial())
	switch {
	case err != nil:
		return rctl.Unknown
	case truth:
		return rctl.Holds
	}
	return rctl.Fails
}

// joined returns all if all operands are worth that, and any if one is worth that.
func (v *firstValues) joined(operands []*syntax.Formula, all, any rctl.Verdict) rctl.Verdict {
	sum := all
	for _, f := range operands {
		switch v.of(f) {
		case any:
			return any
		case rctl.Unknown:
			sum = rctl.Unknown
		}
	}
	return sum
}
