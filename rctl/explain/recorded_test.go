package explain_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// recorded is a random computation, with times or lines of a file for its events in the order
// in which they are added, which is returned.
func recorded(t *testing.T, r *rand.Rand) (*graphs.Computation, []graphs.Event) {
	t.Helper()
	b := new(graphs.Builder)
	var of []*graphs.Variable
	for p := range 3 {
		v := b.Variable(b.Process(fmt.Sprintf("P%d", p+1)), "x")
		b.Init(v, graphs.Int(0))
		of = append(of, v)
	}
	timed := r.IntN(2) == 0
	n := 4 + r.IntN(8)
	for i := range n {
		p := r.IntN(3)
		h := b.Event(p)
		if r.IntN(3) > 0 {
			b.Set(of[p], h, graphs.Int(r.Int64N(3)))
		}
		if r.IntN(3) == 0 {
			b.SetLabel(h, fmt.Sprintf("l%d", r.IntN(4)))
		}
		if from := graphs.Handle(r.IntN(i + 1)); r.IntN(2) == 0 && b.ProcessOf(from) != p {
			b.Deliver(b.NewMessage(fmt.Sprintf("m%d", i)), from, h, -1)
		}
		if timed {
			b.SetTime(h, fmt.Sprint(i/2))
		}
		b.SetPlace(h, graphs.Place{File: "log", Line: i + 1})
	}
	var order []int
	for h := range n {
		order = append(order, b.ProcessOf(graphs.Handle(h)))
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	var run []graphs.Event
	next := make([]int, 3)
	for _, p := range order {
		next[p]++
		run = append(run, c.Event(p, next[p]))
	}
	return c, run
}

// Observed is what the recorded order alone decides, by an engine that looks at each of its cuts;
// and no cut that was found is left if the pair is ordered.
func TestCauseAgainstEngines(t *testing.T) {
	tally := make(map[string]int)
	cases := max(graphtest.Rounds(t, 20_000), 1500)
	for i := range uint64(cases) {
		r := rand.New(rand.NewPCG(i, 340))
		c, run := recorded(t, r)
		if !slices.Equal(c.Recorded(), run) {
			t.Fatalf("case %d: %v was recorded, not %v", i, run, c.Recorded())
		}
		text := rctltest.RandomFormulaText(r, c, rctltest.FormulaConfig{Depth: 3})
		if r.IntN(5) > 0 {
			text = fmt.Sprintf([]string{
				"AG !(x@P1 == %d && x@P2 == %d && x@P3 != %d)",
				"EF(x@P1 == %d && (x@P2 == %d || x@P3 == %d))",
				"E[x@P1 == %d U x@P2 == %d && x@P3 == %d]",
				"EF(x@P1 == %d && EF(x@P2 == %d && x@P1 == %d))",
				"AF !(x@P1 != %d && x@P2 != %d && x@P3 < %d)",
				"(exists i: EF(x@P1 == %d && x@i == %d && x@P3 != %d))",
				"EF(x@P1 == %d && EX(x@P2 == %d && x@P3 != %d))",
			}[r.IntN(7)], r.IntN(3), r.IntN(3), 1+r.IntN(2))
		}
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		g, err := rctltest.Resolve(c, text)
		if err != nil {
			t.Fatal(err)
		}
		res, err := rctl.Check(context.Background(), c, g, rctl.Options{Evidence: true})
		if err != nil {
			t.Fatal(err)
		}
		if res.Evidence == nil {
			continue
		}
		l := (&explain.Explainer{Of: c, Property: f}).Explain(res.Evidence)

		shown := rctl.Shown(g, res.Verdict)
		universal := func(f *syntax.Formula) bool { return f.Op.IsTemporal() && !syntax.IsExistential(f) }
		if syntax.Find(shown, universal) == nil {
			if l.Recorded == nil {
				t.Fatalf("case %d: %s: neither observed nor predicted", i, shown)
			}
			want := alone(t, c, run, shown)
			if l.Recorded.Observed != want {
				t.Errorf("case %d: %s: observed %v, want %v", i, shown, l.Recorded.Observed, want)
			}
			tally[fmt.Sprintf("observed %t", want)]++
		}

		u := l.Unordered
		if u == nil {
			continue
		}
		tally["pairs"]++
		ordered, err := c.Ordered(slices.Values([]graphs.Edge{{From: u.Before, To: u.After}}))
		if err != nil {
			t.Fatalf("case %d: %s: %v", i, text, err)
		}
		cut := res.Evidence.Cut
		if !c.Consistent(cut) || ordered.Consistent(cut) {
			t.Errorf("case %d: %s: %v is there after the order of %s, %s", i, text, cut, c.ID(u.Before), c.ID(u.After))
		}
		if !slices.ContainsFunc(l.Steps, func(s explain.Step) bool { return s.Event == u.After }) {
			t.Errorf("case %d: %s: %s is not shown", i, text, c.ID(u.After))
		}
	}
	t.Log(tally)
	if min(tally["observed true"], tally["observed false"], tally["pairs"]) < cases/60 {
		t.Error(tally)
	}
}

// alone decides a formula where the recorded order is the only one.
func alone(t *testing.T, c *graphs.Computation, run []graphs.Event, f *syntax.Formula) bool {
	t.Helper()
	var chain []graphs.Edge
	for i := range run[1:] {
		chain = append(chain, graphs.Edge{From: run[i], To: run[i+1]})
	}
	one, err := c.Ordered(slices.Values(chain))
	if err != nil {
		t.Fatal(err)
	}
	res, err := rctl.Check(context.Background(), one, f, rctl.Options{Engine: rctl.Explicit})
	if err != nil {
		t.Fatal(err)
	}
	return res.Verdict == rctl.Holds
}
