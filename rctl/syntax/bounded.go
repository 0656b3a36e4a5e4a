package syntax

import (
	"math/big"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/clocks"
	"github.com/pota-project/pota/rctl/internal/abort"
)

// This file has the part of the language about durations. A bound may stand in three places:
//
//	AG(p -> AF[<= 5s] q)    whenever p becomes true, q is true then or within 5 s
//	EF[>= 5s](p && q)       at some time both are true for 5 s
//	p lasts <= 5s           no stretch of time with p is longer
//
// Each of them is about the whole trace: it is true or false, or depends on clocks. Hence they are
// atoms outside of temporal operators: joined by Boolean connectives, and under quantifiers. Other
// uses of a bound are refused, with a hint for what to write instead.
//
// Example: AG(forall r in values(req): recv(r) -> AF[<= 5s] done(r)) is read as
//
//	forall r in values(req): AG(recv(r) -> AF[<= 5s] done(r))
//
// because AG commutes with forall; the result has one atom for each r.

// isBounded reports whether the operator has a bound on time.
func (op ExprOp) isBounded() bool { return op >= ExprWithin }

// HasBounds reports whether f, as written, has a bound on time, such as AF[<= 5s].
func HasBounds(f *Formula) bool {
	return Mentions(f, func(e *Expr) bool { return e.Op.isBounded() })
}

// lasts is the word between a predicate and the bound on its duration.
const lasts = "lasts"

// atBound reports whether the bound of a temporal operator follows.
func (p *parser) atBound() bool {
	next := p.peek(1).kind
	return p.tok().kind == "[" && (next == tokRelop || next == tokDuration)
}

// bounded parses the text after a temporal operator: "[" relop duration "]" unary.
func (p *parser) bounded(at token) node {
	open := p.advance()
	rel := p.tok()
	upper := rel.rel == LessEqual || rel.rel == Less
	switch {
	case at.op == OpEX || at.op == OpAX:
		p.fail(open, "of how long p takes, write AG(… -> AF[<= 5s] p)",
			"%s counts events, and a step has no bound on time", at.op)
	case at.op == OpEG || at.op == OpAG:
		p.fail(open, "how long p lasts is written p lasts >= 5s", "%s takes no bound", at.op)
	case rel.kind != tokRelop:
		p.fail(rel, "as in "+at.op.String()+"[<= "+rel.text+"]",
			"a bound begins with <=, <, >= or >")
	case at.op == OpAF && !upper:
		p.fail(rel, "as in AG(p -> AF[<= 5s] q); that nothing happens before is written (!q) lasts >= 5s", "AF takes an upper bound")
	case at.op == OpEF && rel.rel != GreaterEqual && rel.rel != Greater:
		p.fail(rel, "as in EF[>= 5s](p && q); what happens in time is written AG(p -> AF[<= 5s] q)",
			"EF takes a lower bound: for how long")
	}
	op := ExprTogether
	if at.op == OpAF {
		op = ExprWithin
	}
	e := p.boundedBy(op, at)
	p.closed("]", open)
	return p.over(e, at, p.unary())
}

// atLasts reports whether a bound on the duration of a predicate follows.
func (p *parser) atLasts() bool {
	t := p.tok()
	return t.kind == tokName && t.text == lasts && p.peek(1).kind == tokRelop
}

// lasts parses the text after a predicate: "lasts" relop duration.
func (p *parser) lasts(operand node) node {
	at := p.advance()
	p.aboutEvent(at)
	if rel := p.tok().rel; rel == Equal || rel == NotEqual {
		p.fail(p.tok(), "as in p lasts <= 5s", "a bound has one of <=, <, >= and >")
	}
	n := p.over(p.boundedBy(ExprLasts, at), at, operand)
	n.start, n.open = operand.open, operand.open
	return n
}

