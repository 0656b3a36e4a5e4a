package atoms_test

import (
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// A test says at every cut what brute force says, with a table and without.
func TestTestAgainstBruteForce(t *testing.T) {
	ofOne, n := 0, graphtest.Rounds(t, 5000)
	for i := range n {
		r := rand.New(rand.NewPCG(31, uint64(i)))
		c := graphtest.Random(r, graphtest.DefaultConfig)
		if c.Empty() {
			continue
		}
		f := syntax.NNF(rctltest.RandomFormula(r, c, rctltest.FormulaConfig{Fragment: rctltest.Stateless, Depth: 1 + r.IntN(3)}))
		test, err := atoms.NewTest(c, f)
		if err != nil {
			t.Fatal(err)
		}
		if owner, _, ok := syntax.ChainOf(f); ok && owner >= 0 {
			ofOne++
		}
		l := graphtest.NewLattice(c)
		for j, want := range rctltest.Holds(l, f) {
			if test.At(l.Cuts[j]) != want {
				t.Fatalf("case %d: %s at %v: %t", i, f, l.Cuts[j], !want)
			}
		}
	}
	if ofOne < n/20 {
		t.Errorf("only %d of %d formulas are of one process", ofOne, n)
	}
}
