package rctltest

import (
	"math"

	"github.com/pota-project/pota/graphs"
)

// A MixedNumber is a formula that holds, and would fail if whole numbers and floats were taken
// for the same, or one of 64 bits for a small one.
type MixedNumber struct {
	*graphs.Computation
	Formula string
}

// MixedNumbers returns formulas about whole numbers beyond 2^53, which are added exactly, and with
// rounding where there is a float: so what is greater may give a smaller sum, an event that puts a
// float for the same whole number changes sums, and of equal ones the first is the greatest. The
// least whole number has no opposite of 64 bits.
func MixedNumbers() []MixedNumber {
	whole, float := graphs.Int, graphs.Float
	type values [2]graphs.Value // at first, and after an event
	var list []MixedNumber
	for _, test := range []struct {
		x, y values // x of P, and y of Q, which is its x, too
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
