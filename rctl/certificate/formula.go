package certificate

import (
	"errors"
	"iter"
	"math"
	"slices"
	"sort"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/abort"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Node is a formula as the rules see it. ! occurs only in atoms, and formulas about runs are p U q
// and p W q, where q implies p: EF q is E[true U q], EG p is E[p W false], E[p U q] is E[p || q U q],
// E[p W q] is E[p || q W q], and E[q R p] is E[p W q && p]; likewise for A.
type Node struct {
	ID          int       // even, and the next number is the negation's
	Op          syntax.Op // OpAtom, OpAnd, OpOr, OpEX, OpAX, OpEU, OpAU, OpEW or OpAW
	Sub         []*Node
	Not         *Node
	Formula     *syntax.Formula // the formula of the node
	Expr        *syntax.Expr    // for OpAtom: the atom, or its negation if the ID is odd
	Along, Goal *Node           // p and q; nil unless the formula is about runs
	// whether a cut satisfies the formula; nil if it has a temporal operator
	Truth func(graphs.Cut) bool
	reads []*source // the sources that can change the truth
	helps []*source // for an atom: the sources that can make it true
	// For a bound on whole numbers of several chains: the left side minus the right one, and 1 if the
	// atom says that this sum is large, -1 if it says that it is small.
	sum  []*term
	sign int64
}

// form makes the node of a resolved formula. IDs depend only on the formula and the trace.
func (k *Checker) form(f *syntax.Formula) *Node {
	if n := k.done[f]; n != nil {
		return n
	}
	n, sub := (*Node)(nil), syntax.Mapped(f.Sub, k.form)
	switch f.Op {
	case syntax.OpTrue:
		n = k.falsehood.Not
	case syntax.OpFalse:
		n = k.falsehood
	case syntax.OpAtom:
		n = k.atom(f.Expr)
	case syntax.OpNot:
		n = sub[0].Not
	case syntax.OpImplies:
		n = k.node(syntax.OpOr, sub[0].Not, sub[1])
	case syntax.OpIff:
		n = k.node(syntax.OpOr, k.node(syntax.OpAnd, sub...), k.node(syntax.OpAnd, sub[0].Not, sub[1].Not))
		if n.Truth != nil { // each side once: <-> may be nested
			n.evaluate(slices.Concat(sub[0].reads, sub[1].reads), func(c graphs.Cut) bool { return sub[0].Truth(c) == sub[1].Truth(c) })
		}
	case syntax.OpEF, syntax.OpAF:
		n = k.node(f.Op-syntax.OpEF+syntax.OpEU, k.falsehood.Not, sub[0])
	case syntax.OpEG, syntax.OpAG:
		n = k.node(f.Op-syntax.OpEG+syntax.OpEW, sub[0], k.falsehood)
	case syntax.OpEU, syntax.OpAU, syntax.OpEW, syntax.OpAW:
		n = k.node(f.Op, k.node(syntax.OpOr, sub...), sub[1])
	case syntax.OpER, syntax.OpAR:
		n = k.node(f.Op-syntax.OpER+syntax.OpEW, sub[1], k.node(syntax.OpAnd, sub...))
	default:
		n = k.node(f.Op, sub...)
	}
	if k.done[f] = n; f.Op.IsTemporal() { // as it was written
		n.Formula, n.Not.Formula = f, syntax.Not(f)
	}
	return n
}

var opposite = map[syntax.Op]syntax.Op{
	syntax.OpAtom: syntax.OpAtom, syntax.OpAnd: syntax.OpOr, syntax.OpOr: syntax.OpAnd, syntax.OpEX: syntax.OpAX, syntax.OpAX: syntax.OpEX,
	syntax.OpEU: syntax.OpAW, syntax.OpAW: syntax.OpEU, syntax.OpAU: syntax.OpEW, syntax.OpEW: syntax.OpAU,
}

// node makes a node and its negation. As q implies p, the negation of p U q is !q W !p, and vice
// versa.
func (k *Checker) node(op syntax.Op, sub ...*Node) *Node {
	n := &Node{ID: k.nodes, Op: op, Sub: sub, Formula: &syntax.Formula{Op: op}}
	n.Not = &Node{ID: k.nodes + 1, Op: opposite[op], Not: n, Formula: syntax.Not(n.Formula)}
	k.nodes += 2
	reads := []*source(nil)
	values := op == syntax.OpAnd || op == syntax.OpOr
	any := op == syntax.OpOr
	for _, s := range sub {
		n.Formula.Sub, n.Not.Sub = append(n.Formula.Sub, s.Formula), append(n.Not.Sub, s.Not)
		reads, values = append(reads, s.reads...), values && s.Truth != nil
	}

	if values {
		n.evaluate(reads, func(c graphs.Cut) bool {
			return slices.ContainsFunc(sub, func(s *Node) bool { return s.Truth(c) == any }) == any
		})
	}

	if op.IsTemporal() && len(sub) == 2 {
		slices.Reverse(n.Not.Sub)
		n.Along = sub[0]
		n.Goal = sub[1]
		n.Not.Along = sub[1].Not
		n.Not.Goal = sub[0].Not
	}

	return n
}

// evaluate sets the functions for the truth of a node and of its negation.
func (n *Node) evaluate(reads []*source, truth func(graphs.Cut) bool) {
	n.Truth, n.Not.Truth = truth, func(c graphs.Cut) bool { return !truth(c) }
	n.reads = reads
	n.helps = reads
	n.Not.reads = reads
	n.Not.helps = reads
}

// String returns the formula.
func (n *Node) String() string { return n.Formula.Brief(200) }

// A source is a value of a chain that an atom reads: a variable or, if variable is nil, how many messages
// one end of a channel has sent or received. The chain is that of the process or, if process is
// graphs.Shared, that of the variable.
type source struct {
	process  int
	events   []graphs.Event
	variable *graphs.Variable
	last     int // the last result of count
}

// oneChain reports whether no two sources are of different chains.
func oneChain(of []*source) bool {
	return !slices.ContainsFunc(of, func(s *source) bool {
		return s.process != of[0].process || s.process == graphs.Shared && s.variable != of[0].variable
	})
}

// count returns how many of the source's events are in a cut. These are the first ones. Usually the
// number is the last result or one more.
func (k *Checker) count(s *source, c graphs.Cut) int {
	in := func(i int) bool { return i < len(s.events) && k.comp.Has(c, s.events[i]) }
	if k.steps++; in(s.last) {
		s.last++
	}
	if in(s.last) || s.last > 0 && !in(s.last-1) {
		s.last = sort.Search(len(s.events), func(i int) bool { return !in(i) })
	}
	return s.last
}

// chain follows the chain of some sources from c on. It yields c with ⊥, and then each event that
// changes one of them, with a set of events in which this event is the last one on its process.
func (k *Checker) chain(of []*source, c graphs.Cut) iter.Seq2[graphs.Event, graphs.Cut] {
	return func(yield func(graphs.Event, graphs.Cut) bool) {
		d := c.Clone()
		for e := graphs.Bottom; e < k.comp.Top() && yield(e, d); {
			e = k.comp.Top()
			for _, s := range of {
				if i := k.count(s, d); i < len(s.events) {
					e = min(e, s.events[i])
				}
			}
			if e < k.comp.Top() {
				d[k.comp.Process(e)] = int32(k.comp.Position(e))
			}
		}
	}
}

// atom makes the node of a resolved Boolean expression. x < y < z is x < y && y < z and, of
// numbers of several chains, x == y is x <= y && x >= y.
func (k *Checker) atom(e *syntax.Expr) *Node {
	part := func(i int, rel ...syntax.Relop) *Node {
		p := new(*e)
		p.Args, p.Rel = e.Args[i:i+1+len(rel)], rel
		return k.atom(p)
	}

	if len(e.Rel) > 1 {
		return k.node(syntax.OpAnd, part(0, e.Rel[0]), part(1, e.Rel[1:]...))
	}
	n, t := k.node(syntax.OpAtom), k.term(e)
	n.evaluate(t.reads, func(c graphs.Cut) bool { return t.value(c).Bool() })
	n.Formula = syntax.AsAtom(e)
	n.Not.Formula = syntax.Not(n.Formula)
	n.Expr = e
	n.Not.Expr = e
	mixed := slices.ContainsFunc(t.sum, func(part *term) bool { return !oneChain(part.reads) })
	if mixed || e.Op != syntax.ExprCompare || e.Args[0].Type != syntax.NumberType || oneChain(n.reads) {
		return n
	}
	switch e.Rel[0] {
	case syntax.Equal:
		return k.node(syntax.OpAnd, part(0, syntax.LessEqual), part(0, syntax.GreaterEqual))
	case syntax.NotEqual:
		return k.node(syntax.OpOr, part(0, syntax.Less), part(0, syntax.Greater))
	}
	k.bound(n, t.sum)
	return n
}

// exact bounds sums: up to it, sums of whole numbers are exact, and others keep the order.
const exact = 1 << 52

// bound finds what raises and what lowers a sum of terms of one chain each: the left side of n minus
// the right one.
func (k *Checker) bound(n *Node, sum []*term) {
	var raise, lower []*source
	size, whole := 0., true
	for _, part := range sum {
		before := graphs.Int(0)
		rises := false
		falls := false
		for e, d := range k.chain(part.reads, k.comp.Initial()) {
			x := part.value(d)
			if size += math.Abs(x.Float64() - before.Float64()); !(size <= exact) {
				return
			}
			rises, falls = rises || e > graphs.Bottom && x.Compare(before) > 0, falls || e > graphs.Bottom && x.Compare(before) < 0
			before, whole = x, whole && !x.Float
		}
		if rises {
			raise = append(raise, part.reads...)
		}
		if falls {
			lower = append(lower, part.reads...)
		}
	}

	up, down := n, n.Not // the nodes that a greater and a smaller sum can make true
	if n.Expr.Rel[0].Relates(-1) {
		up, down = down, up
	}
	up.helps = raise
	down.helps = lower
	up.sign = 1
	down.sign = -1
	if whole {
		up.sum, down.sum = sum, sum
	}
}

// A term is an expression that can be evaluated, or a part of one.
type term struct {
	value func(graphs.Cut) graphs.Value
	reads []*source
	sum   []*term // the term is the sum of these, each of one chain if possible
}

// leaf makes a term that is not a sum of other terms.
func leaf(value func(graphs.Cut) graphs.Value, reads ...*source) *term {
	t := &term{value: value, reads: reads}
	t.sum = []*term{t}
	return t
}

// term makes the term of a resolved expression. Package graphs adds and multiplies.
func (k *Checker) term(e *syntax.Expr) *term {
	start := graphs.Int(e.Int)
	op := e.Op
	of := []*term(nil)
	number := func(s *source) *term {
		return leaf(func(c graphs.Cut) graphs.Value { return graphs.Int(int64(k.count(s, c))) }, s)
	}
	switch {
	case e.IsFloat:
		start = graphs.Float(e.Float)
	case op == syntax.ExprString:
		start = graphs.Str(e.Text)
	case op == syntax.ExprBool:
		start = graphs.Boolean(e.Bool)
	case op == syntax.ExprVar:
		v := k.comp.Variable(e.Owner, e.Text)
		if v.Skipped() {
			panic(abort.Error{Err: errors.New("the values of " + e.String() + " were not read")})
		}
		s := &source{process: v.Process, events: v.Events(), variable: v}
		return leaf(func(c graphs.Cut) graphs.Value { return v.Value(k.count(s, c) - 1) }, s)
	case op == syntax.ExprTransit: // the number of messages sent, minus the number received
		sends, receives := k.comp.Channel(e.FromID, e.ToID)
		of = []*term{number(&source{process: e.FromID, events: sends}), number(&source{process: e.ToID, events: receives})}
		op = syntax.ExprSub
	}

	for _, f := range e.Counted() {
		n := k.form(f)
		of = append(of, leaf(func(c graphs.Cut) graphs.Value {
			if n.Truth(c) {
				return graphs.Int(1)
			}
			return graphs.Int(0)
		}, n.reads...))
	}

	of = append(of, syntax.Mapped(e.Args, k.term)...)
	t := leaf(func(c graphs.Cut) graphs.Value {
		x := start
		for i, u := range of {
			switch y := u.value(c); {
			case op == syntax.ExprNeg || op == syntax.ExprSub && i > 0:
				x = x.Sub(y)
			case i == 0 || op == syntax.ExprMin && y.Compare(x) < 0 || op == syntax.ExprMax && y.Compare(x) > 0:
				x = y
			case op == syntax.ExprMul:
				x = x.Mul(y)
			case op == syntax.ExprCompare && (x.Kind == graphs.Number || y.Kind == graphs.Number):
				// one without a type is 0
				x = graphs.Boolean(e.Rel[0].Relates(x.Compare(y)))
			case op == syntax.ExprCompare:
				x = graphs.Boolean(x.Equal(y) == (e.Rel[0] == syntax.Equal))
			case op == syntax.ExprAdd || op == syntax.ExprSum || op == syntax.ExprCount:
				x = x.Add(y)
			}
		}
		return x
	})
	var sum []*term
	for i, u := range of {
		t.reads = append(t.reads, u.reads...)
		for _, part := range u.sum {
			if less := part; op == syntax.ExprNeg || i > 0 && (op == syntax.ExprSub || op == syntax.ExprCompare) {
				part = leaf(func(c graphs.Cut) graphs.Value { return graphs.Int(0).Sub(less.value(c)) }, less.reads...)
			}
			sum = append(sum, part)
		}
	}

	if op != syntax.ExprMul && op != syntax.ExprMin && op != syntax.ExprMax && of != nil {
		t.sum = sum
	}
	return t
}
