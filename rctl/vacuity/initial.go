package vacuity

import (
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/internal/engine"
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
		const reached = "decided before any event: %s is true at the first cut already"
		s.report(Initial, s.root.Pos, reached, v.reached)
		return
	}

	always := &syntax.Formula{Op: syntax.OpAG, Sub: []*syntax.Formula{s.root}}
	s.report(Initial, s.root.Pos, "decided before any event: did you mean %s?", always)
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
	case syntax.OpEU, syntax.OpAU, syntax.OpEW, syntax.OpAW:
		if v.of(f.Sub[1]) == rctl.Holds {
			v.reached = f.Sub[1]
			return rctl.Holds
		}
		return rctl.Unknown
	case syntax.OpAtom:
		truth, err := rctl.At(v.s.c, f, v.s.c.Initial())
		if err != nil {
			return rctl.Unknown
		}
		return engine.VerdictOf(truth)
	}
	return connective(f, v.of)
}

// connective returns the verdict on f from those on its operands, in Kleene's logic of three
// values. It is unknown where theirs do not decide, and for an operator about runs.
func connective(f *syntax.Formula, of func(*syntax.Formula) rctl.Verdict) rctl.Verdict {
	switch f.Op {
	case syntax.OpTrue, syntax.OpFalse:
		return engine.VerdictOf(f.Op == syntax.OpTrue)
	case syntax.OpNot:
		return of(f.Sub[0]).Not()
	case syntax.OpAnd:
		return junction(f.Sub, of, rctl.Fails)
	case syntax.OpOr:
		return junction(f.Sub, of, rctl.Holds)
	}
	if f.Op.IsTemporal() {
		return rctl.Unknown
	}

	p, q := of(f.Sub[0]), of(f.Sub[1])
	switch {
	case f.Op == syntax.OpImplies && (p == rctl.Fails || q == rctl.Holds):
		return rctl.Holds
	case p == rctl.Unknown || q == rctl.Unknown:
		return rctl.Unknown
	}
	return engine.VerdictOf(p == q) // of p -> q, p holds here and q fails
}

// junction returns decisive if an operand is worth that, and otherwise the opposite if all are.
func junction(operands []*syntax.Formula, of func(*syntax.Formula) rctl.Verdict, decisive rctl.Verdict) rctl.Verdict {
	sum := decisive.Not()
	for _, f := range operands {
		switch of(f) {
		case decisive:
			return decisive
		case rctl.Unknown:
			sum = rctl.Unknown
		}
	}
	return sum
}
