package rctl

import "github.com/pota-project/pota/rctl/syntax"

// tidy writes negated comparisons in f with the opposite operator, as people do.
func tidy(f *syntax.Formula) *syntax.Formula {
	done := make(map[*syntax.Formula]*syntax.Formula)
	var visit func(f *syntax.Formula) *syntax.Formula
	visit = func(f *syntax.Formula) *syntax.Formula {
		if len(f.Sub) == 0 {
			return f
		}
		if g, ok := done[f]; ok {
			return g
		}
		g := new(*f)
		if f.Op == syntax.OpNot && f.Sub[0].Op == syntax.OpAtom {
			if e, ok := syntax.Invert(f.Sub[0].Expr); ok {
				g = &syntax.Formula{Op: syntax.OpAtom, Expr: e, Pos: f.Pos}
				done[f] = g
				return g
			}
		}
		g.Sub = make([]*syntax.Formula, len(f.Sub))
		for i, sub := range f.Sub {
			g.Sub[i] = visit(sub)
		}
		done[f] = g
		return g
	}
	return visit(f)
}
