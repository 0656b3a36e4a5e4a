package graphs

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"
)

// Times are added exactly, whatever their form.
func TestAddTime(t *testing.T) {
	for _, x := range [][3]string{
		{"0.005", "9.985s", "9.99"},
		{"0", "10s", "10"},
		{"-1.5", "1.5s", "0"},
		{"-0.25", "100ms", "-0.15"},
		{"1e3", "1ms", "1000.001"},
		{"9223372036854775807", "1s", "9223372036854775808"},
		{"[1,2.50]", "1s", "[2,3.5]"},
		{`"2024-05-01T12:00:00+02:00"`, "90m", `"2024-05-01T13:30:00+02:00"`},
		{`"2024-12-31T23:59:59.5Z"`, "1ns", `"2024-12-31T23:59:59.500000001Z"`},
		{`"now"`, "1s", ""},
		{"x", "1s", ""},
	} {
		d, err := time.ParseDuration(x[1])
		if err != nil {
			t.Fatal(err)
		}
		if got := AddTime(x[0], d, time.Second); got != x[2] {
			t.Errorf("%s + %s = %s, want %s", x[0], x[1], got, x[2])
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		n, digits := (r.Int64()-math.MaxInt64/2)>>r.IntN(60), uint8(r.IntN(20))
		text := timeForm{digits: digits}.numberText(n)
		d, unit := r.Int64()>>r.IntN(60), []time.Duration{1, time.Microsecond, time.Millisecond, time.Second}[r.IntN(4)]
		got, ok := new(big.Rat).SetString(AddTime(text, time.Duration(d), unit))
		want, _ := new(big.Rat).SetString(text)
		if want.Add(want, big.NewRat(d, int64(unit))); !ok || got.Cmp(want) != 0 {
			t.Fatalf("%s + %d/%d = %v, want %v", text, d, unit, got, want)
		}
	}
}
