package diagram

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// at returns the value at a cut.
func (n *Node) at(c *graphs.Computation, cut graphs.Cut) graphs.Value {
	for !n.Leaf() {
		state := int(n.Chain.State(c, cut))
		i := len(n.Runs) - 1
		for n.Runs[i].From > state {
			i--
		}
		n = n.Runs[i].Node
	}
	return n.Value
}

// valid checks the invariants of a node and of those below.
func (n *Node) valid(known map[string]*Node) error {
	if n.Leaf() {
		if len(n.Runs) > 0 {
			return fmt.Errorf("(1): a leaf with %d runs", len(n.Runs))
		}
		return nil
	}
	key := fmt.Sprint(n.Chain.rank)
	for i, run := range n.Runs {
		key += fmt.Sprintf(" %d %d", run.From, run.Node.id)
		switch {
		case (run.From == n.Chain.Low) != (i == 0), i > 0 && run.From <= n.Runs[i-1].From, run.From > n.Chain.High:
			return fmt.Errorf("(2): run %d of a choice is from %d", i, run.From)
		case len(n.Runs) == 1, i > 0 && run.Node == n.Runs[i-1].Node:
			return fmt.Errorf("(2): run %d leads to the same node as another", i)
		case !run.Node.Leaf() && run.Node.Chain.rank <= n.Chain.rank:
			return fmt.Errorf("(3): %v before %v", n.Chain.Chain, run.Node.Chain.Chain)
		}
		if err := run.Node.valid(known); err != nil {
			return err
		}
	}
	if known[key] == nil {
		known[key] = n
	}
	if known[key] != n {
		return fmt.Errorf("(4): two nodes for %s", key)
	}
	return nil
}

// At every cut, a diagram has the value of the formula by brute force, and so has the Linear of a
// linear comparison.
func TestAgainstBruteForce(t *testing.T) {
	rounds, choices, linear := graphtest.Rounds(t, 1500), 0, 0
	for i := range rounds {
		r := rand.New(rand.NewPCG(23, uint64(i)))
		c := graphtest.Random(r, graphtest.DefaultConfig)
		l := graphtest.NewLattice(c)
		c = c.From(l.Cuts[r.IntN(len(l.Cuts))])
		s := NewStore(context.Background(), c, nil)
		known := make(map[string]*Node)
		for range 3 {
			f := rctltest.RandomFormula(r, c, rctltest.FormulaConfig{Fragment: rctltest.Stateless})
			n, err := s.Formula(f, 1<<16)
			if err != nil || n == nil {
				t.Fatalf("case %d: %s: %v, %v", i, f, n, err)
			}
			if err := n.valid(known); err != nil {
				t.Fatalf("case %d: %s: %v", i, f, err)
			}
			if !n.Leaf() {
				choices++
			}
			var sum Linear
			isLinear := f.Op == syntax.OpAtom && f.Expr.Op == syntax.ExprCompare && len(f.Expr.Rel) == 1
			if isLinear {
				if sum, isLinear = s.Linear(f.Expr.Args[0], f.Expr.Args[1], f.Expr.Rel[0]); isLinear {
					linear++
				}
			}
			for j, want := range rctltest.Holds(l, f) {
				cut := l.Cuts[j]
				if !c.Initial().Within(cut) {
					continue
				}
				if got := n.at(c, cut).Bool(); got != want {
					t.Fatalf("case %d: %s at %v: %t", i, f, cut, got)
				}
				if isLinear {
					if got := holds(t, sum, c, cut); got != want {
						t.Fatalf("case %d: %s at %v: %+v is %t", i, f, cut, sum, got)
					}
				}
			}
		}
	}
	if choices < rounds/4 || linear < rounds/10 {
		t.Errorf("%d formulas are not constant, %d are linear", choices, linear)
	}
}

// holds evaluates a linear comparison, and checks its invariants.
func holds(t *testing.T, l Linear, c *graphs.Computation, cut graphs.Cut) bool {
	t.Helper()
	var sum, most int64
	for i, term := range l.Terms {
		low, high, ok := extremes(term)
		if !ok || low != 0 || high == 0 || i > 0 && term.Chain.rank <= l.Terms[i-1].Chain.rank {
			t.Fatalf("term %d is from %d to %d", i, low, high)
		}
		most += high
		sum += term.at(c, cut).Int64()
	}
	if most != l.Max {
		t.Fatalf("the greatest sum is %d, not %d", most, l.Max)
	}
	return l.Rel.Relates(cmp.Compare(sum, l.Bound))
}

// A diagram that would be too large is abandoned.
func TestLimit(t *testing.T) {
	var b graphs.Builder
	x, y := b.Variable(b.Process("P"), "x"), b.Variable(b.Process("Q"), "y")
	for i := range int64(100) {
		b.Set(x, b.Event(0), graphs.Int(i*i))
		b.Set(y, b.Event(1), graphs.Int(i*i*i))
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		text           string
		scarce, plenty int
	}{
		{"x * y == 8", 5000, 50_000},
		{"x + y <= 100000", 20, 1000},
		{"x > 8 && x != 25", -1, 0},
	} {
		f, err := rctltest.Resolve(c, test.text)
		if err != nil {
			t.Fatal(err)
		}
		s := NewStore(context.Background(), c, nil)
		if n, err := s.Formula(f, test.scarce); (n != nil) != (test.scarce < 0) || err != nil {
			t.Errorf("%s with %d runs: %t, %v", test.text, test.scarce, n != nil, err)
		}
		if n, err := s.Formula(f, test.plenty); n == nil || err != nil {
			t.Errorf("%s with %d runs: %t, %v", test.text, test.plenty, n != nil, err)
		}
	}
}
