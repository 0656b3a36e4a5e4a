package online

import (
	"slices"

	"github.com/pota-project/pota/rctl/syntax"
)

// The bounds of a formula are made from the parsed formula, because resolved formulas have no quantifiers.
// Numbers have bounds as well; a comparison uses the weakest or the strongest ones. A part without an open
// quantifier keeps its pointer.

// A side is one of the two bounds.
type side int

const (
	lower side = iota
	upper
)

// opening distinguishes open quantifiers from closed ones.
type opening struct {
	// joins reports whether a process may join a domain of processes that have some variables.
	joins func(q *syntax.Quantifier, needs []syntax.Name) bool
	// there returns the processes of a domain that exist so far; nil if the domain is not a list. If there is nil,
	// domains stay as they are.
	there func(all []syntax.Name) []syntax.Name
	// counts says that events may come that events(…) counts.
	counts bool
	// literal returns a bound of a literal. If literal is nil, the bound follows from the processes in it.
	literal func(*syntax.Formula) *syntax.Formula

	found bool // whether an open quantifier was found
	now   bool // whether quantifiers over columns are closed
}

// quantifier reports whether a quantifier is open. If so, it returns the quantifier with its current domain:
// the processes that have the variables that the domain and the body require.
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
	if !o.joins(q, needs) || o.now && syntax.OfColumn(q) {
		return q, false
	}

	o.found = true
	now := *q
	now.Having = needs
	if o.there != nil {
		now.Domain = o.there(q.Domain)
	}
	return &now, true
}

// constant returns the bound of an unknown truth value.
func constant(at side, pos int) *syntax.Formula {
	return syntax.New([...]syntax.Op{lower: syntax.OpFalse, upper: syntax.OpTrue}[at], pos)
}

// of returns a bound of a whole formula in negation normal form. Columns begin as false and 0, so the columns
// of processes that join have no effect in the cuts of the prefix. If only these cuts and their runs make a
// formula final, its quantifiers over columns are closed.
func (o *opening) of(f *syntax.Formula, at side) *syntax.Formula {
	if at == lower {
		o.now = only(f, syntax.OpEX, syntax.OpEF, syntax.OpEU)
	} else {
		o.now = only(f, syntax.OpAX, syntax.OpAG, syntax.OpAR, syntax.OpAW)
	}
	return o.bound(f, at)
}

// bound returns a bound of f, a formula in negation normal form.
func (o *opening) bound(f *syntax.Formula, at side) *syntax.Formula {
	switch {
	case o.literal != nil && (f.Op == syntax.OpAtom || f.Op == syntax.OpNot):
		return o.literal(f)
	case f.Op == syntax.OpAtom && f.Expr.Op == syntax.ExprCompare:
		return o.comparisons(f.Expr, at)
	case f.Op == syntax.OpAtom:
		return f
	case f.Op == syntax.OpNot:
		return syntax.NNF(syntax.Not(o.bound(f.Sub[0], 1-at)))
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
	switch f.Op {
	case syntax.OpAnd:
		return syntax.And(g.Sub...)
	case syntax.OpOr:
		return syntax.Or(g.Sub...)
	case syntax.OpEF, syntax.OpAF, syntax.OpEG, syntax.OpAG:
		if c := g.Sub[0]; c.Op == syntax.OpTrue || c.Op == syntax.OpFalse {
			return c
		}
	}
	return &g
}

// comparisons returns a bound of a chain of comparisons, as in 0 < x <= y.
func (o *opening) comparisons(e *syntax.Expr, at side) *syntax.Formula {
	var parts []*syntax.Formula
	for _, one := range syntax.Neighbours(e) {
		parts = append(parts, o.comparison(one, at))
	}
	return syntax.And(parts...)
}

// comparison returns a bound of a comparison of two sides.
func (o *opening) comparison(e *syntax.Expr, at side) *syntax.Formula {
	below := func(a, b *syntax.Expr, rel syntax.Relop) *syntax.Formula {
		x, y := o.number(a, 1-at), o.number(b, at)
		if x == nil || y == nil {
			return constant(at, e.Pos)
		}
		g := *e
		g.Args, g.Rel = []*syntax.Expr{x, y}, []syntax.Relop{rel}
		return syntax.AsAtom(&g)
	}

	same := func(x *syntax.Expr) bool { return o.number(x, lower) == x && o.number(x, upper) == x }
	a, b := e.Args[0], e.Args[1]
	switch rel := e.Rel[0]; {
	case same(a) && same(b):
		return syntax.AsAtom(e)
	case rel <= syntax.LessEqual:
		return below(a, b, rel)
	case rel >= syntax.GreaterEqual:
		return below(b, a, rel.Mirrored())
	case rel == syntax.Equal:
		return syntax.And(below(a, b, syntax.LessEqual), below(b, a, syntax.LessEqual))
	}
	return syntax.Or(below(a, b, syntax.Less), below(b, a, syntax.Less))
}

// number returns a bound of a number; nil if there is none.
func (o *opening) number(e *syntax.Expr, at side) *syntax.Expr {
	switch {
	case e.Op.IsAggregate():
		return o.aggregate(e, at)
	case e.Op == syntax.ExprEvents && o.counts && at == upper:
		return nil
	}
	sides := [2]side{at, at}
	switch {
	case e.Op == syntax.ExprNeg:
		sides[0] = 1 - at
	case e.Op == syntax.ExprSub:
		sides[1] = 1 - at
	}
	args := make([]*syntax.Expr, len(e.Args))
	for i, arg := range e.Args {
		if args[i] = o.number(arg, sides[i]); args[i] == nil {
			return nil
		}
	}
	switch {
	case slices.Equal(args, e.Args):
		return e
	case e.Op == syntax.ExprMul && !notNegative(e):
		return nil
	}
	g := *e
	g.Args = args
	return &g
}

// aggregate is number for an aggregate: processes that join can only make it grow, or fall for min.
func (o *opening) aggregate(e *syntax.Expr, at side) *syntax.Expr {
	g, over := *e, *e.Aggregate
	g.Aggregate = &over
	body := e.Form
	if body == nil {
		body = syntax.AsAtom(e.Term)
	}
	var open bool
	over.Quant, open = o.quantifier(e.Quant, body)
	grows := e.Op == syntax.ExprMax || e.Op != syntax.ExprMin && notNegative(e)
	if open && (at == upper || !grows) && (at == lower || e.Op != syntax.ExprMin) {
		return nil
	}
	if e.Op == syntax.ExprCount {
		over.Form = o.bound(syntax.NNF(e.Form), at)
	} else if over.Term = o.number(e.Term, at); over.Term == nil {
		return nil
	}
	if !open && over.Term == e.Term && (e.Form == nil || over.Form.Equal(e.Form)) {
		return e
	}
	return &g
}

// notNegative reports whether a number is never below 0, whatever variables are.
func notNegative(e *syntax.Expr) bool {
	switch e.Op {
	case syntax.ExprNumber:
		return e.Int >= 0 && e.Float >= 0
	case syntax.ExprVar:
		return syntax.Counts(e)
	case syntax.ExprCount, syntax.ExprTransit, syntax.ExprEvents:
		return true
	case syntax.ExprSum:
		return notNegative(e.Term)
	case syntax.ExprAdd, syntax.ExprMul:
		return notNegative(e.Args[0]) && notNegative(e.Args[1])
	}
	return false
}
