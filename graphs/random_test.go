package graphs_test

import (
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
)

// everyLattice calls check for n random computations of all kinds, some of them
// without a cut, and their lattices as brute force finds them.
func everyLattice(t *testing.T, n int, check func(t *testing.T, r *rand.Rand, c *graphs.Computation, l *graphtest.Lattice)) {
	t.Helper()
	cfg := graphtest.DefaultConfig
	for seed := range uint64(graphtest.Rounds(t, n)) {
		r := rand.New(rand.NewPCG(seed, 10))
		if cfg.Kinds &^= graphtest.EmptyOnes; seed%5 == 0 {
			cfg.Kinds |= graphtest.EmptyOnes
		}
		c := graphtest.Random(r, cfg)
		if err := c.Valid(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		check(t, r, c, graphtest.NewLattice(c))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// pick returns the index of a random cut.
func pick(r *rand.Rand, l *graphtest.Lattice) int { return r.IntN(len(l.Cuts)) }

// events returns all events of c.
func events(c *graphs.Computation) []graphs.Event {
	var all []graphs.Event
	for e := graphs.Bottom + 1; e < c.Top(); e++ {
		all = append(all, e)
	}
	return all
}

// mustBuild builds what a test knows to be legal.
func mustBuild(t testing.TB, b *graphs.Builder) *graphs.Computation {
	t.Helper()
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// closure returns the reflexive and transitive closure of happened-before, from
// process order and causal edges.
func closure(c *graphs.Computation) [][]bool {
	n := int(c.Top())
	reach := make([][]bool, n)
	for e := range reach {
		reach[e] = make([]bool, n)
		reach[e][e] = true
	}
	for _, e := range events(c) {
		for _, f := range c.Preds(e) {
			reach[f][e] = true
		}
		if c.Position(e) > 1 {
			reach[e-1][e] = true
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	return reach
}
