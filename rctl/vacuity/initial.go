package vacuity

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// initial reports that the values at the initial cut decide a formula, and suggests the formula
// about all cuts that the user may have meant.
func (s *search) initial(resolved *syntax.Formula) {
	if s.verdict == rctl.Unknown || len(syntax.Names(resolved)) == 0 && !syntax.UsesTransit(resolved) {
		return
	}
	known := make(map[*syntax.Formula]rctl.Verdict)
	var reached *syntax.Formula // a q of p U q or p W q that is true at the initial cut
	// of returns the verdict on a formula by the values at the initial cut alone: Unknown if it has
	// a temporal operator, except for p U q and p W q where q is true.
	var of func(f *syntax.Formula) rctl.Verdict
	find := func(f *syntax.Formula) rctl.Verdict {
		switch f.Op {
		case syntax.OpEU, syntax.OpAU, syntax.OpEW, syntax.OpAW:
			if of(f.Sub[1]) == rctl.Holds {
				reached = f.Sub[1]
				return rctl.Holds
			}
			return rctl.Unknown
		case syntax.OpAtom:
			truth, err := rctl.At(s.c, f, s.c.Initial())
			if err != nil {
				return rctl.Unknown
			}
			return engine.VerdictOf(truth)
		}
		return connective(f, of)
	}
	of = func(f *syntax.Formula) rctl.Verdict {
		v, ok := known[f]
		if !ok {
			v = find(f)
			known[f] = v
		}
		return v
	}
	switch {
	case of(resolved) == rctl.Unknown:
	case reached != nil:
		s.report(Initial, s.root.Pos, "decided before any event: %s is true at the first cut already", reached)
	default:
		always := &syntax.Formula{Op: syntax.OpAG, Sub: []*syntax.Formula{s.root}}
		s.report(Initial, s.root.Pos, "decided before any event: did you mean %s?", always)
	}
}

// connective returns the verdict on f from those on its operands, in Kleene's three-valued logic.
// It is Unknown if they do not decide it, and for a temporal operator.
func connective(f *syntax.Formula, of func(*syntax.Formula) rctl.Verdict) rctl.Verdict {
	switch f.Op {
	case syntax.OpTrue, syntax.OpFalse:
		return engine.VerdictOf(f.Op == syntax.OpTrue)
	case syntax.OpNot:
		return of(f.Sub[0]).Not()
	case syntax.OpAnd:
		return engine.Kleene(rctl.Fails, f.Sub, of)
	case syntax.OpOr:
		return engine.Kleene(rctl.Holds, f.Sub, of)
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
	return engine.VerdictOf(p == q) // for p -> q, p holds here and q fails
}

// unchanging reports that nothing in a resolved formula ever changes.
func (s *search) unchanging(f *syntax.Formula) {
	names, changing := []string(nil), false
	seen := make(map[*graphs.Variable]bool)
	syntax.WalkExprs(f, func(e *syntax.Expr) {
		if changing {
			return
		}
		switch e.Op {
		case syntax.ExprTransit:
			sends, recvs := s.c.Channel(e.FromID, e.ToID)
			changing = len(sends)+len(recvs) > 0
			names = append(names, e.String())
		case syntax.ExprVar:
			v := s.c.Variable(e.Owner, e.Text)
			if v == nil || seen[v] {
				return
			}
			seen[v] = true
			names = append(names, e.String())
			for i := range v.Len() {
				// Replacing a whole number by an equal float is a change, too: it changes sums.
				changing = changing || v.Value(i) != v.Init
			}
		}
	})
	if changing || syntax.MarginOf(f) != nil {
		return
	}
	switch {
	case names == nil && syntax.HasBounds(s.root):
		s.report(Constant, f.Pos, "no state with a bound on its time begins")
	case names == nil && len(s.found) > 0: // the findings on empty quantifiers explain it
	case names == nil:
		s.report(Constant, f.Pos, "the formula mentions nothing in the trace")
	default:
		s.report(Constant, f.Pos, "nothing that the formula mentions ever changes: %s", graphs.List(names, 5))
	}
}
