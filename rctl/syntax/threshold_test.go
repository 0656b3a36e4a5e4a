package syntax

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// A threshold says the same as the count, whatever holds.
func TestThreshold(t *testing.T) {
	for n := 2; n <= 6; n++ {
		scope := manyProcesses(n)
		for k := -2; k <= n+2; k++ {
			for rel := Less; rel <= Greater; rel++ {
				text := fmt.Sprintf("(count i: cs@i) + 0 * (sum i: 1) %s %d", rel, k)
				f, err := Resolve(context.Background(), mustParse(t, text), scope)
				if err != nil {
					t.Fatal(err)
				}
				e := new(*f.Expr)
				e.Args = []*Expr{f.Expr.Args[0].Args[0], f.Expr.Args[1]}
				if k < 0 {
					e.Args[1] = &Expr{Op: ExprNumber, Int: int64(k), Type: NumberType}
				}
				g := Threshold(e, 1000)
				for bits := range 1 << n {
					count := 0
					for p := range n {
						count += bits >> p & 1
					}
					if got, want := truth(g, bits), rel.Relates(count-k); got != want {
						t.Fatalf("%s with %d of %d is %v: %s", e, count, n, got, g)
					}
				}
			}
		}
	}
}

// truth evaluates a formula over cs@p, which holds where the bit of that number is set.
func truth(f *Formula, bits int) bool {
	switch f.Op {
	case OpTrue, OpFalse:
		return f.Op == OpTrue
	case OpAtom:
		return bits>>f.Expr.Owner&1 > 0
	case OpNot:
		return !truth(f.Sub[0], bits)
	}
	for _, sub := range f.Sub {
		if truth(sub, bits) == (f.Op == OpOr) {
			return f.Op == OpOr
		}
	}
	return f.Op == OpAnd
}

// What quantifiers over several names say of many processes has no instances.
func TestManyProcesses(t *testing.T) {
	const n = 20_000
	scope := manyProcesses(n)
	for _, src := range []string{
		"AG(forall i != j: !(cs@i && cs@j))",
		"AG(forall i != j != k: !(cs@i && cs@j && cs@k))",
		"EF(exists i != j: cs@i && x@j > 1)",
		"forall i, j: cs@i -> x@j > 1",
		"forall i: EF(exists j: x@j > x@i)",
	} {
		f := mustResolve(t, src, scope)
		size := 0
		WalkExprs(f, func(*Expr) { size++ })
		if size > 20*n && !strings.Contains(f.String(), "max") {
			t.Errorf("%s has %d expressions over %d processes", src, size, n)
		}
	}
}
