package rctltest

import (
	"math"

	"github.com/pota-project/pota/graphs"
)

// A MixedNumber is a formula that holds, but would fail if integers were confused with floats, or
// 64-bit integers with small ones.
type MixedNumber struct {
	*graphs.Computation
	Formula string
}

// MixedNumbers returns formulas about integers beyond 2^53. Sums of integers are exact, and sums with
// a float are rounded. So a greater operand may give a smaller sum, an event that replaces an integer
// by an equal float changes sums, and the first of equal values is the greatest. The negation of the
// least integer does not fit into 64 bits.
func MixedNumbers() []MixedNumber {
	whole, float := graphs.Int, graphs.Float
	type values [2]graphs.Value // the initial value, and the value after an event
	var list []MixedNumber
	for _, test := range []struct {
		x, y values // the values of P's x, and those of Q's x and y
		text string
	}{
		{values{whole(1), float(1.5)},
			values{whole(1700000000000000000), whole(1700000000000000100)},
			"EF(y@Q + x@P > 1700000000000000100)"},
		{values{whole(1), float(1.5)}, values{whole(0), whole(1152921504606847076)},
			"EF(x@P + y@Q >= 1152921504606847077)"},
		{values{whole(0), float(1e308)}, values{whole(0), float(1e308)},
			"EF((x@P + x@P) - (y@Q + y@Q) < -1e308 - 1e308)"},
		{values{whole(1), float(1.5)}, values{whole(-1152921504606847076), whole(0)},
			"EF(x@P - y@Q <= 1152921504606847076 && y@Q < -5)"},
		{values{whole(1e16), float(1e16)}, values{whole(1), whole(5)},
			"EF(x@P + y@Q == 10000000000000000 && y@Q == 1)"},
		{values{whole(0), whole(1e16)}, values{whole(0), float(1e16)},
			"EF((max i: x@i) + z@R == 10000000000000001 && x@Q > 5)"},
		{values{whole(1e16), float(1e16)}, values{whole(1e16 + 1), whole(1e16 + 1)},
			"EF((max i in {P, Q}: x@i) - (min i in {P, Q}: x@i) <= 0)"},
		{values{whole(math.MinInt64), whole(math.MinInt64)}, values{whole(0), whole(0)},
			"EF(x@P < y@Q)"},
	} {
		var b graphs.Builder
		set := func(name, variable string, x values) {
			p := b.Process(name)
			v := b.Variable(p, variable)
			b.Init(v, x[0])
			b.Set(v, b.Event(p), x[1])
		}
		set("P", "x", test.x)
		set("Q", "y", test.y)
		set("Q", "x", test.y)
		set("R", "z", values{whole(0), whole(1)})
		b.Init(b.Variable(2, "x"), whole(0))
		c, err := b.Build()
		if err != nil {
			panic("this cannot happen, because the computation has no messages: " + err.Error())
		}
		list = append(list, MixedNumber{c, test.text})
	}
	return list
}
