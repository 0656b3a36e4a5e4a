package syntax

import (
	"fmt"
	"testing"
)

func TestDifference(t *testing.T) {
	for _, test := range []struct{ src, want string }{
		{"x@P1 - y@P2 <= 3", "x@P1 - y@P2"},
		{"x@P1 <= y@P2 + 3", "x@P1 - y@P2"},
		{"x@P1 - 3 < y@P2", "x@P1 - y@P2"},
		{"x@P1 >= y@P2", "y@P2 - x@P1"},
		{"x@P1 <= x@P3", "x@P1 - x@P3"},
		{"x@P1 - x@P1 <= y@P2 - x@P3", ""},
		{"2 * 3 - x@P1 > 1 - y@P2", "x@P1 - y@P2"},
		{"2 * 3 - x@P1 > 1 - y@P2 + x@P3 - x@P3", ""},
		{"2 * x@P1 - x@P1 <= y@P2 * 1", ""},
		{"3 + x@P1 <= y@P2 * 1", "x@P1 - y@P2"},
		{"x@P1 - y@P2 <= 0.5", "x@P1 - y@P2"},
		{"-(y@P2 - x@P1) <= 9007199254740993", "x@P1 - y@P2"},
		{"x@P1 - y@P2 == 3", ""},
		{"x@P1 - y@P2 != 3", ""},
		{"x@P1 - x@P1 <= 3", ""},
		{"x@P1 - only <= 3", ""},
		{"x@P1 - turn <= 3", ""},
		{"x@P1 + y@P2 <= 3", ""},
		{"2 * x@P1 - y@P2 <= 3", ""},
		{"2 * x@P1 - 2 * y@P2 <= 3", ""},
		{"x@P1 * y@P2 <= 3", ""},
		{"x@P1 - y@P2 - x@P3 <= 3", ""},
		{"x@P1 - y@P2 <= 3 <= x@P1", ""},
		{"x@P1 - transit(P1, P2) <= 3", ""},
		{"x@P1 - y@P2 + 9223372036854775807 + 9223372036854775807 <= 3", "x@P1 - y@P2"},
		{"6148914691236517205 * x@P1 + 3 * y@P2 <= 3", ""}, // the factors multiply to -1 modulo 2^64
	} {
		x, y, ok := differenceOf(mustResolve(t, test.src, threeProcesses()).Expr)
		got := ""
		if ok {
			got = fmt.Sprint(x, " - ", y)
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.src, got, test.want)
		}
	}
}

func TestTransitBound(t *testing.T) {
	const none = " or more"
	for _, test := range []struct{ src, want string }{
		{"transit(P1, P2) <= 3", "0 to 3"},
		{"transit(P1, P2) < 3", "0 to 2"},
		{"transit(P1, P2) >= 3", "3" + none},
		{"transit(P1, P2) > 3", "4" + none},
		{"transit(P1, P2) == 3", "3 to 3"},
		{"3 > transit(P1, P2) + 1", "0 to 1"},
		{"1 <= transit(P1, P2) <= 3", "1 to 3"},
		{"3 - transit(P1, P2) >= 1 + 1", "0 to 1"},
		{"2 < transit(P1, P2) < 2", "3 to 1"},
		{"transit(P1, P2) < 0", "0 to -1"},
		{"transit(P1, P2) <= -7", "0 to -1"},
		{"transit(P1, P2) >= -7", "0" + none},
		{"transit(P1, P2) <= 2.5", "0 to 2"},
		{"transit(P1, P2) < 2.5", "0 to 2"},
		{"transit(P1, P2) > 2.5", "3" + none},
		{"transit(P1, P2) >= 2.5", "3" + none},
		{"transit(P1, P2) == 2.5", "3 to 2"},
		{"transit(P1, P2) < 3.0", "0 to 2"},
		{"transit(P1, P2) != 3", ""},
		{"transit(P1, P2) <= 3 != 4", ""},
		{"transit(P1, P2) <= turn", ""},
		{"transit(P1, P2) + turn <= 3 + turn", ""},
		{"transit(P1, P2) + 0.1 <= 1.1", ""},
		{"transit(P1, P2) <= 0.5 * 6", ""},
		{"transit(P1, P2) + 9223372036854775807 - 5000 <= 9223372036854770809", ""},
		{"2 * transit(P1, P2) <= 3", ""},
		{"transit(P1, P2) <= transit(P2, P1)", ""},
		{"transit(P1, P2) <= 3 <= transit(P2, P1)", ""},
		{"1 <= 2", ""},
	} {
		b, ok := transitBound(mustResolve(t, test.src, threeProcesses()).Expr)
		got := ""
		if ok && (b.FromID != 0 || b.ToID != 1 || b.From.Text != "P1" || b.To.Text != "P2") {
			t.Errorf("%s: from %v to %v", test.src, b.From, b.To)
		}
		switch {
		case ok && b.AtMost == NoBound:
			got = fmt.Sprint(b.AtLeast) + none
		case ok:
			got = fmt.Sprint(b.AtLeast, " to ", b.AtMost)
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.src, got, test.want)
		}
	}
}

