package graphs_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
)

// timed returns a computation of one process whose events have these times.
func timed(t testing.TB, texts ...string) *graphs.Computation {
	var b graphs.Builder
	p := b.Process("P")
	for _, text := range texts {
		if h := b.Event(p); text != "" {
			b.SetTime(h, text)
		}
	}
	return mustBuild(t, &b)
}

func TestInstant(t *testing.T) {
	for _, test := range []struct {
		text string
		unit time.Duration
		want string
	}{
		{"", time.Second, "none"},
		{"0", time.Second, "0"},
		{"12", time.Second, "12000000000"},
		{"12", time.Nanosecond, "12"},
		{"1.5", time.Millisecond, "1500000"},
		{"1700000000.123456789", time.Second, "1700000000123456789"},
		{"0.1234567899", time.Second, "123456789"},
		{"-0.0000000001", time.Second, "-1"},
		{"-1.5", time.Nanosecond, "-2"},
		{"-1.5", time.Microsecond, "-1500"},
		{"1.7e9", time.Second, "1700000000000000000"},
		{"1E-3", time.Second, "1000000"},
		{"-1e-400", time.Second, "-1"},
		{"-0e99999999", time.Second, "0"},
		{"1e-999999999999", time.Second, "0"},
		{"9223372036.854775807", time.Second, "9223372036854775807"},
		{"-9223372036.854775807", time.Second, "-9223372036854775807"},
		{"00012", time.Second, "the time of P:1, 00012, is neither a number nor a time as in RFC 3339"},
		{"9223372036.854775808", time.Second, "the time of P:1, 9223372036.854775808, is not between the years 1678 and 2261"},
		{"1e300", time.Second, "the time of P:1, 1e300, is not between the years 1678 and 2261"},
		{"1e999", time.Second, "the time of P:1, 1e999, is not between the years 1678 and 2261"},
		{`"1970-01-01T00:00:00Z"`, time.Millisecond, "0"},
		{`"1970-01-01T01:00:00.000000001+01:00"`, time.Second, "1"},
		{`"1969-12-31T23:59:59.9-00:30"`, time.Second, "1799900000000"},
		{`"2024-02-29T12:00:00.5Z"`, time.Second, "1709208000500000000"},
		{`"2024-02-29T12:00:00,5Z"`, time.Second, "1709208000500000000"},
		{`"2024-02-29T12:00:00.1234567899Z"`, time.Second, "1709208000123456789"},
		{`"2024-02-29T12:00:00\u005a"`, time.Second, "1709208000000000000"},
		{`"2023-02-29T12:00:00Z"`, time.Second, `the time of P:1, "2023-02-29T12:00:00Z", is neither a number nor a time as in RFC 3339`},
		{`"0001-01-01T00:00:00Z"`, time.Second, `the time of P:1, "0001-01-01T00:00:00Z", is not between the years 1678 and 2261`},
		{`"noon"`, time.Second, `the time of P:1, "noon", is neither a number nor a time as in RFC 3339`},
		{`noon`, time.Second, `the time of P:1, noon, is neither a number nor a time as in RFC 3339`},
		{`true`, time.Second, `the time of P:1, true, is neither a number nor a time as in RFC 3339`},
		{`"`, time.Second, `the time of P:1, ", is neither a number nor a time as in RFC 3339`},
		{`"1970-01-01T00:00:00"`, time.Second, `the time of P:1, "1970-01-01T00:00:00", is neither a number nor a time as in RFC 3339`},
	} {
		c := timed(t, test.text, "1")
		n, ok, err := c.Instant(1, test.unit)
		got := strconv.FormatInt(n, 10)
		var bad *graphs.TimeError
		switch {
		case errors.As(err, &bad) && bad.Event == 1 && !ok:
			got = err.Error()
		case !ok:
			got = "none"
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.text, got, test.want)
		}
		if c.Time(1) != test.text {
			t.Errorf("%q became %q", test.text, c.Time(1))
		}
	}
}

