package explicit

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/enginetest"
	"github.com/pota-project/pota/rctl/rctltest"
)

// Verdicts are those of brute force, and runs are as short as can be.
func TestAgainstBruteForce(t *testing.T) {
	const each = 4
	tally := make(graphtest.Tally)
	n := graphtest.Rounds(t, 8000)
	for i, sample := range graphtest.Samples(n/each, 23, graphtest.DefaultConfig, true) {
		r, c, l := sample.Rand, sample.Computation, sample.Lattice
		for range each {
			p := enginetest.Problem(c, true)
			f := p.Normal(enginetest.RandomFormula(r, c))
			task, err := Prepare(p, f)
			if err != nil {
				t.Fatal(err)
			}
			a, err := task.Decide()
			if err != nil {
				t.Fatal(err)
			}
			if want := engine.VerdictOf(rctltest.Holds(l, f)[l.Index(c.Initial())]); a.Verdict != want {
				t.Fatalf("pair %d: %s: %s, not %s", i, f, a.Verdict, want)
			}
			tally[a.Verdict.String()]++
			for _, run := range a.Runs {
				if err := enginetest.CheckRun(l, c, run); err != nil {
					t.Fatalf("pair %d: %s: %v", i, f, err)
				}
				tally[fmt.Sprintf("%s, whole: %t", run.Formula.Op, run.Whole)]++
				if len(run.Events) > 2 && !run.Whole {
					tally["long"]++
				}
			}
		}
	}
	tally.Check(t, n/400,
		"holds", "fails", "long", "EX, whole: false", "EF, whole: false", "EG, whole: true", "E[ U ], whole: false",
		"E[ R ], whole: false", "E[ R ], whole: true", "E[ W ], whole: false", "E[ W ], whole: true",
	)
}

// What does not fit into memory is left undecided.
func TestMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 0))
	c := graphtest.Random(r, graphtest.Config{Processes: 6, Events: 60, Kinds: graphtest.Messages | graphtest.Variables})
	p := enginetest.Problem(c, true)
	p.Bytes = 1 << 10
	f, err := rctltest.Resolve(c, "AG EF true")
	if err != nil {
		t.Fatal(err)
	}
	task, err := Prepare(p, p.Normal(f))
	if err != nil {
		t.Fatal(err)
	}
	a, err := task.Decide()
	if err != nil || a.Verdict != engine.Unknown || !strings.HasPrefix(a.Reason, "enumerating the cuts: ") {
		t.Errorf("%+v, %v", a, err)
	}
}
