package atoms

import (
	"math"

	"github.com/pota-project/pota/graphs"
)

// Arithmetic is exact on integers as long as the result fits into 64 bits;
// otherwise it is that of float64.

func add(x, y graphs.Value) graphs.Value {
	if !x.Float && !y.Float {
		a, b := x.Int64(), y.Int64()
		if sum := a + b; (sum > a) == (b > 0) {
			return graphs.Int(sum)
		}
	}
	return graphs.Float(x.Float64() + y.Float64())
}

func subtract(x, y graphs.Value) graphs.Value {
	if !x.Float && !y.Float {
		a, b := x.Int64(), y.Int64()
		if d := a - b; (d < a) == (b > 0) {
			return graphs.Int(d)
		}
	}
	return graphs.Float(x.Float64() - y.Float64())
}

func multiply(x, y graphs.Value) graphs.Value {
	if !x.Float && !y.Float {
		a, b := x.Int64(), y.Int64()
		if a == 0 || b == 0 {
			return graphs.Int(0)
		}
		if m := a * b; m/b == a && !(a == -1 && b == math.MinInt64) && !(b == -1 && a == math.MinInt64) {
			return graphs.Int(m)
		}
	}
	return graphs.Float(x.Float64() * y.Float64())
}