// randomTime writes a time in one of many ways, right or nearly right, and returns its nanoseconds
// if it is right.
func randomTime(r *rand.Rand) (text string, want *big.Int) {
	if r.IntN(3) > 0 {
		at := time.Unix(r.Int64N(18e9)-9e9, r.Int64N(1e9))
		layout := "2006-01-02T15:04:05"
		if n := r.IntN(11); n > 0 {
			layout += "." + strings.Repeat("0", n)
			at = at.Truncate([]time.Duration{1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 10, 1, 1}[n])
		} else {
			at = at.Truncate(time.Second)
		}
		zone := time.UTC
		if r.IntN(2) == 0 {
			zone = time.FixedZone("", 60*(r.IntN(2*1439)-1439))
		}
		return strconv.Quote(at.In(zone).Format(layout + "Z07:00")), big.NewInt(at.UnixNano())
	}
	digits := r.IntN(22)
	n := new(big.Int).Mul(big.NewInt(r.Int64N(1<<(1+r.IntN(62)))), big.NewInt([]int64{1, 1, 1, 1e6, 1e9}[r.IntN(5)]))
	s := fmt.Sprintf("%0*s", digits+1, n)
	if digits > 0 {
		s = s[:len(s)-digits] + "." + s[len(s)-digits:]
	}
	if r.IntN(4) == 0 {
		s = "-" + s
	}
	if r.IntN(6) == 0 {
		s += fmt.Sprintf("e%d", r.IntN(12)-6)
	}
	rat, _ := new(big.Rat).SetString(s)
	rat.Mul(rat, big.NewRat(1e6, 1))
	return s, new(big.Int).Div(rat.Num(), rat.Denom())
}

// Times in all ways come back as they were written, and as the instant that exact
// arithmetic gives.
func TestTimesTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 20000
	texts, wants := make([]string, n), make([]*big.Int, n)
	var b graphs.Builder
	p := [2]int{b.Process("P"), b.Process("Q")}
	for range n {
		b.Event(p[r.IntN(2)])
	}
	handles := r.Perm(n)
	for _, h := range handles[:n*9/10] {
		if r.IntN(50) == 0 {
			b.SetTime(graphs.Handle(h), "1e5") // replaced below
		}
		texts[h], wants[h] = randomTime(r)
		b.SetTime(graphs.Handle(h), texts[h])
	}
	events := make([]graphs.Event, n)
	for h := range n {
		b.SetID(graphs.Handle(h), strconv.AppendInt(nil, int64(h), 10))
	}
	c := mustBuild(t, &b)
	for e := graphs.Event(1); e < c.Top(); e++ {
		h, _ := strconv.Atoi(c.ID(e))
		events[h] = e
	}
	for h, e := range events {
		if c.Time(e) != texts[h] {
			t.Fatalf("%q became %q", texts[h], c.Time(e))
		}
		at, ok, err := c.Instant(e, time.Millisecond)
		switch {
		case texts[h] == "":
			if ok || err != nil {
				t.Fatalf("no time: %v, %v", at, err)
			}
		case ok != wants[h].IsInt64() || ok != (err == nil) || ok && at != wants[h].Int64():
			t.Fatalf("%s: %d, %v, want %s", texts[h], at, err, wants[h])
		}
	}
}

func FuzzTime(f *testing.F) {
	for _, text := range []string{"1", "-0.5", "1e9", `"2024-02-29T12:00:00.5Z"`, `"2024-02-29T12:00:00+23:59"`, `"2024-13-29T12:00:00Z"`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := timed(t, text)
		if c.Time(1) != text {
			t.Fatalf("%q became %q", text, c.Time(1))
		}
		at, ok, err := c.Instant(1, time.Second)
		if s, unquoted := strings.CutPrefix(text, `"`); unquoted && strings.HasSuffix(s, `"`) && !strings.ContainsAny(s, `\`) && s != `"` {
			want, wantErr := time.Parse(time.RFC3339, s[:len(s)-1])
			if (wantErr == nil) != (err == nil) && want.Year() >= 1678 && want.Year() <= 2261 || ok && at != want.UnixNano() {
				t.Fatalf("%s: %d, %v, want %v, %v", text, at, err, want, wantErr)
			}
		}
	})
}

// A time can be removed.
func TestNoTime(t *testing.T) {
	var b graphs.Builder
	e := b.Event(b.Process("P"))
	b.SetTime(e, "7")
	b.SetTime(e, "")
	if text := mustBuild(t, &b).Time(1); text != "" {
		t.Errorf("the time is %s", text)
	}
}
