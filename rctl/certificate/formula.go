package certificate

import (
	"errors"
	"iter"
	"math"
	"slices"
	"sort"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Node is a formula as the rules see it: ! is nowhere but in atoms, EF q is E[true U q],
// EG p is E[false R p], E[p W q] is E[q R p || q], and likewise for A.
type Node struct {
	ID      int       // even, and the next number is the negation's
	Op      syntax.Op // OpAtom, OpAnd, OpOr, OpEX, OpAX, OpEU, OpAU, OpER or OpAR
	Sub     []*Node
	Not     *Node
	Formula *syntax.Formula // what it says
	Expr    *syntax.Expr    // of OpAtom: it, or its negation if the ID is odd

	// Of [p U q], p || q and q; of [q R p], p and q && p: what holds along a run that
	// shows the formula, and what at its end, unless for R the run is a whole one.
	Along, Goal *Node

	Truth func(graphs.Cut) bool // nil if there is a temporal operator

	reads []*source      // what can change the truth
	helps []*source      // of an atom, what can make it true
	sum   []*syntax.Expr // of a bound on whole numbers of several chains, the left side minus the right one
}

// form makes the node of a resolved formula. IDs depend on the formula and the trace alone.
func (k *Checker) form(f *syntax.Formula) *Node {
	n := k.done[f]
	if n != nil {
		return n
	}
	sub := make([]*Node, len(f.Sub))
	for i := range sub {
		sub[i] = k.form(f.Sub[i])
	}
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
		n = k.node(syntax.OpOr, k.node(syntax.OpAnd, sub[0], sub[1]), k.node(syntax.OpAnd, sub[0].Not, sub[1].Not))
		if n.Truth != nil { // each side once: <-> may be nested
			n.evaluate(n.reads, func(c graphs.Cut) bool { return sub[0].Truth(c) == sub[1].Truth(c) })
		}
	case syntax.OpEF, syntax.OpAF:
		n = k.node(f.Op-syntax.OpEF+syntax.OpEU, k.falsehood.Not, sub[0])
	case syntax.OpEG, syntax.OpAG:
		n = k.node(f.Op-syntax.OpEG+syntax.OpER, k.falsehood, sub[0])
	case syntax.OpEW, syntax.OpAW:
		n = k.node(f.Op-syntax.OpEW+syntax.OpER, sub[1], k.node(syntax.OpOr, sub[0], sub[1]))
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
	syntax.OpEU: syntax.OpAR, syntax.OpAR: syntax.OpEU, syntax.OpAU: syntax.OpER, syntax.OpER: syntax.OpAU,
}

// node makes a node and its negation.
func (k *Checker) node(op syntax.Op, sub ...*Node) *Node {
	n := &Node{ID: k.nodes, Op: op, Sub: sub}
	n.Not = &Node{ID: k.nodes + 1, Op: opposite[op], Not: n}
	k.nodes += 2
	reads, values, any := []*source(nil), op == syntax.OpAnd || op == syntax.OpOr, op == syntax.OpOr
	for _, s := range sub {
		n.Not.Sub = append(n.Not.Sub, s.Not)
		reads, values = append(reads, s.reads...), values && s.Truth != nil
	}
	if values {
		n.evaluate(reads, func(c graphs.Cut) bool {
			return slices.ContainsFunc(sub, func(s *Node) bool { return s.Truth(c) == any }) == any
		})
	}
	for _, n := range []*Node{n, n.Not} {
		n.Formula = &syntax.Formula{Op: n.Op}
		for _, s := range n.Sub {
			n.Formula.Sub = append(n.Formula.Sub, s.Formula)
		}
		switch n.Op {
		case syntax.OpEU, syntax.OpAU:
			if n.Along, n.Goal = n.Sub[0], n.Sub[1]; n.Along != k.falsehood.Not {
				n.Along = k.node(syntax.OpOr, n.Along, n.Goal)
			}
		case syntax.OpER, syntax.OpAR:
			if n.Goal, n.Along = n.Sub[0], n.Sub[1]; n.Goal != k.falsehood {
				n.Goal = k.node(syntax.OpAnd, n.Goal, n.Along)
			}
		}
	}
	return n
}

// evaluate says how to find the truth of a node, and that of its negation.
func (n *Node) evaluate(reads []*source, truth func(graphs.Cut) bool) {
	n.Truth, n.Not.Truth = truth, func(c graphs.Cut) bool { return !truth(c) }
	for _, n := range []*Node{n, n.Not} {
		n.reads, n.helps = reads, reads
	}
}

// String returns the formula.
func (n *Node) String() string { return n.Formula.Brief(200) }

// A source is what an atom reads of a chain: a variable or, where variable is nil, how many
// messages one end of a channel has sent or received. The chain is that of a process or,
// where process is graphs.Shared, of the variable.
type source struct {
	process  int
	events   []graphs.Event
	variable *graphs.Variable
	last     int // what count has found
}

// oneChain reports whether no two sources are of different chains.
func oneChain(of []*source) bool {
	return !slices.ContainsFunc(of, func(s *source) bool {
		return s.process != of[0].process || s.process == graphs.Shared && s.variable != of[0].variable
	})
}

// count returns how many of the source's events are in a cut: they are its first ones.
// The last answer is mostly near the next.
func (k *Checker) count(s *source, c graphs.Cut) int {
	in := func(i int) bool { return i < len(s.events) && k.comp.Has(c, s.events[i]) }
	if in(s.last) {
		s.last++
	}
	if in(s.last) || s.last > 0 && !in(s.last-1) {
		s.last = sort.Search(len(s.events), func(i int) bool { return !in(i) })
	}
	return s.last
}

// chain goes along the chain of some sources from c on: first with c and ⊥, then with each
// event at which one of them changes, and a set of events that has it and no later one.
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
	part := func(i int, rel syntax.Relop) *Node {
		p := new(*e)
		p.Args, p.Rel = e.Args[i:i+2], []syntax.Relop{rel}
		return k.atom(p)
	}
	if len(e.Rel) > 1 {
		var all []*Node
		for i, rel := range e.Rel {
			all = append(all, part(i, rel))
		}
		return k.node(syntax.OpAnd, all...)
	}
	n := k.node(syntax.OpAtom)
	n.evaluate(k.reads(e), func(c graphs.Cut) bool { return k.value(e, c).Bool() })
	n.Formula = syntax.AsAtom(e)
	n.Not.Formula, n.Expr, n.Not.Expr = syntax.Not(n.Formula), e, e
	if e.Op != syntax.ExprCompare || e.Args[0].Type != syntax.NumberType || oneChain(n.reads) {
		return n
	}
	switch e.Rel[0] {
	case syntax.Equal:
		return k.node(syntax.OpAnd, part(0, syntax.LessEqual), part(0, syntax.GreaterEqual))
	case syntax.NotEqual:
		return k.node(syntax.OpOr, part(0, syntax.Less), part(0, syntax.Greater))
	}
	k.bound(n, k.parts(&syntax.Expr{Op: syntax.ExprSub, Args: e.Args}))
	return n
}

