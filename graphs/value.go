package graphs

import (
	"cmp"
	"math"
	"strconv"
)

// Kind is the type of a variable.
type Kind uint8

// The types of variables.
const (
	NoKind Kind = iota
	Number
	Bool
	String
)

func (k Kind) String() string {
	return [...]string{"untyped", "number", "boolean", "string"}[k]
}

// A Value is a number, a boolean or a string. The zero Value has no kind. Values
// are comparable with == except that a float is never == to an integer; use
// Compare for numbers.
type Value struct {
	Kind  Kind
	Float bool   // whether a Number is a float64
	bits  uint64 // an int64, the bits of a float64, or 0 or 1 for a Bool
	str   string
}

// Int returns the number i.
func Int(i int64) Value { return Value{Kind: Number, bits: uint64(i)} }

// Float returns the number f; one that is an integer within 53 bits becomes that integer. All NaNs,
// such as Inf - Inf, become the same one.
func Float(f float64) Value {
	switch {
	case f == math.Trunc(f) && math.Abs(f) <= 1<<53:
		return Int(int64(f))
	case math.IsNaN(f):
		f = math.NaN() // processors produce different ones
	}
	return Value{Kind: Number, Float: true, bits: math.Float64bits(f)}
}

// Boolean returns the truth value b.
func Boolean(b bool) Value {
	v := Value{Kind: Bool}
	if b {
		v.bits = 1
	}
	return v
}

// Str returns the string s.
func Str(s string) Value { return Value{Kind: String, str: s} }

// Zero returns the value of a variable of kind k before its first assignment.
func Zero(k Kind) Value { return Value{Kind: k} }

// Int64 returns an integer as int64; v.Float must be false.
func (v Value) Int64() int64 { return int64(v.bits) }

// Float64 returns a number as float64; large integers are rounded.
func (v Value) Float64() float64 {
	if v.Float {
		return math.Float64frombits(v.bits)
	}
	return float64(int64(v.bits))
}

// Bool returns a boolean's value.
func (v Value) Bool() bool { return v.bits != 0 }

// Text returns a string's value.
func (v Value) Text() string { return v.str }

// Compare orders two numbers exactly: an integer is not rounded to be compared with a float. NaN is
// equal to itself and less than all others, so that >= is always the negation of <.
func (v Value) Compare(w Value) int {
	switch {
	case !v.Float && !w.Float:
		return cmp.Compare(v.Int64(), w.Int64())
	case v.Float && w.Float:
		return cmp.Compare(v.Float64(), w.Float64())
	case v.Float:
		return -compareIntFloat(w.Int64(), v.Float64())
	}
	return compareIntFloat(v.Int64(), w.Float64())
}

func compareIntFloat(i int64, f float64) int {
	switch {
	case f >= 1<<63:
		return -1
	case f < -1<<63, math.IsNaN(f): // converting a number out of range depends on the processor
		return 1
	}
	if c := cmp.Compare(i, int64(f)); c != 0 {
		return c
	}
	return cmp.Compare(0, f-math.Trunc(f))
}

// Equal reports whether v and w are the same value of the same kind.
func (v Value) Equal(w Value) bool {
	if v.Kind != w.Kind {
		return false
	}
	if v.Kind == Number {
		return v.Compare(w) == 0
	}
	return v == w
}

// String returns v as JSON text.
func (v Value) String() string {
	switch v.Kind {
	case Number:
		if v.Float {
			return strconv.FormatFloat(v.Float64(), 'g', -1, 64)
		}
		return strconv.FormatInt(v.Int64(), 10)
	case Bool:
		return strconv.FormatBool(v.Bool())
	case String:
		return quoteJSON(v.str)
	}
	return "null"
}

// Arithmetic is exact on integers if the result fits into 64 bits; otherwise it uses float64.

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
		if m := a * b; m/b == a && !(a == -1 && b == math.MinInt64) &&
			!(b == -1 && a == math.MinInt64) {
			return Int(m)
		}
	}
	return Float(float64(v.Float64() * w.Float64())) // the conversion prevents a fused multiply-add
}