// boundedBy parses a bound: relop duration.
func (p *parser) boundedBy(op ExprOp, at token) *Expr {
	p.bounds = true
	rel := p.advance()
	first := p.tok()
	d := p.sum().e
	switch {
	case d == nil || d.Op != ExprNumber || d.Text == "":
		p.fail(first, "write "+clip(first.text)+"s, or another of the units ns, us, ms, s, m and h",
			"a bound is a duration, such as 5s")
	case !new(big.Rat).Mul(d.Seconds(), big.NewRat(1e9, 1)).IsInt():
		p.fail(first, "", "a bound is a whole number of nanoseconds")
	}
	e := newExpr(op, at.pos, d)
	e.Rel, e.Past = []Relop{rel.rel}, new(Past)
	return e
}

// over gives a bounded operator its operand.
func (p *parser) over(e *Expr, at token, operand node) node {
	operand = p.formula(operand)
	e.Conds = []*Formula{operand.f}
	return p.grown(node{e: e, start: at.pos, open: at.pos}, at, operand)
}

// alwaysOf returns AG f with the bounds in f moved to the front, because AG commutes with forall and
// with &&. Bounds that cannot be moved stay inside, and are refused later.
func alwaysOf(pos int, f *Formula) *Formula {
	if within := Mentions(f, func(e *Expr) bool { return e.Op == ExprWithin }); within {
		switch {
		case f.Op == OpForall || f.Op == OpAnd:
			return f.with(func(sub *Formula) *Formula { return alwaysOf(pos, sub) })
		case f.Op == OpImplies && isAtomOf(f.Sub[1], ExprWithin) && !HasBounds(f.Sub[0]):
			e := new(*f.Sub[1].Expr)
			e.Op = ExprResponse
			e.Past = &Past{Conds: []*Formula{f.Sub[0], e.Conds[0]}}
			e.Pos = pos
			return AsAtom(e)
		}
	}
	return New(OpAG, pos, f)
}

// checkBounds refuses bounds about single cuts, below a temporal operator. around is the innermost
// enclosing one, OpTrue if there is none.
func (p *parser) checkBounds(f *Formula, around Op) {
	if f.Op != OpAtom {
		if f.Op.IsTemporal() {
			around = f.Op
		}
		for _, sub := range f.Sub {
			p.checkBounds(sub, around)
		}
		return
	}
	WalkExpr(f.Expr, func(e *Expr) {
		switch {
		case !e.Op.isBounded():
		case e.Op == ExprWithin:
			p.failAt(e.Pos, "AG(AF[<= 5s] q) is written (!q) lasts <= 5s, and what is joined to it by && or || stands in an AG of its own",
				"AF with a bound stands behind an implication under AG, as in AG(p -> AF[<= 5s] q)")
		case e != f.Expr:
			p.failAt(e.Pos, "bring it to the front",
				"%s is about the whole trace, and stands in no other expression", e)
		case around != OpTrue:
			p.failAt(e.Pos, "without "+around.String()+" it says the same",
				"%s is about the whole trace, and stands under no temporal operator", e)
		default:
			p.checkPredicates(e)
		}
	})
}

// checkPredicates refuses operands of bounded operators that are not about single cuts.
func (p *parser) checkPredicates(e *Expr) {
	for _, cond := range e.Conds {
		if temporal := Temporal(cond); temporal != nil {
			p.failAt(temporal.Pos, "name the states: once(…), between(…)@P, a variable",
				"a bound is about how long a state takes, but %s is about runs", temporal.Op)
		}
	}
	if e.Args[0].Seconds().Sign() != 0 {
		return
	}
	switch e.Rel[0] {
	case GreaterEqual:
		p.failAt(e.Pos, "that p is true at some time is written EF(p)", "every state lasts at least 0 s")
	case Less:
		p.failAt(e.Pos, "at once is written <= 0s", "nothing takes less than 0 s")
	}
}

// A Span is the least and the most time that something takes, as far as clocks determine it.
type Span struct {
	Least, Most Took
}

