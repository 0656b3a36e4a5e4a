package diagram

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// Formula returns the diagram of a resolved formula without temporal operators. It returns nil if
// it would make more than limit runs, or if the context is done; the diagram of a formula of one
// chain does not count toward the limit. The error is a *atoms.ValuesError.
//
// The time complexity of Formula is O(|f| + limit); if f is of one chain, it is O(|f| · assignments
// + states of the chain).
func (s *Store) Formula(f *syntax.Formula, limit int) (*Node, error) {
	p, err := atoms.Compile(s.comp, f)
	if err != nil {
		return nil, err
	}
	if syntax.OfOneChain(f) {
		return along(s, p, graphs.Boolean), nil
	}
	s.work = limit
	n := s.formula(f)
	if s.work <= 0 {
		return nil, nil // the partial result is meaningless
	}
	return n, nil
}

// along returns the diagram of a function of at most one chain.
func along[T comparable](s *Store, f *atoms.Function[T], value func(T) graphs.Value) *Node {
	column := atoms.Along(f).Between(s.comp)
	first := s.leaf(value(column.Values[0]))
	chain, ok := f.Chain()
	if !ok {
		return first
	}
	h := s.Chain(chain)
	runs := []Run{{h.Low, first}}
	state := h.Low
	for i, e := range column.Events {
		for h.Event(state) != e {
			state++
		}
		runs = append(runs, Run{state, s.leaf(value(column.Values[i+1]))})
	}
	return s.choice(h, runs)
}

func (s *Store) term(t *atoms.Term) *Node {
	return along(s, t, func(x graphs.Value) graphs.Value { return x })
}

// ends returns the numbers of messages sent and received on a channel.
func (s *Store) ends(h atoms.Channel) (sent, received *Node) {
	from, to := h.Ends(s.comp)
	return s.term(from.Term(s.comp)), s.term(to.Term(s.comp))
}

// formula returns the diagram of a formula.
func (s *Store) formula(f *syntax.Formula) *Node {
	switch f.Op {
	case syntax.OpTrue, syntax.OpFalse:
		return s.leaf(graphs.Boolean(f.Op == syntax.OpTrue))
	case syntax.OpAtom:
		return s.value(f.Expr)
	case syntax.OpNot:
		return s.apply(func(x, _ graphs.Value) graphs.Value { return graphs.Boolean(!x.Bool()) },
			s.formula(f.Sub[0]), s.leaf(graphs.Boolean(true)))
	}
	op, known := connectives[f.Op]
	if !known {
		panic("this cannot happen, because only formulas without temporal operators and quantifiers have diagrams: " + f.String())
	}
	n := s.formula(f.Sub[0])
	for _, sub := range f.Sub[1:] {
		n = s.apply(op, n, s.formula(sub))
	}
	return n
}

type operation = func(x, y graphs.Value) graphs.Value

var connectives = map[syntax.Op]operation{
	syntax.OpAnd:     func(x, y graphs.Value) graphs.Value { return graphs.Boolean(x.Bool() && y.Bool()) },
	syntax.OpOr:      func(x, y graphs.Value) graphs.Value { return graphs.Boolean(x.Bool() || y.Bool()) },
	syntax.OpImplies: func(x, y graphs.Value) graphs.Value { return graphs.Boolean(!x.Bool() || y.Bool()) },
	syntax.OpIff:     func(x, y graphs.Value) graphs.Value { return graphs.Boolean(x.Bool() == y.Bool()) },
}

// value returns the diagram of an expression, built from the diagrams of its operands.
func (s *Store) value(e *syntax.Expr) *Node {
	zero := s.leaf(graphs.Int(0))
	var operands []*Node
	switch e.Op {
	case syntax.ExprNumber, syntax.ExprString, syntax.ExprBool, syntax.ExprVar:
		t, err := atoms.CompileTerm(s.comp, e)
		if err != nil {
			panic("this cannot happen, because the formula that has the variable was compiled: " + err.Error())
		}
		return s.term(t)
	case syntax.ExprTransit:
		sent, received := s.ends(atoms.Channel{From: e.FromID, To: e.ToID})
		return s.apply(graphs.Value.Sub, sent, received)
	case syntax.ExprCompare:
		return s.comparison(e)
	case syntax.ExprNeg:
		return s.apply(graphs.Value.Sub, zero, s.value(e.Args[0]))
	case syntax.ExprSum, syntax.ExprCount:
		operands = append(operands, zero)
	}
	for _, f := range e.Counted() {
		holds := func(x, one graphs.Value) graphs.Value {
			if x.Bool() {
				return one
			}
			return graphs.Int(0)
		}
		operands = append(operands, s.apply(holds, s.formula(f), s.leaf(graphs.Int(1))))
	}
	for _, arg := range e.Args {
		operands = append(operands, s.value(arg))
	}
	n, op := operands[0], scope.Operation(e.Op)
	for _, operand := range operands[1:] {
		n = s.apply(op, n, operand)
	}
	return n
}

// comparison returns the diagram of a chain of comparisons. A linear comparison does not need the
// diagram of the sum, which can be far larger.
func (s *Store) comparison(e *syntax.Expr) *Node {
	all := s.leaf(graphs.Boolean(true))
	for i, rel := range e.Rel {
		x, y := e.Args[i], e.Args[i+1]
		var holds *Node
		if l, ok := s.Linear(x, y, rel); ok {
			holds = s.bound(l)
		} else {
			related := func(x, y graphs.Value) graphs.Value { return graphs.Boolean(scope.Related(rel, x, y)) }
			holds = s.apply(related, s.value(x), s.value(y))
		}
		all = s.apply(connectives[syntax.OpAnd], all, holds)
	}
	return all
}
