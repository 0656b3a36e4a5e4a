package rctl

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/enginetest"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// rewritings are those of the candidates.
var rewritings = map[string]func(*checker, *syntax.Formula) (step, bool){
	"constant": (*checker).constant, "now": (*checker).now, "reachable": (*checker).reachable,
	"sufficient": (*checker).sufficient, "late": (*checker).late, "approach": (*checker).approach, "split": (*checker).split,
}

// What a formula needs holds wherever it does, and the steps that are taken where there
// are many cuts decide as brute force does where there are few.
func TestRewritings(t *testing.T) {
	const each = 8
	tally := make(graphtest.Tally)
	n := graphtest.Rounds(t, 8000)
	for i, sample := range graphtest.Samples(n/each, 43, graphtest.Config{Processes: 3, Events: 9, Kinds: graphtest.AllKinds}, false) {
		r, c, l := sample.Rand, sample.Computation, sample.Lattice
		for range each {
			text := enginetest.Nested(r, c, 1+r.IntN(3))
			if r.IntN(3) == 0 {
				op := [...]string{"EG(", "AG(", "A[false R "}[r.IntN(3)]
				text = "EF(" + enginetest.Nested(r, c, 0) + " && " + op + enginetest.Nested(r, c, 0) + map[byte]string{'(': "))", ' ': "])"}[op[len(op)-1]]
			}
			f, err := rctltest.Resolve(c, text)
			if err != nil {
				t.Fatal(err)
			}
			k := newChecker(context.Background(), c, regular.NewMemo(), Options{Evidence: true})
			f = k.Normal(f)
			truth, need, enough := rctltest.Holds(l, f), rctltest.Holds(l, needed(f)), rctltest.Holds(l, forEver(f))
			for at := range truth {
				if truth[at] && !need[at] {
					t.Fatalf("pair %d: %s holds at %v, %s does not", i, f, l.Cuts[at], needed(f))
				}
				if enough[at] && !truth[at] {
					t.Fatalf("pair %d: %s holds at %v, %s does not", i, forEver(f), l.Cuts[at], f)
				}
			}
			want := engine.VerdictOf(truth[l.Initial])
			for way, rewrite := range rewritings {
				s, ok := rewrite(k, f)
				if !ok {
					continue
				}
				a := s.decide()
				switch {
				case a.Verdict == engine.Unknown && way != "split":
					continue
				case a.Verdict != want:
					t.Fatalf("pair %d: %s: %s by %s, not %s", i, f, a.Verdict, way, want)
				case way == "approach" && len(a.Runs) == 0:
					t.Fatalf("pair %d: %s: no run by %s", i, f, way)
				}
				tally[fmt.Sprintf("%s: %s", way, a.Verdict)]++
				for _, run := range a.Runs {
					if err := enginetest.CheckRun(l, c, run); err != nil {
						t.Fatalf("pair %d: %s: %v", i, f, err)
					}
					tally[fmt.Sprintf("%s: %s", way, run.Formula.Op)]++
				}
			}
		}
	}
	tally.Check(t, n/400,
		fmt.Sprintf("constant: %s", engine.Holds), fmt.Sprintf("constant: %s", engine.Fails),
		fmt.Sprintf("now: %s", engine.Holds), fmt.Sprintf("now: %s", engine.Fails),
		fmt.Sprintf("reachable: %s", engine.Fails), fmt.Sprintf("late: %s", syntax.OpEF),
		fmt.Sprintf("split: %s", syntax.OpER), fmt.Sprintf("split: %s", syntax.OpEW),
		fmt.Sprintf("sufficient: %s", syntax.OpEF), fmt.Sprintf("sufficient: %s", syntax.OpEU),
		fmt.Sprintf("approach: %s", syntax.OpEF), fmt.Sprintf("approach: %s", syntax.OpEU))
}

// A while that is over ends no decision.
func TestHurry(t *testing.T) {
	c := graphtest.Random(rand.New(rand.NewPCG(1, 1)), graphtest.DefaultConfig)
	k := newChecker(context.Background(), c, regular.NewMemo(), Options{})
	end := k.withEvidenceBudget(0)
	k.fail(context.DeadlineExceeded)
	end()
	if err := k.failure(); err != nil {
		t.Error(err)
	}
}
