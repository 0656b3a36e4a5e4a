package graphs

import "math"

// Arithmetic on numbers is exact on integers as long as the result fits into 64
// bits; otherwise it is that of float64.

// Add returns v + w.
func (v Value) Add(w Value) Value {
	if !v.Float && !w.Float {
		a, b := v.Int64(), w.Int64()
		if s := a + b; (s > a) == (b > 0) {
			return Int(s)
		}
	}
	return Float(v.Float64() + w.Float64())
}

// Sub returns v - w.
func (v Value) Sub(w Value) Value {
	if !v.Float && !w.Float {
		a, b := v.Int64(), w.Int64()
		if d := a - b; (d < a) == (b > 0) {
			return Int(d)
		}
	}
	return Float(v.Float64() - w.Float64())
}

// Mul returns v * w.
func (v Value) Mul(w Value) Value {
	if !v.Float && !w.Float {
		a, b := v.Int64(), w.Int64()
		if a == 0 || b == 0 {
			return Int(0)
		}
		if m := a * b; m/b == a && !(a == -1 && b == math.MinInt64) && !(b == -1 && a == math.MinInt64) {
			return Int(m)
		}
	}
	return Float(v.Float64() * w.Float64())
}
