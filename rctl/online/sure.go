package online

import (
	"slices"

	"github.com/pota-project/pota/rctl/syntax"
)

// A binding's body is about past events, and the past does not change: once(c) stays true, and
// events(c) only grows. So its verdict may be final long before the processes have closed. The open
// prefix (see the package documentation) shows when: it has an event still to come of each process,
// here one that fills a hole of its own. A literal is sure at a cut if no event to come can make it
// false: because the cut has no such event, or because such events can only make it true.
//
// Example: at a cut with one event of c and no event to come, events(c) <= 2 is sure. It is not sure once
// the cut has an event to come, because two more may follow. events(c) >= 1 is sure in both cases.
//
// If a body in negation normal form holds on the open prefix with only its sure literals true, it holds in
// all continuations. Other processes may join at any time, so a forall over processes is never sure, and
// an exists ranges over the processes that touched the binding.

// sure returns the part of f that is sure, for f in negation normal form: its lower bound while any process
// may join, with sure literals. After an event still to come, once(still) is true.
func sure(f *syntax.Formula, still *syntax.Formula, touched []string) *syntax.Formula {
	there := make([]syntax.Name, len(touched))
	for i, name := range touched {
		there[i] = syntax.Name{Text: name, Pos: f.Pos}
	}
	o := &opening{
		joins:  func(*syntax.Quantifier, []syntax.Name) bool { return true },
		counts: true,
		there:  func([]syntax.Name) []syntax.Name { return there },
	}
	o.literal = func(f *syntax.Formula) *syntax.Formula { return o.sureLiteral(f, still) }
	return o.bound(f, lower)
}

// sureLiteral is sure for a literal.
func (o *opening) sureLiteral(f *syntax.Formula, still *syntax.Formula) *syntax.Formula {
	positive, e := f.Op == syntax.OpAtom, f.Expr
	if !positive {
		e = f.Sub[0].Expr
	}
	if e.Op == syntax.ExprOnce && positive {
		return f
	}
	quiet := syntax.And(syntax.Not(comes(e, still)), f)
	if e.Op != syntax.ExprCompare {
		return quiet
	}
	if !positive {
		var ok bool
		if e, ok = syntax.Invert(e); !ok {
			return quiet
		}
	}
	return syntax.Or(quiet, o.comparisons(e, lower))
}

// comes says that an event still to come has happened on a process that an expression depends on.
func comes(e *syntax.Expr, still *syntax.Formula) *syntax.Formula {
	var processes []syntax.Name
	if e.Mentions(func(e *syntax.Expr) bool { return e.Op == syntax.ExprCount }) {
		processes = []syntax.Name{{}} // it depends on all of them
		e = &syntax.Expr{Pos: e.Pos}
	}
	syntax.WalkExpr(e, func(e *syntax.Expr) {
		looks := e.Op == syntax.ExprOnce || e.Op == syntax.ExprEvents || e.Op == syntax.ExprBetween
		if looks && !slices.ContainsFunc(processes, func(n syntax.Name) bool { return n.Text == e.Process.Text }) {
			processes = append(processes, e.Process)
		}
	})
	var some []*syntax.Formula
	for _, process := range processes {
		some = append(some, syntax.AsAtom(&syntax.Expr{
			Op:      syntax.ExprOnce,
			Past:    &syntax.Past{Conds: []*syntax.Formula{still}},
			Process: process,
			Owner:   syntax.Unresolved,
			Pos:     e.Pos,
		}))
	}
	return syntax.Or(some...)
}
