package atoms

import (
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// An Error names an atom that cannot be expressed, and says why.
type Error struct {
	Atom   string
	Pos    int // byte offset of the atom in the formula
	Reason string
}

// Error returns one line.
func (e *Error) Error() string {
	return fmt.Sprintf("%s cannot be translated: %s", e.Atom, e.Reason)
}

// Formula returns the diagram of a resolved formula without temporal operators. ok
// is false if it takes more than limit runs to make. The error is *Error where the
// values of a variable were not read.
//
// The time complexity of Formula is O(|f| + limit).
func (s *Store) Formula(f *syntax.Formula, limit int) (n *Node, ok bool, err error) {
	s.work = limit
	b := builder{Store: s, pos: f.Pos}
	n = b.formula(f)
	if b.err != nil {
		return nil, false, b.err
	}
	return n, s.work > 0, nil
}

// A builder makes the diagram of one formula.
type builder struct {
	*Store
	pos int
	err *Error
}

func truth(b bool) graphs.Value { return graphs.Boolean(b) }

func (b *builder) formula(f *syntax.Formula) *Node {
	switch f.Op {
	case syntax.OpTrue:
		return b.leaf(truth(true))
	case syntax.OpFalse:
		return b.leaf(truth(false))
	case syntax.OpAtom:
		return b.value(f.Expr)
	case syntax.OpNot:
		return b.apply(func(x, _ graphs.Value) graphs.Value { return truth(!x.Bool()) }, b.formula(f.Sub[0]), b.leaf(truth(true)))
	}
	op, known := connectives[f.Op]
	if !known {
		panic("this cannot happen, because only formulas without temporal operators and quantifiers have diagrams: " + f.String())
	}
	n := b.formula(f.Sub[0])
	for _, sub := range f.Sub[1:] {
		n = b.apply(op, n, b.formula(sub))
	}
	return n
}

type operation = func(x, y graphs.Value) graphs.Value

var connectives = map[syntax.Op]operation{
	syntax.OpAnd:     func(x, y graphs.Value) graphs.Value { return truth(x.Bool() && y.Bool()) },
	syntax.OpOr:      func(x, y graphs.Value) graphs.Value { return truth(x.Bool() || y.Bool()) },
	syntax.OpImplies: func(x, y graphs.Value) graphs.Value { return truth(!x.Bool() || y.Bool()) },
	syntax.OpIff:     func(x, y graphs.Value) graphs.Value { return truth(x.Bool() == y.Bool()) },
}

var arithmetic = map[syntax.ExprOp]operation{
	syntax.ExprAdd: graphs.Value.Add, syntax.ExprSum: graphs.Value.Add, syntax.ExprCount: graphs.Value.Add,
	syntax.ExprSub: graphs.Value.Sub, syntax.ExprMul: graphs.Value.Mul,
	syntax.ExprMin: func(x, y graphs.Value) graphs.Value {
		if y.Compare(x) < 0 {
			return y
		}
		return x
	},
	syntax.ExprMax: func(x, y graphs.Value) graphs.Value {
		if y.Compare(x) > 0 {
			return y
		}
		return x
	},
}

func (b *builder) value(e *syntax.Expr) *Node {
	switch e.Op {
	case syntax.ExprNumber:
		if e.IsFloat {
			return b.leaf(graphs.Float(e.Float))
		}
		return b.leaf(graphs.Int(e.Int))
	case syntax.ExprString:
		return b.leaf(graphs.Str(e.Text))
	case syntax.ExprBool:
		return b.leaf(truth(e.Bool))
	case syntax.ExprVar:
		return b.variable(e)
	case syntax.ExprTransit:
		return b.apply(graphs.Value.Sub, b.sent(e.FromID, e.ToID), b.received(e.FromID, e.ToID))
	case syntax.ExprCompare:
		return b.comparison(e)
	case syntax.ExprNeg:
		return b.apply(graphs.Value.Sub, b.leaf(graphs.Int(0)), b.value(e.Args[0]))
	}
	var n *Node
	if e.Op == syntax.ExprSum || e.Op == syntax.ExprCount {
		n = b.leaf(graphs.Int(0))
	}
	join := func(arg *Node) {
		if n == nil {
			n = arg
		} else {
			n = b.apply(arithmetic[e.Op], n, arg)
		}
	}
	if e.Op == syntax.ExprCount {
		for _, f := range e.Sub {
			join(b.indicator(f))
		}
		return n
	}
	for _, arg := range e.Args {
		join(b.value(arg))
	}
	return n
}

// indicator is 1 where f holds and 0 elsewhere.
func (b *builder) indicator(f *syntax.Formula) *Node {
	return b.apply(func(x, y graphs.Value) graphs.Value {
		if x.Bool() {
			return y
		}
		return graphs.Int(0)
	}, b.formula(f), b.leaf(graphs.Int(1)))
}

func (b *builder) comparison(e *syntax.Expr) *Node {
	all := b.leaf(truth(true))
	for i, rel := range e.Rel {
		x, y := e.Args[i], e.Args[i+1]
		var holds *Node
		if l, ok := b.Linear(x, y, rel, false); ok {
			holds = b.bound(l)
		} else {
			holds = b.apply(func(x, y graphs.Value) graphs.Value { return truth(related(rel, x, y)) }, b.value(x), b.value(y))
		}
		all = b.apply(connectives[syntax.OpAnd], all, holds)
	}
	return all
}

func related(rel syntax.Relop, x, y graphs.Value) bool {
	if x.Kind != graphs.Number {
		return x.Equal(y) == (rel == syntax.Equal)
	}
	return rel.Relates(x.Compare(y))
}

// variable returns the value of a variable as a function of its chain.
func (b *builder) variable(e *syntax.Expr) *Node {
	v := b.comp.Variable(e.Owner, e.Text)
	switch {
	case v == nil:
		panic("this cannot happen, because Resolve looked the variable up: " + e.String())
	case v.Skipped():
		b.err = &Error{e.String(), e.Pos, "its values were not read"}
		return b.leaf(truth(false))
	}
	h := b.chainOf(v)
	position := func(i int) int {
		if v.Process == graphs.Shared {
			return i + 1
		}
		return b.comp.Position(v.Event(i))
	}
	last := v.Last(b.comp, b.comp.Initial())
	runs := []Run{{h.Low, b.leaf(v.Value(last))}}
	for i := last + 1; i < v.Len() && position(i) <= h.High; i++ {
		runs = append(runs, Run{position(i), b.leaf(v.Value(i))})
	}
	return b.choice(h, runs)
}

func (s *Store) chainOf(v *graphs.Variable) *Chain {
	if v.Process == graphs.Shared {
		return s.shared(v)
	}
	return s.Process(v.Process)
}

// sent and received count the messages from p to q that were sent and received, as
// functions of p and of q.
func (s *Store) sent(p, q int) *Node {
	sends, _ := s.comp.Channel(p, q)
	return s.tally(s.Process(p), sends)
}

func (s *Store) received(p, q int) *Node {
	_, recvs := s.comp.Channel(p, q)
	return s.tally(s.Process(q), recvs)
}

// tally counts events of a process, which stand in order.
func (s *Store) tally(h *Chain, events []graphs.Event) *Node {
	var runs []Run
	n := 0
	for n < len(events) && s.comp.Position(events[n]) <= h.Low {
		n++
	}
	runs = append(runs, Run{h.Low, s.leaf(graphs.Int(int64(n)))})
	for n < len(events) {
		k := s.comp.Position(events[n])
		if k > h.High {
			break
		}
		for n < len(events) && s.comp.Position(events[n]) == k {
			n++
		}
		runs = append(runs, Run{k, s.leaf(graphs.Int(int64(n)))})
	}
	return s.choice(h, runs)
}