// values evaluates expressions over small whole numbers, the plain way.
type values map[string]int64

func (v values) number(e *Expr) int64 {
	switch e.Op {
	case ExprNumber:
		return e.Int
	case ExprVar, ExprTransit:
		return v[e.String()]
	case ExprNeg:
		return -v.number(e.Args[0])
	case ExprAdd:
		return v.number(e.Args[0]) + v.number(e.Args[1])
	case ExprSub:
		return v.number(e.Args[0]) - v.number(e.Args[1])
	case ExprMul:
		return v.number(e.Args[0]) * v.number(e.Args[1])
	}
	panic("not a number: " + e.String())
}

func (v values) holds(e *Expr) bool {
	for i, rel := range e.Rel {
		x, y := v.number(e.Args[i]), v.number(e.Args[i+1])
		if !map[Relop]bool{Less: x < y, LessEqual: x <= y, Equal: x == y, NotEqual: x != y, GreaterEqual: x >= y, Greater: x > y}[rel] {
			return false
		}
	}
	return true
}

// TestBoundsMeanTheSame compares Split, Invert, differenceOf and transitBound
// with the comparisons they take apart, on small numbers.
func TestBoundsMeanTheSame(t *testing.T) {
	p, q := Name{Text: "P"}, Name{Text: "Q"}
	seen := map[string]int{}
	for seed := range rounds(2000) {
		g := newGenerator(uint64(seed))
		leaves := []*Expr{{Op: ExprVar, Text: "x", Process: p, Owner: 0}, {Op: ExprVar, Text: "y", Process: q, Owner: 1}}
		if seed%2 == 0 {
			leaves = []*Expr{{Op: ExprTransit, Channel: &Channel{From: p, To: q, ToID: 1}}}
		}
		var sum func(size int) *Expr
		sum = func(size int) *Expr {
			if size == 0 {
				return pick(g, append(leaves, &Expr{Op: ExprNumber, Int: g.Int64N(7) - 3})...)
			}
			op := pick(g, ExprAdd, ExprSub, ExprSub, ExprMul, ExprNeg)
			if op == ExprNeg {
				return &Expr{Op: op, Args: []*Expr{sum(size - 1)}, Type: NumberType}
			}
			return &Expr{Op: op, Args: []*Expr{sum(size - 1), sum(g.IntN(size))}, Type: NumberType}
		}
		e := &Expr{Op: ExprCompare, Args: []*Expr{sum(g.IntN(3))}}
		for range 1 + g.IntN(2) {
			e.Rel = append(e.Rel, Relop(g.IntN(6)))
			e.Args = append(e.Args, sum(g.IntN(3)))
		}
		for x := int64(-4); x <= 4; x++ {
			for y := int64(-4); y <= 4; y++ {
				v := values{"x@P": x, "y@Q": y, "transit(P, Q)": x + 4}
				want := v.holds(e)
				all := true
				for _, part := range Split(e) {
					all = all && v.holds(part)
				}
				if all != want {
					t.Fatalf("seed %d: %s is split into %v", seed, e, Split(e))
				}
				if g, ok := Invert(e); ok {
					seen["inverted"]++
					if v.holds(g) == want {
						t.Fatalf("seed %d: %s is inverted to %s", seed, e, g)
					}
				}
				if less, more, ok := differenceOf(e); ok {
					seen["difference"]++
					// True, it stays so where one is less or the other is more.
					v[less.String()]--
					lesser := v.holds(e)
					v[less.String()]++
					v[more.String()]++
					if want && (!lesser || !v.holds(e)) {
						t.Fatalf("seed %d: %s is taken for a bound on %s - %s", seed, e, less, more)
					}
					v[more.String()]--
				}
				if b, ok := transitBound(e); ok {
					seen["bound"]++
					if n := x + 4; (b.AtLeast <= n && n <= b.AtMost) != want {
						t.Fatalf("seed %d: %s is taken for %+v", seed, e, b)
					}
				}
			}
		}
	}
	for _, what := range []string{"inverted", "difference", "bound"} {
		if seen[what] < rounds(1000) {
			t.Errorf("only %d times %s", seen[what], what)
		}
	}
}

// TestIsRegular: closed under union and intersection, on grids of values that
// grow with the cut.
func TestIsRegular(t *testing.T) {
	for _, test := range []struct {
		src  string
		want bool
	}{
		{"x@P1 <= y", true},
		{"!(x@P1 <= y)", true},
		{"x@P1 == y", true},
		{"!(x@P1 == y)", false},
		{"x@P1 != y", false},
		{"!(x@P1 != y)", true},
		{"!(1 <= transit(P1, P2) <= 2)", false},
		{"!(transit(P1, P2) <= 2)", true},
		{"1 <= transit(P1, P2) <= 2", true},
		{"cs@P1 || x@P1 > 2", true},
		{"cs@P1 || cs@P2", false},
		{"cs@P1 && cs@P2", false},
		{"EF cs@P1", false},
	} {
		if got := new(classifier).regular(mustResolve(t, test.src, threeProcesses())); got != test.want {
			t.Errorf("%s: %v", test.src, got)
		}
	}
}
