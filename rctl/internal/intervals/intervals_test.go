package intervals

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/enginetest"
	"github.com/pota-project/pota/rctl/internal/replay"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// randomDisjunction writes a disjunction of chain predicates, those of shared
// variables among them.
func randomDisjunction(r *rand.Rand, c *graphs.Computation) string {
	var all []string
	for p := range c.NumProcesses() {
		for range r.IntN(3) {
			if text := enginetest.LocalPredicate(r, c, p); text != "" {
				all = append(all, text)
			}
		}
	}
	for _, v := range c.Variables() {
		if v.Process == graphs.Shared && r.IntN(2) == 0 {
			switch v.Kind {
			case graphs.Bool:
				all = append(all, []string{"", "!"}[r.IntN(2)]+v.Name)
			case graphs.Number:
				all = append(all, fmt.Sprintf("%s > %d", v.Name, r.IntN(3)))
			}
		}
	}
	if len(all) == 0 || r.IntN(60) == 0 {
		all = append(all, []string{"true", "false"}[r.IntN(2)])
	}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return strings.Join(all, " || ")
}

func TestIntervalsAgainstBruteForce(t *testing.T) {
	tally := make(map[string]int)
	cases := graphtest.Rounds(t, 6_000)
	for i := range uint64(cases) {
		r := rand.New(rand.NewPCG(i, 41))
		var c *graphs.Computation
		var text string
		if i%2 == 0 {
			c = graphtest.Random(r, graphtest.Config{Processes: 3, Events: 14, Kinds: graphtest.AllKinds})
			text = randomDisjunction(r, c)
		} else {
			c = sections(t, r, 3+r.IntN(3), r.IntN(6))
			text = "exists i: in@i"
		}
		l := graphtest.NewLattice(c)
		start := l.Initial
		f, err := rctltest.Resolve(c, text)
		if err != nil {
			t.Fatal(err)
		}
		f = syntax.NNF(f)
		if r.IntN(3) == 0 {
			start = r.IntN(len(l.Cuts))
			c = c.From(l.Cuts[start])
		}
		eg := &syntax.Formula{Op: syntax.OpEG, Sub: []*syntax.Formula{f}}
		a := enginetest.Decide(t, Prepare, enginetest.Problem(c, true), syntax.OpEG, f)
		if want := engine.VerdictOf(rctltest.Holds(l, eg)[start]); a.Verdict != want {
			t.Fatalf("case %d: EG(%s) from %v: %v, brute force says %v", i, f, c.Initial(), a.Verdict, want)
		}
		tally[a.Verdict.String()]++
		if a.Verdict != engine.Holds {
			continue
		}
		if err := replay.Check(c, c.Initial(), a.Runs[0]); err != nil {
			t.Fatalf("case %d: EG(%s) along %v: %v", i, f, a.Runs[0].Events, err)
		}
		single := false
		for _, d := range syntax.Alternatives(f) {
			single = single || rctltest.Holds(l, &syntax.Formula{Op: syntax.OpEG, Sub: []*syntax.Formula{d}})[start]
		}
		if !single {
			tally["more than one interval"]++
		}
		s, _ := newSearch(c, f)
		if chain, _ := s.find(context.Background(), c.Final()); len(chain) > 2 {
			tally["more than two"]++
		}
		if c.Cyclic() {
			tally["cyclic"]++
		}
	}
	t.Log(tally)
	if tally["holds"] < cases/5 || tally["fails"] < cases/5 || tally["cyclic"] < cases/20 || tally["more than one interval"] < cases/50 || tally["more than two"] < cases/60 {
		t.Error(tally)
	}
}

func TestIntervalsRefused(t *testing.T) {
	c := enginetest.Exclusive(3, 100, false)
	for _, text := range []string{"cs@P0 && cs@P1", "cs@P0 || transit(P0, P1) > 0", "cs@P0 || EF cs@P1", "(count i: cs@i) == 2"} {
		f, err := rctltest.Resolve(c, text)
		if err != nil {
			t.Fatal(err)
		}
		if a := enginetest.Decide(t, Prepare, enginetest.Problem(c, true), syntax.OpEG, syntax.NNF(f)); a.Verdict != engine.Unknown {
			t.Errorf("%s: %v", text, a.Verdict)
		}
	}
}

func BenchmarkIntervals(b *testing.B) {
	c := enginetest.Exclusive(250, 1_000_000, false)
	for _, text := range []string{"!cs@P1 || !cs@P2 || !cs@P3", "cs@P1 || x@P1 < 50 || x@P2 >= 40", "exists i: !cs@i", "exists i: cs@i || x@i < 10"} {
		f, err := rctltest.Resolve(c, text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(text, func(b *testing.B) {
			p := enginetest.Problem(c, true)
			b.ReportAllocs()
			for b.Loop() {
				enginetest.Decide(b, Prepare, p, syntax.OpEG, f)
			}
		})
	}
}
