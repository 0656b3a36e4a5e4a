package certificate

import (
	"cmp"
	"errors"
	"slices"
	"sort"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// A chain is a total order of events: those of a process or, where variable is not nil,
// those that assign a shared variable.
type chain struct {
	process  int
	variable *graphs.Variable
}

// A source is what an atom reads of a chain: a variable or, where variable is nil, how
// many messages one end of a channel has sent or received.
type source struct {
	chain    chain
	events   []graphs.Event
	variable *graphs.Variable
	last     int // what count has found
}

// count returns how many of the source's events are in a cut: they are its first ones.
// The last answer is mostly near the next.
func (k *Checker) count(s *source, c graphs.Cut) int {
	in := func(i int) bool { return i < len(s.events) && k.has(c, s.events[i]) }
	if in(s.last) {
		s.last++
	}
	if in(s.last) || s.last > 0 && !in(s.last-1) {
		s.last = sort.Search(len(s.events), func(i int) bool { return !in(i) })
	}
	return s.last
}

// after returns the value after the first n events.
func (s *source) after(n int) graphs.Value {
	if s.variable == nil {
		return graphs.Int(int64(n))
	}
	return s.variable.Value(n - 1)
}

// next returns the first event after a cut at which one of some sources of one chain
// changes, ⊥ if there is none.
func (k *Checker) next(of []*source, c graphs.Cut) graphs.Event {
	first := graphs.Bottom
	for _, s := range of {
		if i := k.count(s, c); i < len(s.events) && (first == graphs.Bottom || s.events[i] < first) {
			first = s.events[i]
		}
	}
	return first
}

// atom makes the node of a resolved Boolean expression.
func (k *Checker) atom(e *syntax.Expr) (n *Node) {
	switch {
	case k.atoms[e] != nil:
		return k.atoms[e]
	case e.Op == syntax.ExprBool:
		return k.constant(e.Bool)
	case e.Op != syntax.ExprCompare:
		var reads []*source
		value := k.term(e, &reads)
		n = k.leaf(e, reads, func(c graphs.Cut) bool { return value(c).Bool() })
	default:
		var parts []*Node
		for i, rel := range e.Rel {
			compare := func(rel syntax.Relop) *Node {
				part := new(*e)
				part.Args, part.Rel = e.Args[i:i+2], []syntax.Relop{rel}
				return k.comparison(part)
			}
			part := compare(rel)
			switch { // x == y is x <= y && x >= y
			case part.one || e.Args[i].Type != syntax.NumberType:
			case rel == syntax.Equal:
				part = k.node(syntax.OpAnd, compare(syntax.LessEqual), compare(syntax.GreaterEqual))
			case rel == syntax.NotEqual:
				part = k.node(syntax.OpOr, compare(syntax.Less), compare(syntax.Greater))
			}
			parts = append(parts, part)
		}
		if n = parts[0]; len(parts) > 1 {
			n = k.node(syntax.OpAnd, parts...)
		}
	}
	k.atoms[e] = n
	return n
}

// comparison makes the node of a comparison of two sides.
func (k *Checker) comparison(e *syntax.Expr) *Node {
	var reads []*source
	x, y, rel := k.term(e.Args[0], &reads), k.term(e.Args[1], &reads), e.Rel[0]
	n := k.leaf(e, reads, func(c graphs.Cut) bool {
		a, b := x(c), y(c)
		return a.Kind == graphs.Number && rel.Relates(a.Compare(b)) || a.Kind != graphs.Number && a.Equal(b) == (rel == syntax.Equal)
	})
	slopes, terms := map[chain]int{}, 0
	if rel.Relates(-1) != rel.Relates(1) && k.slope(e.Args[0], 1, slopes, &terms) && k.slope(e.Args[1], -1, slopes, &terms) {
		n.steady, n.Not.steady = true, true
		for h, up := range slopes { // left minus right grows with h, or shrinks
			m := n
			if (up > 0) != rel.Relates(1) {
				m = n.Not
			}
			m.helps = append(m.helps, h)
		}
	}
	return n
}

// slope finds for each chain that e reads whether sign times its value only grows or only
// shrinks along it. It is not ok where neither is so of some, where e is more than sums
// and differences, or where numbers are so large that rounding could change their order.
func (k *Checker) slope(e *syntax.Expr, sign int, of map[chain]int, terms *int) bool {
	note := func(h chain, sign int) bool {
		before := of[h]
		of[h] = sign
		return before == 0 || before == sign
	}
	small := func(x graphs.Value) bool {
		return x.Kind == graphs.Number && x.Float64() >= -1<<40 && x.Float64() <= 1<<40
	}
	if *terms++; *terms > 1<<12 {
		return false
	}
	switch e.Op {
	case syntax.ExprNumber:
		return small(k.term(e, nil)(nil))
	case syntax.ExprTransit:
		return note(chain{process: e.FromID}, sign) && note(chain{process: e.ToID}, -sign)
	case syntax.ExprVar:
		s, order := k.variable(e), 0
		for i := range len(s.events) {
			x, y := s.after(i), s.after(i+1)
			if !small(x) || !small(y) || order*y.Compare(x) < 0 {
				return false
			}
			order = cmp.Or(order, y.Compare(x))
		}
		return small(s.after(0)) && note(s.chain, sign*cmp.Or(order, 1))
	case syntax.ExprNeg:
		return k.slope(e.Args[0], -sign, of, terms)
	case syntax.ExprSub:
		return k.slope(e.Args[0], sign, of, terms) && k.slope(e.Args[1], -sign, of, terms)
	case syntax.ExprAdd, syntax.ExprSum:
		return !slices.ContainsFunc(e.Args, func(a *syntax.Expr) bool { return !k.slope(a, sign, of, terms) })
	}
	return false
}

// A term is an expression, ready to be evaluated.
type term func(graphs.Cut) graphs.Value

// term compiles an expression and adds what it reads to reads.
func (k *Checker) term(e *syntax.Expr, reads *[]*source) term {
	constant := func(x graphs.Value) term { return func(graphs.Cut) graphs.Value { return x } }
	read := func(s *source) term {
		*reads = append(*reads, s)
		return func(c graphs.Cut) graphs.Value { return s.after(k.count(s, c)) }
	}
	truth := func(n *Node, no, yes graphs.Value) term {
		*reads = append(*reads, n.reads...)
		return func(c graphs.Cut) graphs.Value {
			if n.Truth(c) {
				return yes
			}
			return no
		}
	}
	zero := constant(graphs.Int(0))
	better := func(order int) func(x, y graphs.Value) graphs.Value {
		return func(x, y graphs.Value) graphs.Value {
			if y.Compare(x) == order {
				return y
			}
			return x
		}
	}
	var of []term
	op := graphs.Value.Add
	switch e.Op {
	case syntax.ExprNumber:
		if e.IsFloat {
			return constant(graphs.Float(e.Float))
		}
		return constant(graphs.Int(e.Int))
	case syntax.ExprString:
		return constant(graphs.Str(e.Text))
	case syntax.ExprBool:
		return constant(graphs.Boolean(e.Bool))
	case syntax.ExprVar:
		return read(k.variable(e))
	case syntax.ExprCompare:
		return truth(k.atom(e), graphs.Boolean(false), graphs.Boolean(true))
	case syntax.ExprTransit:
		sends, recvs := k.comp.Channel(e.FromID, e.ToID)
		of = []term{read(&source{chain: chain{process: e.FromID}, events: sends}), read(&source{chain: chain{process: e.ToID}, events: recvs})}
		op = graphs.Value.Sub
	case syntax.ExprSum, syntax.ExprCount:
		of = []term{zero}
	case syntax.ExprNeg:
		of, op = []term{zero}, graphs.Value.Sub
	case syntax.ExprSub:
		op = graphs.Value.Sub
	case syntax.ExprMul:
		op = graphs.Value.Mul
	case syntax.ExprMin:
		op = better(-1)
	case syntax.ExprMax:
		op = better(1)
	}
	for _, arg := range e.Args {
		of = append(of, k.term(arg, reads))
	}
	for _, f := range e.Sub { // of a count
		of = append(of, truth(k.form(f), graphs.Int(0), graphs.Int(1)))
	}
	return func(c graphs.Cut) graphs.Value {
		x := of[0](c)
		for _, y := range of[1:] {
			x = op(x, y(c))
		}
		return x
	}
}

// variable returns the source of a variable, of which there is one.
func (k *Checker) variable(e *syntax.Expr) *source {
	v := k.comp.Variable(e.Owner, e.Text)
	if v == nil || v.Skipped() {
		panic(stop{errors.New("the values of " + e.String() + " were not read")})
	}
	if k.variables[v] == nil {
		k.variables[v] = &source{chain: chain{process: v.Process}, events: v.Events(), variable: v}
		if v.Process == graphs.Shared {
			k.variables[v].chain.variable = v
		}
	}
	return k.variables[v]
}
