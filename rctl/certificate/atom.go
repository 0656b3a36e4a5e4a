package certificate

import (
	"errors"
	"iter"
	"slices"
	"sort"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

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

// after returns the value after the first n events.
func (s *source) after(n int) graphs.Value {
	if s.variable == nil {
		return graphs.Int(int64(n))
	}
	return s.variable.Value(n - 1)
}

// along goes along the chain of some sources from c on: first with c and ⊥, then with each
// event at which one of them changes, and what has happened then on the chain.
func (k *Checker) along(of []*source, c graphs.Cut) iter.Seq2[graphs.Event, graphs.Cut] {
	return func(yield func(graphs.Event, graphs.Cut) bool) {
		d := c.Clone()
		for e := graphs.Bottom; yield(e, d); d[k.comp.Process(e)] = int32(k.comp.Position(e)) {
			e = k.comp.Top()
			for _, s := range of {
				if i := k.count(s, d); i < len(s.events) {
					e = min(e, s.events[i])
				}
			}
			if !k.comp.Has(k.final, e) {
				return
			}
		}
	}
}

// atom makes the node of a resolved Boolean expression.
func (k *Checker) atom(e *syntax.Expr) *Node {
	switch {
	case k.atoms[e] != nil:
	case e.Op == syntax.ExprBool && e.Bool:
		return k.falsehood.Not
	case e.Op == syntax.ExprBool:
		return k.falsehood
	case e.Op != syntax.ExprCompare:
		var reads []*source
		value := k.term(e, &reads)
		k.atoms[e] = k.leaf(e, reads, func(c graphs.Cut) bool { return value(c).Bool() })
	default:
		parts := make([]*Node, len(e.Rel))
		for i, rel := range e.Rel {
			compare := func(rel syntax.Relop) *Node {
				part := *e
				part.Args, part.Rel = e.Args[i:i+2], []syntax.Relop{rel}
				return k.comparison(&part)
			}
			switch parts[i] = compare(rel); { // x == y is x <= y && x >= y
			case parts[i].one || e.Args[i].Type != syntax.NumberType:
			case rel == syntax.Equal:
				parts[i] = k.node(syntax.OpAnd, compare(syntax.LessEqual), compare(syntax.GreaterEqual))
			case rel == syntax.NotEqual:
				parts[i] = k.node(syntax.OpOr, compare(syntax.Less), compare(syntax.Greater))
			}
		}
		if k.atoms[e] = parts[0]; len(parts) > 1 {
			k.atoms[e] = k.node(syntax.OpAnd, parts...)
		}
	}
	return k.atoms[e]
}

// comparison makes the node of a comparison of two sides.
func (k *Checker) comparison(e *syntax.Expr) *Node {
	var reads, up, down []*source
	x, y, rel := k.term(e.Args[0], &reads), k.term(e.Args[1], &reads), e.Rel[0]
	n := k.leaf(e, reads, func(c graphs.Cut) bool {
		a, b := x(c), y(c)
		return a.Kind == graphs.Number && rel.Relates(a.Compare(b)) || a.Kind != graphs.Number && a.Equal(b) == (rel == syntax.Equal)
	})
	if n.one || rel.Relates(-1) == rel.Relates(1) {
		return n
	}
	l := &linear{Checker: k, from: k.comp.Initial(), put: func(of []*source, _ graphs.Event, x int64) {
		if x > 0 && !slices.Contains(up, of[0]) {
			up = append(up, of...)
		} else if x < 0 && !slices.Contains(down, of[0]) {
			down = append(down, of...)
		}
	}}
	if l.add(e.Args[0], 1) && l.add(e.Args[1], -1) { // what raises the left side minus the right one helps, or what lowers it
		if n.helps, n.Not.helps = up, down; rel.Relates(-1) {
			n.helps, n.Not.helps = down, up
		}
	}
	return n
}

// A term is an expression, ready to be evaluated.
type term func(graphs.Cut) graphs.Value

func constant(x graphs.Value) term { return func(graphs.Cut) graphs.Value { return x } }

// read is the term of a source, and truth that of what n counts for.
func (k *Checker) read(s *source) term {
	return func(c graphs.Cut) graphs.Value { return s.after(k.count(s, c)) }
}

func truth(n *Node, no, yes graphs.Value) term {
	return func(c graphs.Cut) graphs.Value {
		if n.Truth(c) {
			return yes
		}
		return no
	}
}

// term compiles an expression and adds what it reads to reads.
func (k *Checker) term(e *syntax.Expr, reads *[]*source) term {
	var of []term
	args, op := e.Args, graphs.Value.Add
	add := func(t term, s ...*source) { of, *reads = append(of, t), append(*reads, s...) }
	switch e.Op {
	case syntax.ExprNumber:
		if add(constant(graphs.Int(e.Int))); e.IsFloat {
			of[0] = constant(graphs.Float(e.Float))
		}
	case syntax.ExprString:
		add(constant(graphs.Str(e.Text)))
	case syntax.ExprBool:
		add(constant(graphs.Boolean(e.Bool)))
	case syntax.ExprVar:
		s := k.variable(e)
		add(k.read(s), s)
	case syntax.ExprCompare:
		n := k.atom(e)
		add(truth(n, graphs.Boolean(false), graphs.Boolean(true)), n.reads...)
		args = nil
	case syntax.ExprTransit:
		sent, received := k.channel(e)
		add(k.read(sent), sent)
		add(k.read(received), received)
		op = graphs.Value.Sub
	case syntax.ExprSum, syntax.ExprCount:
		add(constant(graphs.Int(0)))
	case syntax.ExprNeg:
		add(constant(graphs.Int(0)))
		op = graphs.Value.Sub
	case syntax.ExprSub:
		op = graphs.Value.Sub
	case syntax.ExprMul:
		op = graphs.Value.Mul
	case syntax.ExprMin, syntax.ExprMax:
		op = func(x, y graphs.Value) graphs.Value {
			if order := y.Compare(x); order < 0 && e.Op == syntax.ExprMin || order > 0 && e.Op == syntax.ExprMax {
				return y
			}
			return x
		}
	}
	for _, arg := range args {
		add(k.term(arg, reads))
	}
	for _, f := range e.Sub { // of a count
		n := k.form(f)
		add(truth(n, graphs.Int(0), graphs.Int(1)), n.reads...)
	}
	if len(of) == 1 {
		return of[0]
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
		k.variables[v] = &source{process: v.Process, events: v.Events(), variable: v}
	}
	return k.variables[v]
}

// channel returns the sources of a channel.
func (k *Checker) channel(e *syntax.Expr) (sent, received *source) {
	sends, receives := k.comp.Channel(e.FromID, e.ToID)
	return &source{process: e.FromID, events: sends}, &source{process: e.ToID, events: receives}
}
