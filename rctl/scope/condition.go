package scope

import (
	"math/big"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Source is where the events of a condition come from.
type Source struct {
	// Field returns what an event assigns to a field.
	Field func(e graphs.Event, field string) (graphs.Value, bool)
	// Own returns the process, the label, the id or the time of an event as they are written.
	Own func(e graphs.Event, what string) string
	// Time returns the time of an event in seconds, nil where there is none or it is malformed.
	Time func(e graphs.Event) *big.Rat

	// Bound returns the event that a name is bound to, for a condition that is not closed. A name for a value
	// has an event that assigns that to the name. Mixed is told of a comparison of values that have no order,
	// or are of different types, and of a name with a value that is no number, or no truth value, in the place
	// of one.
	Bound func(name string) graphs.Event
	Mixed func(e *syntax.Expr)
}

// A test decides a condition for an event.
type test = func(graphs.Event) bool

// term returns what an expression of a condition is for an event, nothing where that assigns no
// value to a field in it.
type term = func(graphs.Event) (graphs.Value, bool)

// Test makes a test of a closed condition.
func (s Source) Test(cond *syntax.Formula) test {
	if cond.Op == syntax.OpAtom {
		return s.atom(cond.Expr)
	}
	// Made once and asked of many events: the formula is not walked for each.
	subs := syntax.Mapped(cond.Sub, s.Test)
	return syntax.Connect(cond.Op, subs)
}

// atom makes a test of an expression.
func (s Source) atom(e *syntax.Expr) test {
	switch e.Op {
	case syntax.ExprHas:
		field, own := strings.CutPrefix(e.Text, "@")
		return func(e graphs.Event) bool {
			// Every event has a process, a label and an id, if only an empty label.
			if own {
				return field != "time" || s.Own(e, field) != ""
			}
			_, ok := s.Field(e, field)
			return ok
		}
	case syntax.ExprCompare:
		return s.compared(e)
	}
	// A field that is a condition by itself, as in once(ok): Resolve has refused those of other types,
	// as far as they are known.
	value := s.term(e)
	return func(event graphs.Event) bool {
		x, ok := value(event)
		if s.Mixed != nil && e.Op != syntax.ExprField && ok && x.Kind != graphs.Bool {
			s.Mixed(e)
		}
		return ok && x.Kind == graphs.Bool && x.Bool()
	}
}

// compared makes a test of a comparison. It is false where an operand has no value, or the kinds of
// two operands differ.
func (s Source) compared(e *syntax.Expr) test {
	if s.isExact(e) {
		// Nanoseconds since 1970 do not fit into a float64, so rational numbers are compared. An operand that is no
		// number makes the comparison false, as a field that is not assigned.
		return func(event graphs.Event) bool {
			var left *big.Rat
			for i, arg := range e.Args {
				right := s.exact(arg, event)
				if right == nil || i > 0 && !e.Rel[i-1].Relates(left.Cmp(right)) {
					return false
				}
				left = right
			}
			return true
		}
	}
	terms := syntax.Mapped(e.Args, s.term)
	// A closure for each condition: it is asked of many events.
	return func(event graphs.Event) bool {
		left, ok := terms[0](event)
		for i, rel := range e.Rel {
			right, found := terms[i+1](event)
			if !ok || !found {
				return false
			}
			same := left.Kind == right.Kind
			if s.Mixed != nil && (!same || left.Kind != graphs.Number && rel != syntax.Equal && rel != syntax.NotEqual) {
				s.Mixed(e)
			}
			if !same || !Related(rel, left, right) {
				return false
			}
			left = right
		}
		return true
	}
}

// Related reports whether x rel y, for two values of one kind. Values other than numbers can only
// be equal or not: Resolve refuses < between them.
func Related(rel syntax.Relop, x, y graphs.Value) bool {
	if x.Kind != graphs.Number && y.Kind != graphs.Number { // one without a type is 0
		return x.Equal(y) == (rel == syntax.Equal)
	}
	return rel.Relates(x.Compare(y))
}

// term makes a term of an expression.
func (s Source) term(e *syntax.Expr) term {
	if x, ok := Literal(e); ok {
		return func(graphs.Event) (graphs.Value, bool) { return x, true }
	}
	switch e.Op {
	case syntax.ExprField:
		return func(event graphs.Event) (graphs.Value, bool) { return s.Field(event, e.Text) }
	case syntax.ExprOwn:
		return func(event graphs.Event) (graphs.Value, bool) { return graphs.Str(s.Own(event, e.Text)), true }
	case syntax.ExprValue, syntax.ExprOf:
		bound := s.Bound(boundName(e))
		return func(graphs.Event) (graphs.Value, bool) { return s.Field(bound, e.Text) }
	}
	args := syntax.Mapped(e.Args, s.term)
	// Numbers overflow as in formulas about variables, so a condition and a formula agree about
	// the same numbers.
	op := Operation(e.Op)
	return func(event graphs.Event) (graphs.Value, bool) {
		var x graphs.Value
		for i, arg := range args {
			y, ok := arg(event)
			switch {
			case !ok || y.Kind != graphs.Number:
				return x, false
			case e.Op == syntax.ExprNeg:
				x = graphs.Int(0).Sub(y)
			case i == 0:
				x = y
			default:
				x = op(x, y)
			}
		}
		return x, len(args) > 0
	}
}

// Operation returns what an operator makes of two numbers: +, -, * or an aggregate
// of its value so far and of one operand more.
func Operation(op syntax.ExprOp) func(x, y graphs.Value) graphs.Value {
	switch op {
	case syntax.ExprAdd, syntax.ExprSum, syntax.ExprCount:
		return graphs.Value.Add
	case syntax.ExprSub:
		return graphs.Value.Sub
	case syntax.ExprMul:
		return graphs.Value.Mul
	}
	better := -1 // how a new extreme compares with the one so far
	if op == syntax.ExprMax {
		better = 1
	}
	return func(x, y graphs.Value) graphs.Value {
		if y.Compare(x) == better {
			return y
		}
		return x
	}
}

// boundName returns the name that is bound to a value, or to the event of e.f.
func boundName(e *syntax.Expr) string {
	if e.Op == syntax.ExprOf {
		return e.Event.Text
	}
	return e.Text
}

// isExact reports whether a comparison is about times or durations, or calculates with what names are bound to. Floats
// would round these.
func (s Source) isExact(e *syntax.Expr) bool {
	return e.Mentions(func(e *syntax.Expr) bool {
		switch e.Op {
		case syntax.ExprOwn, syntax.ExprOf:
			return e.Text == "time"
		case syntax.ExprNumber:
			return s.Bound != nil && e.Text != ""
		case syntax.ExprNeg, syntax.ExprAdd, syntax.ExprSub, syntax.ExprMul:
			return s.Bound != nil
		}
		return false
	})
}

// exact returns the exact value of an expression of numbers for an event, nil for none.
func (s Source) exact(e *syntax.Expr, event graphs.Event) *big.Rat {
	switch e.Op {
	case syntax.ExprNumber:
		return e.Seconds()
	case syntax.ExprOwn:
		return s.Time(event)
	case syntax.ExprField, syntax.ExprValue, syntax.ExprOf:
		if e.Op != syntax.ExprField {
			event = s.Bound(boundName(e))
		}
		if e.Op == syntax.ExprOf && e.Text == "time" {
			return s.Time(event)
		}
		x, ok := s.Field(event, e.Text)
		if s.Mixed != nil && e.Op != syntax.ExprField && ok && x.Kind != graphs.Number {
			s.Mixed(e)
		}
		if !ok || x.Kind != graphs.Number {
			return nil
		}
		return constantOf(x).Seconds()
	}
	args := make([]*big.Rat, len(e.Args))
	for i, arg := range e.Args {
		if args[i] = s.exact(arg, event); args[i] == nil {
			return nil
		}
	}
	return syntax.Exact(e.Op, args)
}

// Literal returns the value of a number, perhaps with a sign, a string, true or false. It is not ok for other
// expressions.
func Literal(e *syntax.Expr) (graphs.Value, bool) {
	switch e.Op {
	case syntax.ExprNumber:
		if e.IsFloat {
			return graphs.Float(e.Float), true
		}
		return graphs.Int(e.Int), true
	case syntax.ExprString:
		return graphs.Str(e.Text), true
	case syntax.ExprBool:
		return graphs.Boolean(e.Bool), true
	case syntax.ExprNeg:
		x, ok := Literal(e.Args[0])
		return graphs.Int(0).Sub(x), ok && x.Kind == graphs.Number
	}
	return graphs.Value{}, false
}
