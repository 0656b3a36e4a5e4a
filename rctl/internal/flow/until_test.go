package flow

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

// numbered returns a computation of n processes whose numbers x go up and down, with a
// boolean b each, and whose events often wait for others or happen together, some with the
// next of their process.
func numbered(t *testing.T, r *rand.Rand, n, events int) *graphs.Computation {
	var b graphs.Builder
	x, flag := make([]*graphs.Variable, n), make([]*graphs.Variable, n)
	for p := range n {
		b.Process(fmt.Sprintf("P%d", p))
		x[p], flag[p] = b.Variable(p, "x"), b.Variable(p, "b")
		b.Init(x[p], graphs.Int(0))
		b.Init(flag[p], graphs.Boolean(r.IntN(3) == 0))
	}
	waits, syncs, cycles := r.IntN(5), r.IntN(3), r.IntN(3)
	var all []graphs.Handle
	event := func(p int) graphs.Handle {
		e := b.Event(p)
		b.Set(x[p], e, graphs.Int(r.Int64N(5)))
		if r.IntN(2) == 0 {
			b.Set(flag[p], e, graphs.Boolean(r.IntN(2) == 0))
		}
		return e
	}
	for range events {
		p := r.IntN(n)
		e := event(p)
		if q := r.IntN(n); r.IntN(10) < syncs && q != p {
			b.Sync(e, event(q))
		}
		if len(all) > 0 && r.IntN(6) < waits {
			b.Order(all[len(all)-1-r.IntN(min(len(all), 5))], e)
		}
		if len(all) > 0 && r.IntN(12) < cycles {
			b.Edge(e, all[len(all)-1-r.IntN(min(len(all), 3))])
		}
		all = append(all, e)
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// randomAlong writes what a run is to keep, and randomGoal where it is to go.
func randomAlong(r *rand.Rand) string {
	bound := func() string {
		return []string{
			fmt.Sprintf("(sum i: x@i) <= %d", 1+r.IntN(6)), fmt.Sprintf("x@P0 + x@P1 <= %d", r.IntN(5)),
			fmt.Sprintf("x@P1 <= x@P0 + %d", r.IntN(3)), fmt.Sprintf("(count i: b@i) <= %d", r.IntN(3)),
			fmt.Sprintf("(sum i: x@i) != %d", 1+r.IntN(5)), fmt.Sprintf("-1 <= x@P0 - x@P2 <= %d", r.IntN(3)),
		}[r.IntN(6)]
	}
	switch r.IntN(4) {
	case 0:
		return bound() + " && " + bound()
	case 1:
		return bound() + " && " + []string{"!b@P0", "x@P1 <= 3", "x@P2 != 2"}[r.IntN(3)]
	}
	return bound()
}

func randomGoal(r *rand.Rand) string {
	one := func() string {
		return []string{
			fmt.Sprintf("x@P%d >= %d", r.IntN(3), 2+r.IntN(3)), fmt.Sprintf("x@P%d == %d", r.IntN(3), 2+r.IntN(3)),
			"b@P1 && x@P2 == 3", "x@P0 == 4 && b@P2 && x@P1 == 0", fmt.Sprintf("(sum i: x@i) >= %d", 5+r.IntN(5)),
			"(count i: b@i) == 3", "x@P1 == 3 && x@P0 + x@P2 >= 5", "EG(x@P0 <= 2) && x@P0 == 1", "AG x@P1 <= 2",
		}[r.IntN(9)]
	}
	if r.IntN(3) == 0 {
		return one() + " || " + one()
	}
	return one()
}

// E[p U q] of sums is that of brute force, also where p is to hold at the goal, too.
func TestUntilAgainstBruteForce(t *testing.T) {
	tally := make(map[string]int)
	usual := maxStates
	defer func() { maxStates = usual }()
	cases := graphtest.RoundsUpTo(t, 1_500, 30_000)
	for i := range uint64(cases) {
		r := rand.New(rand.NewPCG(i, 29))
		c := numbered(t, r, 3, 8+r.IntN(10))
		l := graphtest.NewLattice(c)
		if r.IntN(4) == 0 {
			c = c.From(l.Cuts[r.IntN(len(l.Cuts))])
		}
		maxStates = usual
		if r.IntN(4) == 0 {
			maxStates = r.IntN(16)
		}
		p, q := randomAlong(r), randomGoal(r)
		if r.IntN(3) == 0 {
			q = fmt.Sprintf("(%s) && (%s)", q, p)
		}
		f, err := rctltest.Resolve(c, fmt.Sprintf("E[%s U %s]", p, q))
		if err != nil {
			t.Fatal(err)
		}
		problem := enginetest.Problem(c, true)
		f = problem.Normal(f)
		a, ok := enginetest.Twin(t, i, l, problem, Until, f)
		if !ok {
			tally["not taken on"]++
			continue
		}
		start := l.Index(c.Initial())
		at := syntax.Or(f.Sub...)
		if open := rctltest.Holds(l, at)[start] && !rctltest.Holds(l, f.Sub[1])[start]; open {
			tally[a.Verdict.String()]++
			if !rctltest.Holds(l, f)[start] && rctltest.Holds(l, &syntax.Formula{Op: syntax.OpEF, Sub: f.Sub[1:]})[start] {
				tally["the goal is not reached: "+a.Verdict.String()]++
			}
		}
		for _, run := range a.Runs {
			if len(run.Events) > 3 {
				tally["long"]++
			}
		}
	}
	t.Log(tally)
	if tally["holds"] < cases/10 || tally["the goal is not reached: fails"] < cases/20 || tally["long"] < cases/20 || tally["unknown"] > cases/8 || tally["not taken on"] > cases/10 {
		t.Error(tally)
	}
}

// That no passage leads to the cut with the least sum does not tell that there is none to
// an earlier one that contains the goal, too.
func TestLeadStopsBeforeTheLeast(t *testing.T) {
	usual := maxStates
	defer func() { maxStates = usual }()
	var b graphs.Builder
	b.Process("P")
	for range 3 {
		b.Event(0)
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	l := limit{&tally{comp: c, weight: []int64{0, 1, 5, -10, 0}}, 3}
	for maxStates = range 12 {
		o, err := l.lead(t.Context(), graphs.Cut{1}, c.Final())
		if err != nil || o.verdict == engine.Fails || o.verdict == engine.Holds && len(o.run) == 0 || o.verdict != engine.Holds && maxStates >= 8 {
			t.Errorf("with %d states: %v by %v, %v", maxStates, o.verdict, o.run, err)
		}
	}
}
