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

// chain goes along the chain of some sources from c on: first with c and ⊥, then with each
// event at which one of them changes, and what has happened with its step.
func (k *Checker) chain(of []*source, c graphs.Cut) iter.Seq2[graphs.Event, graphs.Cut] {
	return func(yield func(graphs.Event, graphs.Cut) bool) {
		d := c.Clone()
		for e := graphs.Bottom; k.comp.Has(k.final, e) && yield(e, d); {
			e = k.comp.Top()
			for _, s := range of {
				if i := k.count(s, d); i < len(s.events) {
					e = min(e, s.events[i])
				}
			}
			if e < k.comp.Top() {
				for _, f := range k.comp.Step(e) {
					d[k.comp.Process(f)] = max(d[k.comp.Process(f)], int32(k.comp.Position(f)))
				}
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
		t := k.term(e)
		k.atoms[e] = k.leaf(e, t.reads, func(c graphs.Cut) bool { return t.value(c).Bool() })
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
	x, y, rel := k.term(e.Args[0]), k.term(e.Args[1]), e.Rel[0]
	both := sum([]*term{x, y}, graphs.Value.Sub, -1)
	n := k.leaf(e, both.reads, func(c graphs.Cut) bool {
		a, b := x.value(c), y.value(c)
		return a.Kind == graphs.Number && rel.Relates(a.Compare(b)) || a.Kind != graphs.Number && a.Equal(b) == (rel == syntax.Equal)
	})
	n.sum, n.Not.sum = both.parts, both.parts
	if n.one || rel.Relates(-1) == rel.Relates(1) {
		return n
	}
	var helps [2][]*source // of what raises the left side minus the right one, and of what lowers it
	l := &linear{Checker: k, put: func(of *term, _ graphs.Event, x int64) {
		some := &helps[0]
		if x < 0 {
			some = &helps[1]
		}
		if i := len(*some) - 1; i < 0 || (*some)[i] != of.reads[0] {
			*some = append(*some, of.reads...)
		}
	}}
	if l.add(n.sum, k.comp.Initial()) {
		if n.helps, n.Not.helps = helps[0], helps[1]; rel.Relates(-1) {
			n.helps, n.Not.helps = helps[1], helps[0]
		}
	}
	return n
}

// A term is an expression, ready to be evaluated, and a sum of others, at least of itself.
type term struct {
	value func(graphs.Cut) graphs.Value
	reads []*source
	parts []part
}

// A part of a sum is added or, where sign is -1, subtracted.
type part struct {
	*term
	sign int64
}

func single(value func(graphs.Cut) graphs.Value, reads ...*source) *term {
	t := &term{value: value, reads: reads}
	t.parts = []part{{t, 1}}
	return t
}

func constant(x graphs.Value) *term { return single(func(graphs.Cut) graphs.Value { return x }) }

func (k *Checker) read(s *source) *term {
	return single(func(c graphs.Cut) graphs.Value { return s.after(k.count(s, c)) }, s)
}

func truth(n *Node, no, yes graphs.Value) *term {
	return single(func(c graphs.Cut) graphs.Value {
		if n.Truth(c) {
			return yes
		}
		return no
	}, slices.Clip(n.reads)...)
}

// sum is the term that takes op of others in their order; sign is that of all but the first
// in a sum, 0 if it is none.
func sum(of []*term, op func(x, y graphs.Value) graphs.Value, sign int64) *term {
	t := single(func(c graphs.Cut) graphs.Value {
		x := of[0].value(c)
		for _, y := range of[1:] {
			x = op(x, y.value(c))
		}
		return x
	}, of[0].reads...)
	if sign != 0 {
		t.parts = of[0].parts
	}
	for _, y := range of[1:] {
		t.reads = append(t.reads, y.reads...)
		for _, p := range y.parts {
			if sign != 0 {
				t.parts = append(t.parts, part{p.term, sign * p.sign})
			}
		}
	}
	return t
}

// term compiles an expression.
func (k *Checker) term(e *syntax.Expr) *term {
	var of []*term
	op, sign := graphs.Value.Add, int64(1)
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
	case syntax.ExprCompare:
		return truth(k.atom(e), graphs.Boolean(false), graphs.Boolean(true))
	case syntax.ExprVar: // of which there is one
		v := k.comp.Variable(e.Owner, e.Text)
		if v == nil || v.Skipped() {
			panic(stop{errors.New("the values of " + e.String() + " were not read")})
		}
		return k.read(&source{process: v.Process, events: v.Events(), variable: v})
	case syntax.ExprTransit:
		sends, receives := k.comp.Channel(e.FromID, e.ToID)
		of = append(of, k.read(&source{process: e.FromID, events: sends}), k.read(&source{process: e.ToID, events: receives}))
	case syntax.ExprNeg, syntax.ExprSum, syntax.ExprCount:
		of = append(of, constant(graphs.Int(0)))
	}
	switch e.Op {
	case syntax.ExprNeg, syntax.ExprSub, syntax.ExprTransit:
		op, sign = graphs.Value.Sub, -1
	case syntax.ExprMul:
		op, sign = graphs.Value.Mul, 0
	case syntax.ExprMin, syntax.ExprMax:
		sign = 0
		op = func(x, y graphs.Value) graphs.Value {
			if order := y.Compare(x); order < 0 && e.Op == syntax.ExprMin || order > 0 && e.Op == syntax.ExprMax {
				return y
			}
			return x
		}
	}
	for _, arg := range e.Args {
		of = append(of, k.term(arg))
	}
	for _, f := range e.Sub { // of a count
		of = append(of, truth(k.form(f), graphs.Int(0), graphs.Int(1)))
	}
	return sum(of, op, sign)
}