// exact bounds numbers of which all sums are exact if they are whole, and keep the order if
// they are rounded.
const exact = 1 << 52

// bound finds out what raises a sum, which is the left side of n minus the right one, and what
// lowers it.
func (k *Checker) bound(n *Node, sum []*syntax.Expr) {
	var raise, lower []*source
	size, whole := 0., true
	for _, part := range sum {
		reads, before, raises, lowers := k.reads(part), graphs.Int(0), false, false
		for e, d := range k.chain(reads, k.comp.Initial()) {
			x := k.value(part, d)
			size += math.Abs(x.Float64() - before.Float64())
			if !oneChain(reads) || x.Kind != graphs.Number || !(size <= exact) {
				return
			}
			if order := x.Compare(before); e != graphs.Bottom {
				raises, lowers = raises || order > 0, lowers || order < 0
			}
			before, whole = x, whole && !x.Float
		}
		if raises {
			raise = append(raise, reads...)
		}
		if lowers {
			lower = append(lower, reads...)
		}
	}
	if n.helps, n.Not.helps = raise, lower; n.Expr.Rel[0].Relates(-1) {
		n.helps, n.Not.helps = lower, raise
	}
	if whole {
		n.sum, n.Not.sum = sum, sum
	}
}

// parts lists expressions the sum of which is e, of one chain each where there are such.
func (k *Checker) parts(e *syntax.Expr) (all []*syntax.Expr) {
	minus := func(e *syntax.Expr) *syntax.Expr { return &syntax.Expr{Op: syntax.ExprNeg, Args: []*syntax.Expr{e}} }
	switch e.Op {
	case syntax.ExprSub:
		return append(k.parts(e.Args[0]), k.parts(minus(e.Args[1]))...)
	case syntax.ExprNeg:
		for _, part := range k.parts(e.Args[0]) {
			all = append(all, minus(part))
		}
	case syntax.ExprAdd, syntax.ExprSum:
		for _, arg := range e.Args {
			all = append(all, k.parts(arg)...)
		}
	case syntax.ExprCount:
		for i := range e.Sub {
			all = append(all, &syntax.Expr{Op: e.Op, Sub: e.Sub[i : i+1]})
		}
	case syntax.ExprTransit:
		sent, received := &syntax.Expr{Op: e.Op}, &syntax.Expr{Op: e.Op}
		k.sources[sent], k.sources[received] = k.sources[e][:1], k.sources[e][1:]
		return []*syntax.Expr{sent, minus(received)}
	default:
		return []*syntax.Expr{e}
	}
	return all
}

