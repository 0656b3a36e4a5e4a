package frontier

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// compare compares verdicts on the formulas of every family, about computations of n
// processes with each events each, with what is known to be right. It returns how often
// there was which verdict, and how often which engine found it.
func compare(t *testing.T, seed uint64, rounds, n, each int, right func(*graphs.Computation, *syntax.Formula) rctl.Verdict) map[string]int {
	t.Helper()
	tally := make(map[string]int)
	for i := range rounds {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		c := computation(r, n, each, 0.3)
		text := families[i%len(families)].draw(writer{r, n, c})
		res, _ := decide(t, time.Minute, fmt.Sprintf("case %d", i), c, text)
		f, err := resolve(t.Context(), c, text)
		if err != nil {
			t.Fatal(err)
		}
		if want := right(c, f); res.Verdict != want {
			t.Fatalf("case %d: %s: %s by %s, not %s", i, text, res.Verdict, res.Engine, want)
		}
		tally[res.Verdict.String()]++
		tally[res.Engine.String()]++
	}
	t.Log(tally)
	return tally
}

// On small computations the verdicts are those of brute force.
func TestAgainstBruteForce(t *testing.T) {
	n := graphtest.Rounds(t, 400)
	tally := compare(t, 41, n, 3, 4, func(c *graphs.Computation, f *syntax.Formula) rctl.Verdict {
		l := graphtest.NewLattice(c)
		if rctltest.Holds(l, f)[l.Initial] {
			return rctl.Holds
		}
		return rctl.Fails
	})
	if tally["holds"] < n/5 || tally["fails"] < n/5 {
		t.Error("too few hold, or fail")
	}
}

// Where there are too many cuts for brute force, but not for enumeration, the verdicts
// are those of the latter.
func TestAgainstEnumeration(t *testing.T) {
	n := graphtest.Rounds(t, 200)
	tally := compare(t, 47, n, 5, 7, func(c *graphs.Computation, f *syntax.Formula) rctl.Verdict {
		res, err := rctl.Check(t.Context(), c, f, rctl.Options{Engine: rctl.Explicit})
		if err != nil {
			t.Fatal(err)
		}
		return res.Verdict
	})
	for _, want := range []string{"holds", "fails", "local", "ends"} {
		if tally[want] < n/50 {
			t.Errorf("%s: only %d of %d", want, tally[want], n)
		}
	}
}
