package intervals

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/enginetest"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// randomInevitable returns a computation and a formula EF(r && AF q) about it.
func randomInevitable(t *testing.T, r *rand.Rand) (*graphs.Computation, *syntax.Formula) {
	var c *graphs.Computation
	var where, avoid string
	if r.IntN(3) == 0 {
		c = graphtest.Random(r, graphtest.DefaultConfig)
		where, avoid = "true", randomDisjunction(r, c)
	} else {
		c = sections(t, r, 3, r.IntN(6))
		avoid = []string{"in@P0 || in@P1", "in@P0 || in@P1 || in@P2", "in@P0 || !in@P1 || x@P2 == 1"}[r.IntN(3)]
		where = []string{"in@P0", "in@P0 && x@P1 != 1", "x@P2 == 1 && in@P0", "x@P0 != 2 && EF(x@P1 == 2)", "in@P2 && AG(x@P1 != 1)"}[r.IntN(5)]
	}
	f, err := rctltest.Resolve(c, fmt.Sprintf("EF((%s) && !EG(%s))", where, avoid))
	if err != nil {
		t.Fatal(err)
	}
	if where == "true" {
		g := rctltest.RandomFormula(r, c, rctltest.FormulaConfig{Fragment: rctltest.Regular, Depth: 2})
		f = &syntax.Formula{Op: syntax.OpEF, Sub: []*syntax.Formula{syntax.And(g, f.Sub[0].Sub[len(f.Sub[0].Sub)-1])}}
	}
	return c, f
}

// EF(r && AF q) is that of brute force.
func TestInevitableAgainstBruteForce(t *testing.T) {
	tally := make(map[string]int)
	cases := graphtest.Rounds(t, 2_000)
	for i := range uint64(cases) {
		r := rand.New(rand.NewPCG(i, 43))
		c, f := randomInevitable(t, r)
		if c.NumProcesses() == 0 || c.Empty() {
			continue
		}
		l := graphtest.NewLattice(c)
		if r.IntN(3) == 0 {
			c = c.From(l.Cuts[r.IntN(len(l.Cuts))])
		}
		p := enginetest.Problem(c, true)
		f = p.Normal(f)
		a, ok := enginetest.Twin(t, i, l, p, Inevitable, f)
		if !ok {
			tally["not taken on"]++
			continue
		}
		if a.Verdict == engine.Unknown {
			t.Fatalf("case %d: %s from %v is not decided", i, f, c.Initial())
		}
		tally[a.Verdict.String()]++
		if a.Verdict == engine.Fails {
			continue
		}
		if a.Runs[0].Cut.Size() > c.Initial().Size()+2 {
			tally["long"]++
		}
	}
	t.Log(tally)
	if tally["holds"] < cases/10 || tally["fails"] < cases/10 || tally["long"] < cases/50 || tally["not taken on"] > cases/3 {
		t.Error(tally)
	}
}
