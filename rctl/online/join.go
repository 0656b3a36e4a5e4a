package online

import (
	"slices"

	"github.com/pota-project/pota/rctl/syntax"
)

// The bounds of formulas with open quantifiers, as the package's doc has them, are made of formulas as they were
// parsed, since only these say what ranges over processes. Numbers have bounds, too, of which a comparison takes those
// that make it weakest or strongest.

// opening tells what is open.
type opening struct {
	// joins reports whether a process may join a domain, whose processes must have some variables.
	joins func(q *syntax.Quantifier, needs []syntax.Name) bool
	// known reports whether a name is that of a process, or bound.
	known func(name string) bool
}

// quantifier reports whether a quantifier with a body is open, and returns its domain for what the body asks of
// processes by now.
func (o *opening) quantifier(q *syntax.Quantifier, body *syntax.Formula) (*syntax.Quantifier, bool) {
	if q.Data != nil {
		return q, false
	}
	has := func(list []syntax.Name, text string) bool {
		return slices.ContainsFunc(list, func(n syntax.Name) bool { return n.Text == text })
	}
	needs := slices.Clone(q.Having)
	syntax.WalkExprs(body, func(e *syntax.Expr) {
		if e.Op == syntax.ExprVar && has(q.Names, e.Process.Text) && !has(needs, e.Text) {
			needs = append(needs, syntax.Name{Text: e.Text, Pos: e.Pos})
		}
	})
	if !o.joins(q, needs) {
		return q, false
	}
	now := *q
	now.Having = needs
	now.Domain = slices.DeleteFunc(slices.Clone(q.Domain), func(n syntax.Name) bool { return !o.known(n.Text) })
	return &now, true
}

// A side tells the bounds apart.
type side int

const (
	lower side = iota
	upper
)

// within reports whether a quantifier of f, or of an aggregate in it, is open.
func (o *opening) within(f *syntax.Formula) bool {
	is := func(q *syntax.Quantifier, body *syntax.Formula) bool {
		_, open := o.quantifier(q, body)
		return open
	}
	found := syntax.Find(f, func(g *syntax.Formula) bool { return g.Quant != nil && is(g.Quant, g.Sub[0]) }) != nil
	syntax.WalkExprs(f, func(e *syntax.Expr) {
		found = found || e.Op.IsAggregate() && is(e.Quant, body(e)) || e.Op == syntax.ExprCount && o.within(e.Form)
	})
	return found
}

// body returns what an aggregate counts, or a formula of the term that it takes.
func body(e *syntax.Expr) *syntax.Formula {
	if e.Op == syntax.ExprCount {
		return e.Form
	}
	return syntax.AsAtom(e.Term)
}

// bound returns a bound of f, which is in negation normal form.
func (o *opening) bound(f *syntax.Formula, at side) *syntax.Formula {
	switch f.Op {
	case syntax.OpAtom:
		return o.atom(f, at)
	case syntax.OpNot:
		return negated(o.bound(f.Sub[0], 1-at))
	}

	g := *f
	if f.Quant != nil {
		var open bool
		if g.Quant, open = o.quantifier(f.Quant, f.Sub[0]); open && (f.Op == syntax.OpExists) == (at == upper) {
			return constant(at, f.Pos)
		}
	}
	g.Sub = make([]*syntax.Formula, len(f.Sub))
	for i, sub := range f.Sub {
		g.Sub[i] = o.bound(sub, at)
	}
	return folded(&g)
}

// constant returns the bound of what is unknown.
func constant(at side, pos int) *syntax.Formula {
	if at == upper {
		return syntax.New(syntax.OpTrue, pos)
	}
	return syntax.New(syntax.OpFalse, pos)
}

// isConstant reports whether f is true or false.
func isConstant(f *syntax.Formula) bool { return f.Op == syntax.OpTrue || f.Op == syntax.OpFalse }

// negated returns the negation of f, in negation normal form if f is a literal or a constant.
func negated(f *syntax.Formula) *syntax.Formula { return syntax.NNF(syntax.Not(f)) }

// folded returns what says the same as f with fewer constants among the operands.
func folded(f *syntax.Formula) *syntax.Formula {
	switch f.Op {
	case syntax.OpAnd:
		return syntax.And(f.Sub...)
	case syntax.OpOr:
		return syntax.Or(f.Sub...)
	case syntax.OpEX, syntax.OpAX, syntax.OpForall, syntax.OpExists:
		return f // there may be no next cut, and no process
	}

	if len(f.Sub) == 0 {
		return f
	}
	last := f.Sub[len(f.Sub)-1]
	switch first := f.Sub[0]; {
	case isConstant(last) && (last.Op == syntax.OpTrue || f.Op != syntax.OpEW && f.Op != syntax.OpAW):
		return last
	case len(f.Sub) == 1:
	case first.Op == syntax.OpFalse && f.Op != syntax.OpER && f.Op != syntax.OpAR:
		return last
	case first.Op == syntax.OpTrue && (f.Op == syntax.OpER || f.Op == syntax.OpAR):
		return last
	case first.Op == syntax.OpTrue && (f.Op == syntax.OpEW || f.Op == syntax.OpAW):
		return first
	}
	return f
}

