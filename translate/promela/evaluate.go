package promela

import (
	"fmt"
	"math/big"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// An env tells the value of a leaf of an expression: a variable or a channel.
type env func(leaf *syntax.Expr) graphs.Value

// holds evaluates a formula without temporal operators.
func (at env) holds(f *syntax.Formula) bool {
	switch f.Op {
	case syntax.OpTrue:
		return true
	case syntax.OpFalse:
		return false
	case syntax.OpAtom:
		return at.value(f.Expr).Bool()
	case syntax.OpNot:
		return !at.holds(f.Sub[0])
	case syntax.OpAnd:
		for _, sub := range f.Sub {
			if !at.holds(sub) {
				return false
			}
		}
		return true
	case syntax.OpOr:
		for _, sub := range f.Sub {
			if at.holds(sub) {
				return true
			}
		}
		return false
	case syntax.OpImplies:
		return !at.holds(f.Sub[0]) || at.holds(f.Sub[1])
	case syntax.OpIff:
		return at.holds(f.Sub[0]) == at.holds(f.Sub[1])
	}
	panic(fmt.Sprintf("this cannot happen, because %s has no value at one cut", f))
}

func (at env) value(e *syntax.Expr) graphs.Value {
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
	case syntax.ExprVar, syntax.ExprTransit:
		return at(e)
	case syntax.ExprNeg:
		return combine(syntax.ExprSub, graphs.Int(0), at.value(e.Args[0]))
	case syntax.ExprAdd, syntax.ExprSub, syntax.ExprMul:
		return combine(e.Op, at.value(e.Args[0]), at.value(e.Args[1]))
	case syntax.ExprCompare:
		for i, rel := range e.Rel {
			if !atoms.Related(rel, at.value(e.Args[i]), at.value(e.Args[i+1])) {
				return graphs.Boolean(false)
			}
		}
		return graphs.Boolean(true)
	}
	return at.aggregate(e)
}

func (at env) aggregate(e *syntax.Expr) graphs.Value {
	total := graphs.Int(0)
	for _, sub := range e.Sub {
		if at.holds(sub) {
			total = combine(syntax.ExprAdd, total, graphs.Int(1))
		}
	}
	for i, arg := range e.Args {
		x := at.value(arg)
		switch {
		case e.Op == syntax.ExprSum:
			total = combine(syntax.ExprAdd, total, x)
		case i == 0, e.Op == syntax.ExprMin && x.Compare(total) < 0, e.Op == syntax.ExprMax && x.Compare(total) > 0:
			total = x
		}
	}
	return total
}

// combine adds, subtracts or multiplies: exactly where the operands and the result
// are integers of 64 bits, else as floats.
func combine(op syntax.ExprOp, x, y graphs.Value) graphs.Value {
	if !x.Float && !y.Float {
		a, b := big.NewInt(x.Int64()), big.NewInt(y.Int64())
		switch op {
		case syntax.ExprAdd:
			a.Add(a, b)
		case syntax.ExprSub:
			a.Sub(a, b)
		default:
			a.Mul(a, b)
		}
		if a.IsInt64() {
			return graphs.Int(a.Int64())
		}
	}
	switch op {
	case syntax.ExprAdd:
		return graphs.Float(x.Float64() + y.Float64())
	case syntax.ExprSub:
		return graphs.Float(x.Float64() - y.Float64())
	}
	return graphs.Float(x.Float64() * y.Float64())
}
