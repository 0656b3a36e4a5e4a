package local

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/enginetest"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// Verdicts are those of brute force, and runs show them.
func TestAgainstBruteForce(t *testing.T) {
	const each = 4
	tally := make(graphtest.Tally)
	n := graphtest.Rounds(t, 8_000)
	for i, sample := range graphtest.Samples(n/each, 37, graphtest.DefaultConfig, true) {
		r, c, l := sample.Rand, sample.Computation, sample.Lattice
		for range each {
			p := enginetest.Problem(c, true)
			f := p.Normal(enginetest.RandomFormula(r, c))
			if r.IntN(2) == 0 {
				text := enginetest.Nested(r, c, 2+r.IntN(2))
				if r.IntN(3) == 0 {
					text = fmt.Sprintf("EF(%s && EG(%s))", enginetest.Nested(r, c, 0), enginetest.Nested(r, c, r.IntN(2)))
					if r.IntN(2) == 0 { // asked for at several cuts
						text = fmt.Sprintf("E[%s U %s]", text, enginetest.Nested(r, c, 0))
					}
				}
				g, err := rctltest.Resolve(c, text)
				if err != nil {
					t.Fatal(err)
				}
				f = p.Normal(g)
			}
			if f = existential(p, f); f == nil {
				continue
			}
			x, err := newEvaluation(p, f, maxCuts)
			if err != nil {
				t.Fatal(err)
			}
			a, err := x.answer(f)
			if err != nil {
				t.Fatal(err)
			}
			if want := engine.VerdictOf(rctltest.Holds(l, f)[l.Index(c.Initial())]); a.Verdict != want {
				t.Fatalf("pair %d: %s: %s, not %s", i, f, a.Verdict, want)
			}
			tally[a.Verdict.String()]++
			if err := checkMemory(l, x, tally); err != nil {
				t.Fatalf("pair %d: %s: %v", i, f, err)
			}
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
		"holds", "fails", "long", "remembered", "EX, whole: false", "EF, whole: false", "EG, whole: true", "E[ U ], whole: false",
		"E[ R ], whole: false", "E[ R ], whole: true", "E[ W ], whole: false", "E[ W ], whole: true",
	)
}

// checkMemory checks what is remembered of subformulas at cuts.
func checkMemory(l *graphtest.Lattice, x *evaluation, tally map[string]int) error {
	for f, n := range x.nodes {
		truth := rctltest.Holds(l, f)
		for cut, v := range n.values {
			at := x.load(int32(cut))
			if v == engine.Unknown {
				continue
			}
			if v != engine.VerdictOf(truth[l.Index(at)]) {
				return fmt.Errorf("%s at %v: not %s", f, at, v)
			}
			tally["remembered"]++
		}
	}
	return nil
}

// existential returns f, its negation, or a part of either with an E operator at the
// root; nil where there is none.
func existential(p *engine.Problem, f *syntax.Formula) *syntax.Formula {
	for _, f := range []*syntax.Formula{f, p.Negation(f)} {
		if f = syntax.Find(f, syntax.IsExistential); f != nil {
			return f
		}
	}
	return nil
}

func decide(t *testing.T, p *engine.Problem, f *syntax.Formula) engine.Answer {
	t.Helper()
	task, err := Prepare(p, f)
	if err != nil {
		t.Fatal(err)
	}
	a, err := task.Decide()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// What takes too many cuts, or too much memory, is left undecided.
func TestLimits(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 0))
	c := graphtest.Random(r, graphtest.Config{Processes: 8, Events: 400, Kinds: graphtest.Variables})
	p := enginetest.Problem(c, true)
	f, err := rctltest.Resolve(c, "EF false")
	if err != nil {
		t.Fatal(err)
	}
	if a := decide(t, p, p.Normal(f)); a.Verdict != engine.Unknown || !strings.HasPrefix(a.Reason, "searching from cut to cut: more than 100000 cuts, or too much memory") {
		t.Errorf("%+v", a)
	}
	p.Bytes = 1 << 10
	if a := decide(t, p, p.Normal(f)); a.Verdict != engine.Unknown {
		t.Errorf("%+v", a)
	}
}
