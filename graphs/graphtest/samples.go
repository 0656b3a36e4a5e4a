package graphtest

import (
	"iter"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
)

// A Sample is a random computation that has a cut, and all its cuts.
type Sample struct {
	*graphs.Computation
	Lattice *Lattice
	Rand    *rand.Rand // that drew it, for what is asked of it
}

// Samples draws n computations. With later, a third of them begin at one of the cuts, so that the
// lattice has cuts that the computation does not have.
func Samples(n int, seed uint64, config Config, later bool) iter.Seq2[int, Sample] {
	return func(yield func(int, Sample) bool) {
		for i := range n {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			c := Random(r, config)
			if c.Empty() {
				continue
			}
			l := NewLattice(c)
			if later && r.IntN(3) == 0 {
				c = c.From(l.Cuts[r.IntN(len(l.Cuts))])
			}
			if !yield(i, Sample{c, l, r}) {
				return
			}
		}
	}
}

// A Tally counts what came up in random cases.
type Tally map[string]int

// Check logs the counts, and fails the test if one of names came up less often.
func (t Tally) Check(tb testing.TB, least int, names ...string) {
	tb.Helper()
	tb.Log(t)
	for _, name := range names {
		if t[name] < least {
			tb.Errorf("%s: only %d, not %d", name, t[name], least)
		}
	}
}
