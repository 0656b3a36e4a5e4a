package explain_test

import (
	"context"
	"errors"
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

// The closest cut has as many conjuncts as any, and the edges that are needed are those, by going
// through all cuts.
func TestMargin(t *testing.T) {
	n := graphtest.Rounds(t, 4000)
	tally := make(graphtest.Tally)
	for i := range n {
		c := handovers(t, rand.New(rand.NewPCG(53, uint64(i))))
		text := []string{"!(cs@P1 && cs@P2)", "!(cs@P1 && cs@P2 && !cs@P3)", "cs@P1 -> !cs@P2 && !cs@P3", "forall i != j: !(cs@i && cs@j)"}[i%4]
		compareMargin(t, fmt.Sprint("case ", i), c, "AG("+text+")", tally)
	}
	tally.Check(t, n/50, "needed true", "needed false")
}

// handovers returns a random computation of three processes that enter and leave a section, and often
// send messages then.
func handovers(t *testing.T, r *rand.Rand) *graphs.Computation {
	t.Helper()
	var b graphs.Builder
	var in [3]bool
	var last [3]graphs.Handle
	var sent [3]bool
	for p := range in {
		b.Init(b.Variable(b.Process(fmt.Sprint("P", p+1)), "cs"), graphs.Boolean(false))
	}
	for range 9 {
		p := r.IntN(3)
		e := b.Event(p)
		if r.IntN(2) == 0 {
			in[p] = !in[p]
			b.Set(b.Variable(p, "cs"), e, graphs.Boolean(in[p]))
		}
		if q := r.IntN(3); q != p && sent[q] && r.IntN(4) > 0 {
			b.Deliver(b.NewMessage(""), last[q], e, -1)
		}
		last[p], sent[p] = e, true
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// compareMargin compares the margin of a formula with brute force, where the formula holds.
func compareMargin(t *testing.T, name string, c *graphs.Computation, text string, tally graphtest.Tally) {
	t.Helper()
	f, err := rctltest.Resolve(c, text)
	if err != nil {
		t.Fatal(err)
	}
	f = syntax.NNF(f)
	violations := syntax.Alternatives(syntax.Goal(rctl.Shown(f, rctl.Fails)))
	// lacking is the least number of parts that a violation lacks at any cut.
	lacking := func(c *graphs.Computation) int {
		least := 9
		for _, cut := range cuts(c) {
			for _, v := range violations {
				least = min(least, lacks(t, c, v, cut))
			}
		}
		return least
	}
	if f.Op != syntax.OpAG || lacking(c) == 0 {
		return
	}
	m, err := explain.MarginOf(t.Context(), c, f)
	if err != nil {
		t.Fatal(err)
	}
	if m == nil {
		for _, v := range violations {
			if n := len(syntax.Conjuncts(v)); lacking(c) < n {
				t.Fatalf("%s: %s: nothing comes close", name, text)
			}
		}
		return
	}
	if len(m.Lacks) != lacking(c) || lacks(t, c, m.Lacks[0], m.Cut) != 1 {
		t.Fatalf("%s: %s: %v is lacking at %v, and %d elsewhere", name, text, m.Lacks, m.Cut, lacking(c))
	}
	for e := graphs.Event(1); int(e) <= c.NumEvents(); e++ {
		for _, before := range c.Preds(e) {
			edge := graphs.Edge{From: before, To: e}
			k := slices.IndexFunc(m.Needed, func(n explain.Needed) bool { return n.Edge == edge })
			needed := lacking(c.Without(edge)) == 0
			if needed != (k >= 0) {
				t.Fatalf("%s: %s: edge %v is needed: %v", name, text, edge, needed)
			}
			fails := func(v *syntax.Formula) bool { return lacks(t, c, v, m.Needed[k].Cut) == 0 }
			if needed && !slices.ContainsFunc(violations, fails) {
				t.Fatalf("%s: %s: without %v it does not fail at %v", name, text, edge, m.Needed[k].Cut)
			}
			tally[fmt.Sprint("needed ", needed)]++
		}
	}
}

// cuts returns the cuts of a computation whose messages do not matter, only its edges.
func cuts(c *graphs.Computation) (all []graphs.Cut) {
	cut := c.NoEvents()
	var extend func(p int)
	extend = func(p int) {
		if p == len(cut) {
			for e := graphs.Event(1); int(e) <= c.NumEvents(); e++ {
				outside := func(f graphs.Event) bool { return !c.Has(cut, f) }
				if c.Has(cut, e) && slices.ContainsFunc(c.Preds(e), outside) {
					return
				}
			}
			all = append(all, cut.Clone())
			return
		}
		for k := range c.Len(p) + 1 {
			cut[p] = int32(k)
			extend(p + 1)
		}
	}
	extend(0)
	return all
}

// lacks returns how many conjuncts of a formula are false at a cut.
func lacks(t *testing.T, c *graphs.Computation, f *syntax.Formula, cut graphs.Cut) int {
	t.Helper()
	n := 0
	for _, part := range syntax.Conjuncts(f) {
		is, err := rctl.At(c, part, cut)
		if err != nil {
			t.Fatal(err)
		}
		if !is {
			n++
		}
	}
	return n
}

// A search for a margin ends with its context, and has bounds.
func TestMarginIsBounded(t *testing.T) {
	c := section(t, 40)
	f, err := rctltest.Resolve(c, "AG(!(cs@P1 && !cs@P1))")
	if err != nil {
		t.Fatal(err)
	}
	late, cancel := context.WithCancel(t.Context())
	cancel()
	if m, err := explain.MarginOf(late, c, syntax.NNF(f)); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", m, err)
	}
}

// The sentence about a margin counts the orders.
func TestMarginText(t *testing.T) {
	for n, want := range []string{"", "; without one order it would fail", "; without any one of 2 orders it would fail"} {
		m := explain.Margin{Lacks: []*syntax.Formula{{Op: syntax.OpTrue}}, Needed: make([]explain.Needed, n)}
		if text := m.String(); text != "what comes closest to a failure lacks true"+want {
			t.Errorf("%d orders: %s", n, text)
		}
	}
}
