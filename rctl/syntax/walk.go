package syntax

import "slices"

// Walk calls visit for f and, if it returns true, for the operands of f, each distinct
// formula that has operands once. A formula comes before its operands.
func Walk(f *Formula, visit func(*Formula) bool) {
	seen := map[*Formula]bool{}
	var walk func(f *Formula)
	walk = func(f *Formula) {
		if len(f.Sub) > 0 {
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

// Find returns the first formula in the order of Walk, starting with f, that satisfies is;
// nil if none does.
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

// WalkExpr calls visit for e and all its operands. The operands of an aggregate are the
// instances of its body or, before Resolve, the body.
func WalkExpr(e *Expr, visit func(*Expr)) { (&walker{expr: visit}).operand(e) }

// WalkExprs calls WalkExpr for the atoms of f, but visits an aggregate that several atoms
// share only once.
func WalkExprs(f *Formula, visit func(*Expr)) {
	(&walker{expr: visit, seen: make(map[*Expr]bool)}).formula(f)
}

// with returns a copy of f with other operands.
func (f *Formula) with(other func(sub *Formula) *Formula) *Formula {
	g := new(*f)
	g.Sub = Mapped(f.Sub, other)
	return g
}

// withAtoms returns a copy of f with other formulas in place of its atoms.
func (f *Formula) withAtoms(other func(atom *Formula) *Formula) *Formula {
	if f.Op == OpAtom {
		return other(f)
	}
	return f.with(func(sub *Formula) *Formula { return sub.withAtoms(other) })
}

// with returns a copy of e with other expressions and formulas in place of its operands, its
// conditions, and the written body of an aggregate.
func (e *Expr) with(expr func(*Expr) *Expr, formula func(*Formula) *Formula) *Expr {
	g := new(*e)
	g.Args = Mapped(e.Args, expr)
	if e.Past != nil {
		g.Past = new(*e.Past)
		g.Conds = Mapped(e.Conds, formula)
	}
	if e.Aggregate != nil {
		g.Aggregate = new(*e.Aggregate)
		if e.Form != nil {
			g.Form = formula(e.Form)
		} else {
			g.Term = expr(e.Term)
		}
	}
	return g
}

// Mentions reports whether e or an operand of it satisfies is.
func (e *Expr) Mentions(is func(*Expr) bool) bool {
	found := false
	WalkExpr(e, func(e *Expr) { found = found || is(e) })
	return found
}

// Mentions reports whether an expression in the atoms of f, as WalkExprs visits them, satisfies is.
func Mentions(f *Formula, is func(*Expr) bool) bool {
	found := false
	WalkExprs(f, func(e *Expr) { found = found || is(e) })
	return found
}

// speaks reports whether f, as written, has an expression or a quantifier that satisfies a test.
func (f *Formula) speaks(expr func(*Expr) bool, quantifier func(*Quantifier) bool) bool {
	found := false
	w := &walker{
		expr:       func(e *Expr) { found = found || expr(e) },
		quantifier: func(q *Quantifier) { found = found || quantifier(q) },
	}
	w.formula(f)
	return found
}

// A walker visits formulas and their expressions, the outer ones first.
type walker struct {
	expr func(*Expr)
	// the visitor of quantifiers, before their bodies; if it is set, the walker visits the written
	// body of an aggregate, not its instances
	quantifier func(*Quantifier)
	// the aggregates visited so far; nil if an aggregate may be visited several times
	seen map[*Expr]bool
}

// formula visits the expressions and quantifiers of f.
func (w *walker) formula(f *Formula) {
	if f.Op == OpAtom {
		w.operand(f.Expr)
		return
	}
	Walk(f, func(f *Formula) bool {
		if f.Quant != nil {
			w.quantified(f.Quant)
		}
		if f.Op == OpAtom {
			w.operand(f.Expr)
		}
		return true
	})
}

// operand visits e and its operands.
func (w *walker) operand(e *Expr) {
	if w.seen != nil && e.Aggregate != nil {
		if w.seen[e] {
			return
		}
		w.seen[e] = true
	}

	w.expr(e)
	if e.Past != nil {
		for _, cond := range e.Conds {
			w.formula(cond)
		}
	}
	args, counted := e.Args, e.Counted()
	if e.Aggregate != nil && (w.quantifier != nil || args == nil && counted == nil) {
		w.quantified(e.Quant)
		args, counted = e.body()
	}
	for _, arg := range args {
		w.operand(arg)
	}
	for _, f := range counted {
		w.formula(f)
	}
}

// quantified visits a quantifier and the condition of its domain, but not its body.
func (w *walker) quantified(q *Quantifier) {
	if w.quantifier == nil {
		return
	}
	w.quantifier(q)
	if q.Data != nil && q.Data.Where != nil {
		w.formula(q.Data.Where)
	}
}

// body returns the written body of an aggregate: an expression, or the formula of a count.
func (e *Expr) body() ([]*Expr, []*Formula) {
	if e.Form != nil {
		return nil, []*Formula{e.Form}
	}
	return []*Expr{e.Term}, nil
}

// Names returns the names of the variables and fields that occur in f, including the
// variables after having.
func Names(f *Formula) map[string]bool {
	names := map[string]bool{}
	named := func(q *Quantifier) {
		for _, name := range q.Having {
			names[name.Text] = true
		}
		if q.Data != nil {
			for _, name := range q.Data.Fields {
				names[name.Text] = true
			}
		}
	}
	variable := func(e *Expr) {
		switch e.Op {
		case ExprVar, ExprField, ExprHas, ExprOf:
			names[e.Text] = true
		}
	}
	(&walker{expr: variable, quantifier: named}).formula(f)
	return names
}

// OfEvents reports whether f reads the labels or ids of single events, and whether it reads their
// times.
func OfEvents(f *Formula) (names, times bool) {
	w := &walker{quantifier: func(*Quantifier) {}, expr: func(e *Expr) {
		switch {
		case isOwnTime(e), e.Op == ExprHas && e.Text == "@time", isTime(e), e.Op.isBounded():
			times = true
		case e.Op == ExprOwn && e.Text != "process":
			names = true
		}
	}}
	w.formula(f)
	return names, times
}

// UsesTransit reports whether f counts messages in transit.
func UsesTransit(f *Formula) bool {
	return Mentions(f, func(e *Expr) bool { return e.Op == ExprTransit })
}

// UsesKnowledge reports whether f, as written, is about the knowledge of a process.
func UsesKnowledge(f *Formula) bool {
	return Mentions(f, func(e *Expr) bool { return e.Op == ExprKnows })
}

// boundNames returns the names in the expression itself, without its operands, that may be bound.
func (e *Expr) boundNames() []Name {
	switch e.Op {
	case ExprVar, ExprOnce, ExprEvents, ExprBetween, ExprKnows:
		return []Name{e.Process}
	case ExprValue:
		return []Name{{Text: e.Text}}
	case ExprHappened, ExprBefore, ExprOf:
		return []Name{e.Event, e.Other}
	case ExprTransit:
		return []Name{e.From, e.To}
	}
	return nil
}

// Connect returns the test of a Boolean operator, given the tests of its operands; nil for any other
// operator. Closures are faster than a walk over the formula for each evaluation.
func Connect[T any](op Op, subs []func(T) bool) func(T) bool {
	switch op {
	case OpTrue, OpFalse:
		return func(T) bool { return op == OpTrue }
	case OpNot:
		return func(x T) bool { return !subs[0](x) }
	case OpImplies:
		return func(x T) bool { return !subs[0](x) || subs[1](x) }
	case OpIff:
		return func(x T) bool { return subs[0](x) == subs[1](x) }
	case OpAnd, OpOr:
		// One operand decides: a true one for ||, a false one for &&.
		decides := op == OpOr
		return func(x T) bool {
			for _, sub := range subs {
				if sub(x) == decides {
					return decides
				}
			}
			return !decides
		}
	}
	return nil
}

// IsTemporal reports whether the operator quantifies over runs.
func (op Op) IsTemporal() bool { return op >= OpEX && op <= OpAW }

// IsExistential reports whether the operator at the root of f is existential: EX, EF,
// EG, E[U], E[R] or E[W].
func IsExistential(f *Formula) bool {
	return f.Op.IsTemporal() && (f.Op-OpEX)%2 == 0 // E and A take turns
}

// Goal returns the formula that holds at the end of a witness run of f, such as g for
// E[h U g]. The operator of f must be existential. A witness of R or W need not reach the goal,
// and EG has none: Goal returns nil.
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

// HasNext reports whether EX or AX occurs in f, which count single events.
func HasNext(f *Formula) bool {
	return Find(f, func(f *Formula) bool { return f.Op == OpEX || f.Op == OpAX }) != nil
}

// Conjuncts returns the operands of a conjunction, with nested conjunctions
// flattened. For any other formula, it returns that formula alone.
func Conjuncts(f *Formula) []*Formula { return operands(OpAnd, nil, f) }

// Alternatives returns the operands of a disjunction, with nested disjunctions
// flattened. For any other formula, it returns that formula alone.
func Alternatives(f *Formula) []*Formula { return operands(OpOr, nil, f) }

// operands appends to list the flattened operands of f if its operator is op, otherwise f itself.
func operands(op Op, list []*Formula, f *Formula) []*Formula {
	if f.Op != op {
		return append(list, f)
	}
	for _, sub := range f.Sub {
		list = operands(op, list, sub)
	}
	return list
}

// Temporal returns the first subformula of f, in the order of Walk, with a temporal operator; nil if
// there is none.
func Temporal(f *Formula) *Formula {
	return Find(f, func(f *Formula) bool { return f.Op.IsTemporal() })
}

// IsPropositional reports whether f has no temporal operator, so that one cut
// decides it.
func IsPropositional(f *Formula) bool { return Temporal(f) == nil }

// Equal reports whether f and g are the same formula, regardless of their
// positions and of the results of Resolve. Its time complexity is O(|f|+|g|).
func (f *Formula) Equal(g *Formula) bool {
	if f == g || f.Op != g.Op || len(f.Sub) != len(g.Sub) {
		return f == g
	}
	if f.Op == OpAtom {
		return f.Expr.Equal(g.Expr)
	}
	var interner Interner
	return interner.Same(f) == interner.Same(g)
}

// Equal reports whether e and g are the same expression, regardless of their
// positions and of the results of Resolve.
func (e *Expr) Equal(g *Expr) bool {
	switch {
	case e == g:
		return true
	case e.head() != g.head() || !slices.Equal(e.Rel, g.Rel):
		return false
	case e.Aggregate != nil || e.Past != nil: // compared by their written form
		return e.String() == g.String()
	}
	return slices.EqualFunc(e.Args, g.Args, (*Expr).Equal)
}

// AboutCuts reports whether f is about single cuts alone: EF p, AG p and the like.
func AboutCuts(f *Formula) bool {
	if f.Op == OpEF || f.Op == OpAG {
		f = f.Sub[0]
	}
	if f.Op == OpNot || f.Op == OpForall || f.Op == OpExists {
		return AboutCuts(f.Sub[0])
	}
	return IsPropositional(f)
}
