package slice

import (
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/enginetest"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// EF of a disjunction of predicates of single chains is what brute force says, and no run
// is shorter than that found.
func TestChains(t *testing.T) {
	n := graphtest.Rounds(t, 4000)
	tally := make(graphtest.Tally)
	for i := range n {
		r := rand.New(rand.NewPCG(71, uint64(i)))
		c := graphtest.Random(r, graphtest.Config{Processes: 3, Events: 18, Kinds: graphtest.AllKinds})
		if c.Empty() || c.Cyclic() {
			continue
		}
		l := graphtest.NewLattice(c)
		from := l.Cuts[r.IntN(len(l.Cuts))]
		c = c.From(from)
		var ds []*syntax.Formula
		for range 1 + r.IntN(4) {
			text := enginetest.LocalPredicate(r, c, r.IntN(c.NumProcesses()))
			if text == "" {
				continue
			}
			d, err := rctltest.Resolve(c, text)
			if err != nil {
				t.Fatal(err)
			}
			ds = append(ds, d)
		}
		p := enginetest.Problem(c, r.IntN(2) == 0)
		f := p.Normal(&syntax.Formula{Op: syntax.OpEF, Sub: []*syntax.Formula{syntax.Or(ds...)}})
		if f.Op != syntax.OpEF {
			continue
		}
		a, err := chains(p, f, syntax.Alternatives(f.Sub[0]))
		if err != nil {
			t.Fatal(err)
		}
		if want := engine.VerdictOf(rctltest.Holds(l, f)[l.Index(from)]); a.Verdict != want {
			t.Fatalf("case %d: %s: %s, not %s", i, f, a.Verdict, want)
		}
		if tally[a.Verdict.String()]++; a.Verdict == engine.Fails || !p.Evidence {
			continue
		}
		if err := enginetest.CheckRun(l, c, a.Runs[0]); err != nil {
			t.Fatalf("case %d: %s: %v", i, f, err)
		}
		if size := l.LeastSize(rctltest.Holds(l, f.Sub[0]), nil, from); a.Runs[0].Cut.Size() != size {
			t.Fatalf("case %d: %s: the run ends at %v, the nearest cut has %d events", i, f, a.Runs[0].Cut, size)
		}
		tally["run"]++
	}
	tally.Check(t, n/50, "holds", "fails", "run")
}