// atom returns a bound of a comparison.
func (o *opening) atom(f *syntax.Formula, at side) *syntax.Formula {
	if f.Expr.Op != syntax.ExprCompare || !o.within(f) {
		return f
	}
	var parts []*syntax.Formula
	for _, e := range syntax.Neighbours(f.Expr) {
		parts = append(parts, o.comparison(e, at))
	}
	return syntax.And(parts...)
}

// comparison returns a bound of a comparison of two numbers.
func (o *opening) comparison(e *syntax.Expr, at side) *syntax.Formula {
	a, b := o.number(e.Args[0]), o.number(e.Args[1])
	if a.low == e.Args[0] && a.high == a.low && b.low == e.Args[1] && b.high == b.low {
		return syntax.AsAtom(e)
	}
	below := func(a, b extent, rel syntax.Relop) *syntax.Formula {
		x, y := a.high, b.low
		if at == upper {
			x, y = a.low, b.high
		}
		if x == nil || y == nil {
			return constant(at, e.Pos)
		}
		g := operation(e, x, y)
		g.Rel = []syntax.Relop{rel}
		return syntax.AsAtom(g)
	}

	switch rel := e.Rel[0]; rel {
	case syntax.Less, syntax.LessEqual:
		return below(a, b, rel)
	case syntax.Greater, syntax.GreaterEqual:
		return below(b, a, rel.Mirrored())
	case syntax.Equal:
		return syntax.And(below(a, b, syntax.LessEqual), below(b, a, syntax.LessEqual))
	default:
		return syntax.Or(below(a, b, syntax.Less), below(b, a, syntax.Less))
	}
}

// operation returns e with other operands, nil where one of them is.
func operation(e *syntax.Expr, args ...*syntax.Expr) *syntax.Expr {
	if slices.Contains(args, nil) {
		return nil
	}
	g := *e
	g.Args = args
	return &g
}

// An extent bounds a number, or the numbers of a body; nil where there is no bound.
type extent struct{ low, high *syntax.Expr }

// number returns the bounds of an expression.
func (o *opening) number(e *syntax.Expr) extent {
	if e.Op.IsAggregate() {
		return o.aggregate(e)
	}
	var a, b extent
	if len(e.Args) > 0 {
		a, b = o.number(e.Args[0]), o.number(e.Args[len(e.Args)-1])
	}
	switch e.Op {
	case syntax.ExprNeg:
		return extent{operation(e, a.high), operation(e, a.low)}
	case syntax.ExprAdd:
		return extent{operation(e, a.low, b.low), operation(e, a.high, b.high)}
	case syntax.ExprSub:
		return extent{operation(e, a.low, b.high), operation(e, a.high, b.low)}
	case syntax.ExprMul:
		if !notNegative(e.Args[0]) || !notNegative(e.Args[1]) {
			break
		}
		return extent{operation(e, a.low, b.low), operation(e, a.high, b.high)}
	}
	if o.within(syntax.AsAtom(e)) {
		return extent{}
	}
	return extent{e, e}
}

// aggregate is number for an aggregate.
func (o *opening) aggregate(e *syntax.Expr) extent {
	over := *e.Aggregate
	var open bool
	over.Quant, open = o.quantifier(e.Quant, body(e))
	of := func(term *syntax.Expr, form *syntax.Formula) *syntax.Expr {
		if term == nil && form == nil {
			return nil
		}
		g, bound := *e, over
		bound.Term, bound.Form = term, form
		g.Aggregate = &bound
		return &g
	}

	var all extent
	grows, falls := e.Op != syntax.ExprMin, e.Op == syntax.ExprMin
	if e.Op == syntax.ExprCount {
		form := syntax.NNF(e.Aggregate.Form)
		all = extent{of(nil, o.bound(form, lower)), of(nil, o.bound(form, upper))}
	} else {
		term := o.number(e.Term)
		all = extent{of(term.low, nil), of(term.high, nil)}
		grows = grows && (e.Op == syntax.ExprMax || notNegative(e.Term))
	}
	if open && !grows {
		all.low = nil
	}
	if open && !falls {
		all.high = nil
	}
	return all
}

// notNegative reports whether a number is never below 0, whatever variables are.
func notNegative(e *syntax.Expr) bool {
	switch e.Op {
	case syntax.ExprNumber:
		return !e.IsFloat && e.Int >= 0 || e.IsFloat && e.Float >= 0
	case syntax.ExprCount, syntax.ExprTransit:
		return true
	case syntax.ExprSum, syntax.ExprMin, syntax.ExprMax:
		return notNegative(e.Term)
	case syntax.ExprAdd, syntax.ExprMul:
		return notNegative(e.Args[0]) && notNegative(e.Args[1])
	}
	return false
}
