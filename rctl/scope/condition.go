package scope

import (
	"math/big"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Source gives conditions access to the events of a trace.
type Source struct {
	// Field returns what an event assigns to a field.
	Field func(e graphs.Event, field string) (graphs.Value, bool)
	// Own returns the process, the label, the id or the time of an event, as written in the trace.
	Own func(e graphs.Event, what string) string
	// Time returns the time of an event in seconds; nil if it has none or a malformed one.
	Time func(e graphs.Event) *big.Rat

	// Bound returns the event that a name is bound to; it is needed by conditions that are not closed.
	// A name for a value is bound to an event that assigns the value to a field of that name.
	//
	// Mixed, if not nil, is called for a comparison of values that have no order or differ in type,
	// and for a name whose value is not a number, or not a truth value, although one is needed.
	Bound func(name string) graphs.Event
	Mixed func(e *syntax.Expr)
}

// A test decides a condition for an event.
type test = func(graphs.Event) bool

// A term evaluates an expression of a condition for an event. It returns false if the event does not
// assign a field of the expression.
type term = func(graphs.Event) (graphs.Value, bool)

// Test compiles a closed condition, so that testing an event does not walk the formula.
func (s Source) Test(cond *syntax.Formula) test {
	if cond.Op == syntax.OpAtom {
		return s.atom(cond.Expr)
	}
	subs := syntax.Mapped(cond.Sub, s.Test)
	return syntax.Connect(cond.Op, subs)
}

// atom compiles a Boolean expression.
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
	// A field is a condition by itself, as in once(ok). Resolve has refused fields that it knows to be
	// of another type.
	value := s.term(e)
	return func(event graphs.Event) bool {
		x, ok := value(event)
		if s.Mixed != nil && e.Op != syntax.ExprField && ok && x.Kind != graphs.Bool {
			s.Mixed(e)
		}
		return ok && x.Kind == graphs.Bool && x.Bool()
	}
}

// compared compiles a comparison. The test is false if an operand has no value, or if the kinds of
// two operands differ.
func (s Source) compared(e *syntax.Expr) test {
	if s.isExact(e) {
		// Nanoseconds since 1970 do not fit into a float64, so rational numbers are compared. An
		// operand that is not a number makes the comparison false, like an unassigned field.
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
	// The operands are compiled once, because the test runs for many events.
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

// Related reports whether x rel y, for two values of one kind. Values other than numbers are only
// equal or unequal: Resolve refuses < between them.
func Related(rel syntax.Relop, x, y graphs.Value) bool {
	if x.Kind != graphs.Number && y.Kind != graphs.Number { // a value without a kind compares as 0
		return x.Equal(y) == (rel == syntax.Equal)
	}
	return rel.Relates(x.Compare(y))
}

// term compiles an expression.
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
	// Arithmetic overflows as in formulas about variables, so that a condition and a formula agree
	// about the same numbers.
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

// Operation returns the function on two numbers that an operator denotes: +, -, *, or a step of an
// aggregate, which combines its value so far with the next operand.
func Operation(op syntax.ExprOp) func(x, y graphs.Value) graphs.Value {
	switch op {
	case syntax.ExprAdd, syntax.ExprSum, syntax.ExprCount:
		return graphs.Value.Add
	case syntax.ExprSub:
		return graphs.Value.Sub
	case syntax.ExprMul:
		return graphs.Value.Mul
	}
	better := -1 // the result of Compare if y replaces the extreme so far
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

// boundName returns the name that is bound to a value, or e for e.f.
func boundName(e *syntax.Expr) string {
	if e.Op == syntax.ExprOf {
		return e.Event.Text
	}
	return e.Text
}

// isExact reports whether a comparison is about times or durations, or calculates with the values of
// bound names. Floats would round these.
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

// exact returns the exact value of a numeric expression for an event; nil if it has no value.
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

// Literal returns the value of a number, which may have a sign, of a string, true or false. For other
// expressions it returns false.
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