// reads lists what expressions read.
func (k *Checker) reads(of ...*syntax.Expr) (all []*source) {
	for _, e := range of {
		switch {
		case k.sources[e] != nil:
		case e.Op == syntax.ExprVar: // of which there is one
			v := k.comp.Variable(e.Owner, e.Text)
			if v == nil || v.Skipped() {
				panic(stop{errors.New("the values of " + e.String() + " were not read")})
			}
			k.sources[e] = []*source{{process: v.Process, events: v.Events(), variable: v}}
		case e.Op == syntax.ExprTransit:
			sends, receives := k.comp.Channel(e.FromID, e.ToID)
			k.sources[e] = []*source{{process: e.FromID, events: sends}, {process: e.ToID, events: receives}}
		}
		all = append(append(all, k.sources[e]...), k.reads(e.Args...)...)
		for _, f := range e.Sub {
			all = append(all, k.form(f).reads...)
		}
	}
	return all
}

// value evaluates a resolved expression at a cut. Package graphs adds and multiplies.
func (k *Checker) value(e *syntax.Expr, c graphs.Cut) graphs.Value {
	switch e.Op {
	case syntax.ExprNumber:
		if e.IsFloat {
			return graphs.Float(e.Float)
		}
		return graphs.Int(e.Int)
	case syntax.ExprString:
		return graphs.Str(e.Text)
	case syntax.ExprBool:
		return graphs.Boolean(e.Bool)
	case syntax.ExprVar:
		s := k.sources[e][0]
		return s.variable.Value(k.count(s, c) - 1)
	case syntax.ExprCompare:
		x, y, rel := k.value(e.Args[0], c), k.value(e.Args[1], c), e.Rel[0]
		if x.Kind == graphs.Number {
			return graphs.Boolean(rel.Relates(x.Compare(y)))
		}
		return graphs.Boolean(x.Equal(y) == (rel == syntax.Equal))
	}
	x := graphs.Int(0)
	for i, s := range k.sources[e] { // what was sent, less what was received
		x = x.Add(graphs.Int(int64(k.count(s, c) * (1 - 2*i))))
	}
	for _, f := range e.Sub {
		if k.form(f).Truth(c) {
			x = x.Add(graphs.Int(1))
		}
	}
	for i, arg := range e.Args {
		y := k.value(arg, c)
		switch order := y.Compare(x); {
		case e.Op == syntax.ExprNeg || e.Op == syntax.ExprSub && i > 0:
			x = x.Sub(y)
		case i == 0 || e.Op == syntax.ExprMin && order < 0 || e.Op == syntax.ExprMax && order > 0:
			x = y
		case e.Op == syntax.ExprMul:
			x = x.Mul(y)
		case e.Op == syntax.ExprAdd || e.Op == syntax.ExprSum:
			x = x.Add(y)
		}
	}
	return x
}
