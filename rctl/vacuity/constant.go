package vacuity

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// unchanging reports that nothing a resolved formula mentions changes.
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
			changing = changes(v)
			names = append(names, e.String())
		}
	})
	if changing || syntax.MarginOf(f) != nil {
		return
	}
	switch {
	case names == nil && syntax.HasBounds(s.root):
		s.report(Constant, f.Pos, "no state begins that a bound on time is about")
	case names == nil && len(s.found) > 0: // quantifiers that range over nothing say why
	case names == nil:
		s.report(Constant, f.Pos, "the formula mentions nothing in the trace")
	default:
		s.report(Constant, f.Pos, "nothing that the formula mentions ever changes: %s", graphs.List(names, 5))
	}
}

// changes reports whether a variable ever has another value than its first.
func changes(v *graphs.Variable) bool {
	for i := range v.Len() {
		if v.Value(i) != v.Init { // a float for an equal whole number changes sums
			return true
		}
	}
	return false
}

// tautologies reports the largest parts of f without temporal operators and
// quantifiers that have the same truth value at every cut of every trace.
func (s *search) tautologies(f *syntax.Formula) {
	if syntax.Find(f, func(f *syntax.Formula) bool { return f.Op.IsTemporal() || f.Quant != nil }) != nil {
		for _, sub := range f.Sub {
			s.tautologies(sub)
		}
		return
	}

	if f.Op == syntax.OpAtom || f.Op == syntax.OpTrue || f.Op == syntax.OpFalse {
		return
	}
	if always, ok := valid(f); ok {
		s.report(Constant, f.Pos, "%s is %t at every cut of every trace", f, always)
	}
}
