package graphs_test

import (
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
)

func TestPrecedence(t *testing.T) {
	t.Parallel()
	for seed := range uint64(graphtest.Rounds(t, 400)) {
		r := rand.New(rand.NewPCG(seed, 1))
		c := graphtest.Random(r, graphtest.Config{Processes: 4, Events: 30, Kinds: graphtest.AllKinds})
		want := graphtest.HappenedBefore(c)
		p := graphs.NewPrecedence(c)
		for range min(200, 1000*c.NumEvents()) {
			e, f := graphs.Event(1+r.IntN(c.NumEvents())), graphs.Event(1+r.IntN(c.NumEvents()))
			if got := p.Before(e, f); got != (e == f || want[e][f]) {
				t.Fatalf("seed %d: %s before %s: %t", seed, c.ID(e), c.ID(f), got)
			}
		}
	}
}
