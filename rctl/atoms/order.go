package atoms

import (
	"math"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// KeepsOrder reports whether a resolved expression of numbers, or each side of a comparison, is
// certain never to decrease as one of its variables grows that is added, or multiplied by a
// positive number. Rounding keeps the order, too; but whole numbers are added exactly, and a float
// to one beyond 2^53 with rounding: 1 + 2^60 is greater than 1.5 + 2^60. So all values have to be
// small, or whole and far from the limits of 64 bits.
//
// The time complexity of KeepsOrder is O(|e| + assignments of its variables).
func KeepsOrder(c *graphs.Computation, e *syntax.Expr) bool {
	whole := true
	most := largest(c, e, &whole)
	return most <= 1<<53 || whole && most <= 1<<62
}

// largest bounds the absolute values of an expression and of its parts, and tells whether there are
// floats among the values.
func largest(c *graphs.Computation, e *syntax.Expr, whole *bool) float64 {
	size := func(x graphs.Value) float64 {
		if x.Float {
			*whole = false
		}
		if x.Kind == graphs.String {
			return 0
		}
		if f := math.Abs(x.Float64()); f <= math.MaxFloat64 {
			return f
		}
		return math.Inf(1) // also where it is no number
	}
	switch e.Op {
	case syntax.ExprNumber:
		x, _ := scope.Literal(e)
		return size(x)
	case syntax.ExprVar:
		v := c.Variable(e.Owner, e.Text)
		if v == nil {
			return math.Inf(1)
		}
		most := 0.
		for i := -1; i < v.Len(); i++ {
			most = max(most, size(v.Value(i)))
		}
		return most
	case syntax.ExprTransit:
		return float64(len(c.Messages()))
	case syntax.ExprCount:
		return float64(len(e.Counted()))
	}
	sum, product := 0., 1.
	for _, arg := range e.Args {
		x := largest(c, arg, whole)
		sum, product = sum+x, product*max(x, 1)
	}
	if e.Op == syntax.ExprMul {
		return product
	}
	return sum
}
