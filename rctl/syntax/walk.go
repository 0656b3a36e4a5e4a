package syntax

import "slices"

// Walk calls visit for f and, where that returns true, for the operands of f, each
// distinct formula once. A formula comes before its operands.
func Walk(f *Formula, visit func(*Formula) bool) {
	seen := map[*Formula]bool{}
	var walk func(f *Formula)
	walk = func(f *Formula) {
		if len(f.Sub) > 0 && !f.once {
			if seen[f] {
				return
			}
			seen[f] = true
		}
		if visit(f) {
			for _, sub := range f.Sub {
				walk(sub)
			}
		}
	}

	walk(f)
}

// Find returns the first formula in the order of Walk that satisfies is, f among them;
// nil where none does.
func Find(f *Formula, is func(*Formula) bool) *Formula {
	var found *Formula
	Walk(f, func(f *Formula) bool {
		if found == nil && is(f) {
			found = f
		}
		return found == nil
	})
	return found
}

// WalkExpr calls visit for e and all its operands. Those of an aggregate are the
// instances of its body, before Resolve its body.
func WalkExpr(e *Expr, visit func(*Expr)) { walkExpr(e, visit, nil) }

// walkExpr is WalkExpr without the aggregates that were seen, where seen is not nil.
func walkExpr(e *Expr, visit func(*Expr), seen map[*Expr]bool) {
	if seen != nil && e.Op.IsAggregate() {
		if seen[e] {
			return
		}
		seen[e] = true
	}

	visit(e)
	for _, arg := range e.Args {
		walkExpr(arg, visit, seen)
	}
	if e.Aggregate == nil {
		return
	}
	for _, f := range e.Sub {
		walkExprs(f, visit, seen)
	}
	switch {
	case e.Args != nil || e.Sub != nil:
	case e.Term != nil:
		walkExpr(e.Term, visit, seen)
	case e.Form != nil:
		walkExprs(e.Form, visit, seen)
	}
}

// Names returns the names of the variables that occur in f, those among them that
// processes must have to be chosen.
func Names(f *Formula) map[string]bool {
	names := map[string]bool{}
	having := func(q *Quantifier) {
		if q != nil {
			for _, name := range q.Having {
				names[name.Text] = true
			}
		}
	}

	note := func(e *Expr) {
		if e.Aggregate != nil {
			having(e.Quant)
		}
		if e.Op == ExprVar {
			names[e.Text] = true
		}
		if e.Op == ExprCount {
			Walk(e.Form, func(f *Formula) bool { having(f.Quant); return true })
		}
	}

	Walk(f, func(f *Formula) bool {
		having(f.Quant)
		if f.Op == OpAtom {
			WalkExpr(f.Expr, note)
		}
		return true
	})
	return names
}

// UsesTransit reports whether f counts messages in transit.
func UsesTransit(f *Formula) bool {
	found := false
	WalkExprs(f, func(e *Expr) { found = found || e.Op == ExprTransit })
	return found
}

// WalkExprs calls visit for each expression in the atoms of f, as WalkExpr does, and once
// for an aggregate that several atoms share.
func WalkExprs(f *Formula, visit func(*Expr)) { walkExprs(f, visit, make(map[*Expr]bool)) }

// walkExprs is WalkExprs with the aggregates seen so far.
func walkExprs(f *Formula, visit func(*Expr), seen map[*Expr]bool) {
	if f.Op == OpAtom {
		walkExpr(f.Expr, visit, seen)
		return
	}
	Walk(f, func(f *Formula) bool {
		if f.Op == OpAtom {
			walkExpr(f.Expr, visit, seen)
		}
		return true
	})
}

// walkNames calls visit for each name of a process in f, bound names included.
func walkNames(f *Formula, visit func(name Name, binds bool)) {
	Walk(f, func(f *Formula) bool {
		if f.Quant != nil {
			f.Quant.walkNames(visit)
		}
		if f.Op == OpAtom {
			walkExprNames(f.Expr, visit)
		}
		return true
	})
}

// walkExprNames is walkNames for an expression.
func walkExprNames(e *Expr, visit func(name Name, binds bool)) {
	switch e.Op {
	case ExprVar:
		visit(e.Process, false)
	case ExprTransit:
		visit(e.From, false)
		visit(e.To, false)
	case ExprCount:
		e.Quant.walkNames(visit)
		walkNames(e.Form, visit)
	case ExprSum, ExprMin, ExprMax:
		e.Quant.walkNames(visit)
		walkExprNames(e.Term, visit)
	default:
		for _, arg := range e.Args {
			walkExprNames(arg, visit)
		}
	}
}

// walkNames visits the names that q binds, then those in its domain.
func (q *Quantifier) walkNames(visit func(name Name, binds bool)) {
	for _, name := range q.Names {
		visit(name, true)
	}
	for _, name := range q.Domain {
		visit(name, false)
	}
}

