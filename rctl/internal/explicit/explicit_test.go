package explicit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/internal/replay"
)

func problem(c *graphs.Computation) *engine.Problem {
	ctx := context.Background()
	return &engine.Problem{Slices: regular.New(ctx, c, regular.NewMemo()), Ctx: ctx, Comp: c, Evidence: true}
}

// Verdicts are those of brute force, and runs can be executed.
func TestAgainstBruteForce(t *testing.T) {
	const each = 4
	tally := make(map[string]int)
	n := graphtest.Rounds(t, 12_000)
	for i := range n / each {
		r := rand.New(rand.NewPCG(23, uint64(i)))
		c := graphtest.Random(r, graphtest.DefaultConfig)
		if c.Empty() {
			continue
		}
		l := graphtest.NewLattice(c)
		c = c.From(l.Cuts[r.IntN(len(l.Cuts))])
		for range each {
			p := problem(c)
			f := p.Normal(graphtest.RandomFormula(r, c, graphtest.FormulaConfig{Fragment: graphtest.Fragment(r.IntN(2))}))
			task, err := Prepare(p, f)
			if err != nil {
				t.Fatal(err)
			}
			a, err := task.Decide()
			if err != nil {
				t.Fatal(err)
			}
			if want := engine.VerdictOf(l.Holds(f)[l.Index(c.Initial())]); a.Verdict != want {
				t.Fatalf("pair %d: %s: %s, not %s", i, f, a.Verdict, want)
			}
			tally[a.Verdict.String()]++
			for _, run := range a.Runs {
				if err := replay.Check(c, c.Initial(), run); err != nil {
					t.Fatalf("pair %d: %s: %v", i, f, err)
				}
				tally[fmt.Sprintf("%s, whole: %t", run.Formula.Op, run.Whole)]++
			}
		}
	}
	t.Log(tally)
	for _, want := range []string{
		"holds", "fails", "EX, whole: false", "EF, whole: false", "EG, whole: true", "E[ U ], whole: false",
		"E[ R ], whole: false", "E[ R ], whole: true", "E[ W ], whole: false", "E[ W ], whole: true",
	} {
		if tally[want] < n/400 {
			t.Errorf("%s: only %d of %d", want, tally[want], n)
		}
	}
}

// What does not fit into memory is left undecided.
func TestMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 0))
	c := graphtest.Random(r, graphtest.Config{Processes: 6, Events: 60, Kinds: graphtest.Messages | graphtest.Variables})
	p := problem(c)
	p.Bytes = 1 << 10
	f, err := graphtest.Resolve(c, "AG EF true")
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