// A Took is a duration between two events.
type Took struct {
	Seconds  *big.Rat     // the duration; nil if it is unbounded
	Below    bool         // whether Seconds is nil because there is no lower bound
	From, To graphs.Event // the events; ⊥ for the beginning and the end of the trace
	// Began is the time of From, in seconds; nil if From or To is ⊥, or Seconds is nil.
	Began *big.Rat
}

// boundedAtom resolves an operator with a bound to a truth value.
func (r *resolver) boundedAtom(f *Formula) *Formula {
	e := f.Expr
	m := &Margin{Rel: e.Rel[0], Bound: e.Args[0].Seconds()}
	switch upper := m.Rel == LessEqual || m.Rel == Less; {
	case e.Op == ExprResponse:
		m.What = Slowest
	case upper || e.Op == ExprTogether:
		m.What = Longest
	default:
		m.What = Shortest
	}
	var all []clocks.History
	for _, cond := range e.Conds {
		parts := []*Formula{cond}
		if m.What == Longest {
			parts = Conjuncts(cond)
		}
		for _, part := range parts {
			all = append(all, r.histories(part, m.What == Longest)...)
		}
	}
	span, err := r.events.Measure(m.What, all)
	if err != nil {
		panic(r.errorf(e.Pos, "", "%s", err))
	}
	g := r.judge(m, span, f)
	// A bound on states that never begin is neither near nor far.
	begins := m.What == Longest && !slices.ContainsFunc(all, clocks.History.Never)
	if !begins && span.Most.From == 0 && span.Most.To == 0 {
		g.margin = nil
	}
	return g
}

// histories returns the history of a predicate or, if split is set, of each of its conjuncts.
func (r *resolver) histories(f *Formula, split bool) []clocks.History {
	// There may be many requests, and once(c) needs no column.
	if f.Op == OpAtom && f.Expr.Op == ExprOnce {
		return []clocks.History{r.first(f.Expr, r.satisfying(f.Expr.Conds[0]))}
	}
	g := r.formulaOf(either, f)
	parts := []*Formula{g}
	if split {
		parts = Conjuncts(NNF(g))
	}
	return Mapped(parts, func(part *Formula) clocks.History {
		h, ok, err := r.events.History(part)
		switch {
		case err != nil:
			panic(abort.Error{Err: err})
		case !ok:
			panic(r.errorf(firstAt(f), "name the process, as in x@P1 or once(…)@P1, or bind it by forall",
				"a bound is about states of one process, or of events that causality orders: %s is about several", f))
		}
		return h
	})
}

// firstAt returns the position of the first atom or negation in a formula.
func firstAt(f *Formula) int {
	for len(f.Sub) > 0 && f.Op != OpNot {
		f = f.Sub[0]
	}
	return f.Pos
}

// first returns the history of once(c), given the events that satisfy c.
func (r *resolver) first(e *Expr, events []graphs.Event) clocks.History {
	process := unbound
	if e.Process.Text != "" {
		process = r.process(e.Process)
	}
	last := unbound
	var first []graphs.Event
	for _, event := range events {
		// Events are ordered by process, and only the first of each process matters.
		p := r.events.ProcessOf(event)
		if p != last && (process == unbound || p == process) {
			first = append(first, event)
		}
		last = p
	}
	if len(first) <= 1 {
		return clocks.History{Flips: first}
	}
	return clocks.History{First: slices.Clip(first)}
}

// judge compares a duration with its bound, and returns the truth value with its margin.
func (r *resolver) judge(m *Margin, span Span, f *Formula) *Formula {
	best, worst := span.Least, span.Most
	if m.Rel.Relates(1) {
		best, worst = worst, best
	}
	if r.events.Believed() {
		best = worst // Least and Most may differ if clocks contradict the trace
	}
	met := m.of(best)
	sure := met == m.of(worst)
	if !sure {
		met = r.open(f)
	}
	// The margin has the time nearest to the bound or, if clocks leave the truth open, the time that
	// gives met.
	if m.Took = best; met == sure {
		m.Took = worst
	}
	g := decided(met, f.Pos)
	g.margin = m
	return g
}
