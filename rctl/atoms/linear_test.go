package atoms_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// comparisons lists those in a formula.
func comparisons(f *syntax.Formula) (list []*syntax.Expr) {
	syntax.Walk(f, func(f *syntax.Formula) bool {
		if f.Op == syntax.OpAtom {
			syntax.WalkExpr(f.Expr, func(e *syntax.Expr) {
				if e.Op == syntax.ExprCompare && e.Args[0].Type == syntax.NumberType {
					list = append(list, e)
				}
			})
		}
		return true
	})
	return list
}

// What a difference is taken apart into adds up to it at every cut.
func TestDecompose(t *testing.T) {
	n, parts, channels, refused := graphtest.Rounds(t, 3000), 0, 0, 0
	for i := range n {
		r := rand.New(rand.NewPCG(32, uint64(i)))
		c := graphtest.Random(r, graphtest.DefaultConfig)
		l := graphtest.NewLattice(c)
		for _, e := range comparisons(rctltest.RandomFormula(r, c, rctltest.FormulaConfig{Fragment: rctltest.Stateless})) {
			x, y := e.Args[0], e.Args[1]
			sum, err := atoms.Decompose(c, x, y)
			if err != nil {
				t.Fatal(err)
			}
			if sum == nil {
				refused++
				continue
			}
			parts += len(sum.Terms) / 3
			channels += len(sum.Channels)
			want, err := atoms.CompileTerm(c, &syntax.Expr{Op: syntax.ExprSub, Args: []*syntax.Expr{x, y}, Type: syntax.NumberType})
			if err != nil {
				t.Fatal(err)
			}
			for _, cut := range l.Cuts {
				if got, want := total(c, sum, cut), want.At(cut, want.Env()); !got.Equal(want) {
					t.Fatalf("case %d: %s - (%s) at %v is %v, and its parts add up to %v", i, x, y, cut, want, got)
				}
			}
		}
	}
	if parts < n/20 || channels < n/20 || refused < n/50 {
		t.Errorf("%d sums of several terms, %d channels, and %d refused", parts, channels, refused)
	}
}

func total(c *graphs.Computation, sum *atoms.Linear, cut graphs.Cut) graphs.Value {
	x := graphs.Int(0)
	for _, part := range sum.Terms {
		if _, ok := part.Term.Chain(); !ok && len(part.Term.Slots) > 0 {
			panic("a term of several chains")
		}
		x = x.Add(part.Term.At(cut, part.Term.Env()).Mul(graphs.Int(part.Factor)))
	}
	for _, h := range sum.Channels {
		sent, received := h.Ends(c)
		x = x.Add(sent.At(c, cut).Sub(received.At(c, cut)).Mul(graphs.Int(h.Factor)))
	}
	return x
}

// Factors are whole, and not too large.
func TestFactors(t *testing.T) {
	var b graphs.Builder
	b.Init(b.Variable(b.Process("P"), "x"), graphs.Int(1))
	b.Init(b.Variable(b.Process("Q"), "y"), graphs.Int(1))
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]int64{
		"x + y":                                 {1, 1},
		"x - 2 * (y + x) + 0.5":                 {1, -2, -2, 1},
		"-(3 - 1) * (x - 3 * (y + x))":          {-2, 6, 6},
		"1152921504606846976 * (x + y)":         {1 << 60, 1 << 60},
		"(sum i: sum j: 2 * transit(i, j)) + x": {1, 2, 2, 2, 2},
		"3 * transit(P, Q) - 3 * transit(P, Q)": {},
		"99 * transit(P, Q) - transit(P, Q)":    nil,
		"-2 * transit(P, Q) - 99*transit(P, Q)": {-101},
		"(count i in {P, Q}: 5 > 4) - x - y":    {1, -1},
		"x * y":                                 nil,
		"2 * (0.5 * (x + y))":                   nil,
		"0.5 * (x + y)":                         nil,
		"2 * 1152921504606846976 * (x + y)":     nil,
		"9223372036854775807 * (x + y)":         nil,
		"x * transit(P, Q)":                     nil,
		"(count i in {P, Q}: x + y > 1) - x":    nil,
	} {
		f, err := rctltest.Resolve(c, "("+text+") == 0")
		if err != nil {
			t.Fatal(err)
		}
		sum, err := atoms.Decompose(c, f.Expr.Args[0], nil)
		if err != nil || (sum != nil) != (want != nil) {
			t.Errorf("%s: taken apart %t, %v", text, sum != nil, err)
		}
		if sum == nil {
			continue
		}
		var got []int64
		for _, part := range sum.Terms {
			got = append(got, part.Factor)
		}
		for _, h := range sum.Channels {
			got = append(got, h.Factor)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
