package rctl_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// Evidence that was tampered with does not replay.
func TestReplayRefuses(t *testing.T) {
	refused := make(map[string]int)
	for i := range pairs(t) / 20 {
		r := rand.New(rand.NewPCG(14, uint64(i)))
		c := graphtest.Random(r, graphtest.DefaultConfig)
		f := rctltest.RandomFormula(r, c, rctltest.FormulaConfig{Depth: 2})
		res, err := rctl.Check(context.Background(), c, f, rctl.Options{Evidence: true})
		if err != nil {
			t.Fatal(err)
		}
		e := res.Evidence
		if e == nil || len(e.Children) > 0 || len(e.Run) == 0 {
			continue
		}
		for kind, forged := range forgeries(r, c, e) {
			if forged == nil {
				continue
			}
			if rctl.Replay(c, forged) == nil {
				t.Fatalf("%d: %s: the %s of %v replays", i, e.Formula, kind, e.Run)
			}
			refused[kind]++
		}
	}
	t.Log(refused)
	for _, kind := range []string{"short run", "other cut", "reversed run", "opposite goal"} {
		if refused[kind] < pairs(t)/10_000 {
			t.Errorf("%s: only %d", kind, refused[kind])
		}
	}
}

// forgeries returns evidence that shows nothing.
func forgeries(r *rand.Rand, c *graphs.Computation, e *rctl.Evidence) map[string]*rctl.Evidence {
	with := func(change func(*rctl.Evidence)) *rctl.Evidence {
		f := *e
		f.Run = append([]graphs.Event(nil), e.Run...)
		f.Cut = e.Cut.Clone()
		change(&f)
		return &f
	}
	all := map[string]*rctl.Evidence{
		"short run": with(func(f *rctl.Evidence) {
			k := r.IntN(len(f.Run))
			f.Run = append(f.Run[:k], f.Run[k+1:]...)
		}),
		"other cut": with(func(f *rctl.Evidence) { f.Cut[r.IntN(len(f.Cut))]++ }),
	}
	if p := c.Process(e.Run[0]); len(e.Run) > 1 && c.Process(e.Run[len(e.Run)-1]) == p && !c.SameStep(e.Run[0], e.Run[len(e.Run)-1]) {
		all["reversed run"] = with(func(f *rctl.Evidence) {
			for i, j := 0, len(f.Run)-1; i < j; i, j = i+1, j-1 {
				f.Run[i], f.Run[j] = f.Run[j], f.Run[i]
			}
		})
	}
	if f := e.Formula; f.Op == syntax.OpEF && syntax.IsPropositional(f.Sub[0]) {
		all["opposite goal"] = with(func(g *rctl.Evidence) {
			g.Formula = &syntax.Formula{Op: syntax.OpEF, Sub: []*syntax.Formula{syntax.Not(f.Sub[0])}}
		})
	}
	return all
}

// A step assigns a shared variable twice, last by the event that comes first among the
// processes: the run along which that value holds replays.
func TestReplayOfASharedStep(t *testing.T) {
	var b graphs.Builder
	p, q := b.Process("P"), b.Process("Q")
	s := b.Variable(graphs.Shared, "s")
	b.Init(s, graphs.Int(0))
	last, first, with := b.Event(p), b.Event(q), b.Event(p)
	b.Set(s, first, graphs.Int(1))
	b.Set(s, last, graphs.Int(2))
	b.Order(first, last)
	b.Sync(first, with)
	b.Event(q)
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"EG(s != 1)", "E[s == 0 U s == 2]"} {
		res, err := rctl.Check(context.Background(), c, resolved(t, c, text), rctl.Options{Evidence: true})
		if err != nil || res.Verdict != rctl.Holds || res.Evidence == nil {
			t.Errorf("%s: %v (%v)", text, res, err)
		}
	}
}