// IsTemporal reports whether the operator quantifies over runs.
func (op Op) IsTemporal() bool { return op >= OpEX && op <= OpAW }

// IsExistential reports whether the operator at the root of f asks for one run:
// EX, EF, EG, E[U], E[R] or E[W].
func IsExistential(f *Formula) bool {
	switch f.Op {
	case OpEX, OpEF, OpEG, OpEU, OpER, OpEW:
		return true
	}
	return false
}

// Goal returns the formula at the end of a run that shows f, such as g of E[h U g], or nil.
// The operator of f must ask for one run, and runs may show R and W without reaching it. EG
// has no goal.
func Goal(f *Formula) *Formula {
	switch f.Op {
	case OpEX, OpEF:
		return f.Sub[0]
	case OpEU, OpEW:
		return f.Sub[1]
	case OpER:
		return And(f.Sub...)
	}
	return nil
}

// HasNext reports whether EX or AX occurs in f. These count single events.
func HasNext(f *Formula) bool {
	return Find(f, func(f *Formula) bool { return f.Op == OpEX || f.Op == OpAX }) != nil
}

// Conjuncts returns the operands of a conjunction, with those of nested
// conjunctions in their place; of any other formula, that formula.
func Conjuncts(f *Formula) []*Formula { return operands(OpAnd, nil, f) }

// Alternatives returns the operands of a disjunction, with those of nested
// disjunctions in their place; of any other formula, that formula.
func Alternatives(f *Formula) []*Formula { return operands(OpOr, nil, f) }

// operands appends the operands of f to list, if op is its operator, and otherwise f.
func operands(op Op, list []*Formula, f *Formula) []*Formula {
	if f.Op != op {
		return append(list, f)
	}
	for _, sub := range f.Sub {
		list = operands(op, list, sub)
	}
	return list
}

// IsPropositional reports whether f has no temporal operator, so that one cut
// decides it.
func IsPropositional(f *Formula) bool {
	return Find(f, func(f *Formula) bool { return f.Op.IsTemporal() }) == nil
}

// Equal reports whether f and g are the same formula, wherever they were
// written and whatever Resolve found out about them. Its time complexity is O(|f|) if
// neither has shared subformulas, and O(|f|·|g|) otherwise.
func (f *Formula) Equal(g *Formula) bool {
	var c comparer
	return c.equal(f, g)
}

// A comparer compares formulas. Once there are many, it remembers the equal ones, so that
// shared subformulas are compared once.
type comparer struct {
	compared int
	same     map[[2]*Formula]bool
}

// equal compares operators first, as most formulas differ there.
func (c *comparer) equal(f, g *Formula) bool {
	switch {
	case f == g:
		return true
	case f.Op != g.Op || f.Op == OpAtom && !f.Expr.Equal(g.Expr) ||
		(f.Op == OpForall || f.Op == OpExists) && !f.Quant.equal(g.Quant):
		return false
	case len(f.Sub) == 0:
		return len(g.Sub) == 0
	case c.same[[2]*Formula{f, g}]:
		return true
	case !slices.EqualFunc(f.Sub, g.Sub, c.equal):
		return false
	}
	if c.compared++; c.compared > 100 {
		if c.same == nil {
			c.same = make(map[[2]*Formula]bool)
		}
		c.same[[2]*Formula{f, g}] = true
	}

	return true
}

// Equal reports whether e and g are the same expression, wherever they were
// written and whatever Resolve found out about them.
func (e *Expr) Equal(g *Expr) bool {
	if e == g {
		return true
	}
	if e.Op != g.Op || e.Text != g.Text || e.Int != g.Int || e.Float != g.Float || e.IsFloat != g.IsFloat || e.Bool != g.Bool ||
		e.Process.Text != g.Process.Text || !slices.Equal(e.Rel, g.Rel) {
		return false
	}

	switch {
	case e.Op == ExprTransit:
		return e.From.Text == g.From.Text && e.To.Text == g.To.Text
	case e.Op == ExprCount:
		return e.Quant.equal(g.Quant) && e.Form.Equal(g.Form)
	case e.Op.IsAggregate():
		return e.Quant.equal(g.Quant) && e.Term.Equal(g.Term)
	}
	return slices.EqualFunc(e.Args, g.Args, (*Expr).Equal)
}

// equal reports whether two quantifiers bind the same names to the same domain.
func (q *Quantifier) equal(r *Quantifier) bool {
	return q.Distinct == r.Distinct && q.Glob == r.Glob && equalNames(q.Names, r.Names) && equalNames(q.Domain, r.Domain) &&
		equalNames(q.Having, r.Having)
}

// equalNames ignores positions.
func equalNames(a, b []Name) bool {
	return slices.EqualFunc(a, b, func(a, b Name) bool { return a.Text == b.Text })
}
