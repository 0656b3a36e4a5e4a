package rctl

import (
	"fmt"
	"sort"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// A program is a propositional formula ready to be evaluated. What it reads of a
// cut are its slots: the values of variables and the lengths of channels.
type program struct {
	comp  *graphs.Computation
	slots []slot
	holds func(env []graphs.Value) bool
}

// slot is a variable, or a channel by the events at its ends.
type slot struct {
	variable     *graphs.Variable
	from, to     int
	sends, recvs []graphs.Event
}

func (s slot) at(c *graphs.Computation, cut graphs.Cut) graphs.Value {
	if s.variable != nil {
		return s.variable.At(c, cut)
	}
	return graphs.Int(int64(within(c, s.sends, cut) - within(c, s.recvs, cut)))
}

// within counts the events in cut; they are of one process, in order.
func within(c *graphs.Computation, events []graphs.Event, cut graphs.Cut) int {
	return sort.Search(len(events), func(i int) bool { return !c.Has(cut, events[i]) })
}

// at evaluates the program at a cut. The time complexity of at is
// O(|formula| + slots log events).
func (p *program) at(cut graphs.Cut, env []graphs.Value) bool {
	for i, s := range p.slots {
		env[i] = s.at(p.comp, cut)
	}
	return p.holds(env)
}

func (p *program) env() []graphs.Value { return make([]graphs.Value, len(p.slots)) }

// A valuesError says that a formula needs a variable whose values the reader of
// the trace was told to leave out.
type valuesError struct{ variable string }

func (e *valuesError) Error() string {
	return fmt.Sprintf("the values of %s were not read", e.variable)
}

// compile makes a program of a resolved formula without temporal operators.
func compile(c *graphs.Computation, f *syntax.Formula) (*program, error) {
	k := &compiler{comp: c, bySource: make(map[any]int)}
	holds := k.formula(f)
	if k.err != nil {
		return nil, k.err
	}
	return &program{c, k.slots, holds}, nil
}

type compiler struct {
	comp     *graphs.Computation
	slots    []slot
	bySource map[any]int
	err      error
}

type (
	truth func(env []graphs.Value) bool
	value func(env []graphs.Value) graphs.Value
)

func (k *compiler) formula(f *syntax.Formula) truth {
	switch f.Op {
	case syntax.OpTrue:
		return func([]graphs.Value) bool { return true }
	case syntax.OpFalse:
		return func([]graphs.Value) bool { return false }
	case syntax.OpAtom:
		return k.atom(f.Expr)
	}
	subs := make([]truth, len(f.Sub))
	for i, sub := range f.Sub {
		subs[i] = k.formula(sub)
	}
	switch f.Op {
	case syntax.OpNot:
		return func(env []graphs.Value) bool { return !subs[0](env) }
	case syntax.OpAnd:
		return func(env []graphs.Value) bool {
			for _, sub := range subs {
				if !sub(env) {
					return false
				}
			}
			return true
		}
	case syntax.OpOr:
		return func(env []graphs.Value) bool {
			for _, sub := range subs {
				if sub(env) {
					return true
				}
			}
			return false
		}
	case syntax.OpImplies:
		return func(env []graphs.Value) bool { return !subs[0](env) || subs[1](env) }
	case syntax.OpIff:
		return func(env []graphs.Value) bool { return subs[0](env) == subs[1](env) }
	}
	panic("this cannot happen, because only propositional formulas without quantifiers are compiled: " + f.String())
}

// atom compiles a Boolean expression.
func (k *compiler) atom(e *syntax.Expr) truth {
	switch e.Op {
	case syntax.ExprBool:
		b := e.Bool
		return func([]graphs.Value) bool { return b }
	case syntax.ExprVar:
		i := k.slot(e)
		return func(env []graphs.Value) bool { return env[i].Bool() }
	case syntax.ExprCompare:
		return k.comparison(e)
	}
	panic("this cannot happen, because Resolve accepts only Boolean atoms: " + e.String())
}

func (k *compiler) comparison(e *syntax.Expr) truth {
	args := make([]value, len(e.Args))
	for i, a := range e.Args {
		args[i] = k.value(a)
	}
	if len(args) == 2 {
		x, y, rel := args[0], args[1], e.Rel[0]
		return func(env []graphs.Value) bool { return Related(rel, x(env), y(env)) }
	}
	return func(env []graphs.Value) bool {
		x := args[0](env)
		for i, rel := range e.Rel {
			y := args[i+1](env)
			if !Related(rel, x, y) {
				return false
			}
			x = y
		}
		return true
	}
}

// Related reports whether x rel y, of two values of one kind; those that are no numbers
// can only be equal or not.
func Related(rel syntax.Relop, x, y graphs.Value) bool {
	if x.Kind != graphs.Number {
		return x.Equal(y) == (rel == syntax.Equal)
	}
	return rel.Relates(x.Compare(y))
}

func (k *compiler) value(e *syntax.Expr) value {
	switch e.Op {
	case syntax.ExprNumber:
		x := graphs.Int(e.Int)
		if e.IsFloat {
			x = graphs.Float(e.Float)
		}
		return constant(x)
	case syntax.ExprString:
		return constant(graphs.Str(e.Text))
	case syntax.ExprBool:
		return constant(graphs.Boolean(e.Bool))
	case syntax.ExprVar, syntax.ExprTransit:
		i := k.slot(e)
		return func(env []graphs.Value) graphs.Value { return env[i] }
	case syntax.ExprCompare:
		holds := k.comparison(e)
		return func(env []graphs.Value) graphs.Value { return graphs.Boolean(holds(env)) }
	case syntax.ExprNeg:
		x := k.value(e.Args[0])
		return func(env []graphs.Value) graphs.Value { return graphs.Int(0).Sub(x(env)) }
	}
	if e.Op.IsAggregate() {
		return k.aggregate(e)
	}
	x, y := k.value(e.Args[0]), k.value(e.Args[1])
	op := map[syntax.ExprOp]func(x, y graphs.Value) graphs.Value{
		syntax.ExprAdd: graphs.Value.Add, syntax.ExprSub: graphs.Value.Sub, syntax.ExprMul: graphs.Value.Mul,
	}[e.Op]
	return func(env []graphs.Value) graphs.Value { return op(x(env), y(env)) }
}

func (k *compiler) aggregate(e *syntax.Expr) value {
	args := make([]value, len(e.Args))
	for i, a := range e.Args {
		args[i] = k.value(a)
	}
	subs := make([]truth, len(e.Sub))
	for i, sub := range e.Sub {
		subs[i] = k.formula(sub)
	}
	switch e.Op {
	case syntax.ExprCount:
		return func(env []graphs.Value) graphs.Value {
			n := int64(0)
			for _, sub := range subs {
				if sub(env) {
					n++
				}
			}
			return graphs.Int(n)
		}
	case syntax.ExprSum:
		return func(env []graphs.Value) graphs.Value {
			sum := graphs.Int(0)
			for _, arg := range args {
				sum = sum.Add(arg(env))
			}
			return sum
		}
	}
	better := -1 // how a new extreme compares with the one so far
	if e.Op == syntax.ExprMax {
		better = 1
	}
	return func(env []graphs.Value) graphs.Value {
		extreme := args[0](env)
		for _, arg := range args[1:] {
			if x := arg(env); x.Compare(extreme) == better {
				extreme = x
			}
		}
		return extreme
	}
}

func constant(x graphs.Value) value { return func([]graphs.Value) graphs.Value { return x } }

// slot returns the place in the environment of a variable or channel.
func (k *compiler) slot(e *syntax.Expr) int {
	var source any
	if e.Op == syntax.ExprTransit {
		source = [2]int{e.FromID, e.ToID}
	} else {
		source = k.variable(e)
	}
	if i, ok := k.bySource[source]; ok {
		return i
	}
	var s slot
	if e.Op == syntax.ExprTransit {
		s.from, s.to = e.FromID, e.ToID
		s.sends, s.recvs = k.comp.Channel(e.FromID, e.ToID)
	} else {
		s.variable = source.(*graphs.Variable)
	}
	i := len(k.slots)
	k.slots = append(k.slots, s)
	k.bySource[source] = i
	return i
}

func (k *compiler) variable(e *syntax.Expr) *graphs.Variable {
	v := k.comp.Variable(e.Owner, e.Text)
	if v == nil {
		panic("this cannot happen, because Resolve looked the variable up: " + e.String())
	}
	if v.Skipped() {
		k.err = &valuesError{e.String()}
	}
	return v
}
