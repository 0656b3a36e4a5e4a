package graphs_test

import (
	"cmp"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
)

// numbers are those next to which rounding goes wrong.
func numbers(r *rand.Rand) []graphs.Value {
	var all []graphs.Value
	for _, i := range []int64{0, 1, -1, 3, 1 << 53, -1 << 53, 1 << 60, math.MaxInt64, math.MinInt64} {
		for d := int64(-2); d <= 2; d++ {
			all = append(all, graphs.Int(i+d)) // wraps around at the ends
			all = append(all, graphs.Float(float64(i)+float64(d)), graphs.Float(float64(i)+float64(d)/4))
		}
		all = append(all, graphs.Float(math.Nextafter(float64(i), 0)), graphs.Float(math.Nextafter(float64(i), math.Inf(1))))
	}
	for _, f := range []float64{math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, math.Copysign(0, -1), 1 << 63, 1 << 64, -1 << 64} {
		all = append(all, graphs.Float(f))
	}
	for range 50 {
		all = append(all, graphs.Int(r.Int64()>>r.IntN(64)), graphs.Float(math.Ldexp(r.Float64()-0.5, r.IntN(140)-70)))
	}
	return all
}

func exact(v graphs.Value) *big.Rat {
	if v.Float {
		return new(big.Rat).SetFloat64(v.Float64())
	}
	return new(big.Rat).SetInt64(v.Int64())
}

func TestCompareIsExact(t *testing.T) {
	all := numbers(rand.New(rand.NewPCG(1, 17)))
	for _, v := range all {
		for _, w := range all {
			want := exact(v).Cmp(exact(w))
			if got := v.Compare(w); got != want {
				t.Errorf("%v compared with %v: %d, not %d", v, w, got, want)
			}
			if got := v.Equal(w); got != (want == 0) {
				t.Errorf("%v equal to %v: %v", v, w, got)
			}
		}
		for w, want := range map[float64]int{math.Inf(1): -1, math.Inf(-1): 1, math.NaN(): 1} {
			if got := v.Compare(graphs.Float(w)); got != want {
				t.Errorf("%v compared with %v: %d", v, w, got)
			}
			if got := graphs.Float(w).Compare(v); got != -want {
				t.Errorf("%v compared with %v: %d", w, v, got)
			}
		}
	}
}

// Where arithmetic overflows, numbers stay in one order on all processors.
func TestOverflow(t *testing.T) {
	most, infinite := graphs.Float(math.MaxFloat64), graphs.Float(math.Inf(1))
	negative := graphs.Float(math.Inf(-1))
	none := infinite.Sub(infinite)
	if most.Add(most) != infinite || most.Mul(most) != infinite || negative.Mul(graphs.Int(-2)) != infinite {
		t.Error("what is too large is not infinite")
	}
	for _, x := range []graphs.Value{
		infinite.Add(negative), infinite.Mul(graphs.Int(0)), none.Add(graphs.Int(1)), graphs.Int(0).Mul(none), graphs.Int(0).Sub(none),
		graphs.Float(math.Float64frombits(0xfff8000000000001)),
	} {
		if x != none || !x.Equal(none) {
			t.Errorf("%#v is not %#v", x, none)
		}
	}
	order := []graphs.Value{
		none, negative, graphs.Float(-1 << 63), graphs.Int(-1), graphs.Int(0), graphs.Int(1), graphs.Int(math.MaxInt64), graphs.Float(1 << 63), infinite,
	}
	for i, x := range order {
		for j, y := range order {
			if got := x.Compare(y); got != cmp.Compare(i, j) {
				t.Errorf("%v compared with %v: %d", x, y, got)
			}
		}
	}
}

// A float that is an integer within 53 bits is that integer, so that values that
// mean the same are the same.
func TestFloatsBecomeIntegers(t *testing.T) {
	for f, integer := range map[float64]bool{
		0: true, math.Copysign(0, -1): true, 1: true, -7: true, 1 << 53: true, -1 << 53: true,
		0.5: false, 1 << 54: false, math.Inf(1): false,
	} {
		v := graphs.Float(f)
		if v.Float == integer || v.Float64() != f {
			t.Errorf("%v is kept as %#v", f, v)
		}
		if integer && v != graphs.Int(int64(f)) {
			t.Errorf("%v is not == to the integer", f)
		}
	}
	for _, v := range numbers(rand.New(rand.NewPCG(2, 17))) {
		if f, _ := exact(v).Float64(); cmp.Compare(f, v.Float64()) != 0 {
			t.Errorf("%v as a float is %v", v, v.Float64())
		}
	}
}

func TestValuesAsText(t *testing.T) {
	for want, v := range map[string]graphs.Value{
		"null": {}, "-3": graphs.Int(-3), "9223372036854775807": graphs.Int(math.MaxInt64), "0.25": graphs.Float(0.25),
		"true": graphs.Boolean(true), "false": graphs.Boolean(false),
		`"<é\"\n>"`: graphs.Str("<é\"\n>"), `""`: graphs.Zero(graphs.String), "0": graphs.Zero(graphs.Number),
	} {
		if v.String() != want {
			t.Errorf("%s, not %s", v, want)
		}
	}
	for k, want := range []string{"untyped", "number", "boolean", "string"} {
		if got := graphs.Kind(k).String(); got != want {
			t.Errorf("kind %d is %s, not %s", k, got, want)
		}
	}
	if graphs.Boolean(true).Equal(graphs.Int(1)) || graphs.Str("a").Equal(graphs.Str("b")) || !graphs.Str("a").Equal(graphs.Str("a")) {
		t.Error("values of other kinds or texts are equal")
	}
	if graphs.Str("a").Text() != "a" || !graphs.Boolean(true).Bool() || graphs.Boolean(false).Bool() {
		t.Error("values do not come back")
	}
}
