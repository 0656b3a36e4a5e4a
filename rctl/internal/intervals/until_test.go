package intervals

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

// randomUntil returns a computation, a disjunction of predicates of single chains, and
// a formula that mostly has a lean slice: every second time one of anything, else of
// processes that are often in a section, and seldom at a number.
func randomUntil(t *testing.T, r *rand.Rand) (c *graphs.Computation, p, q *syntax.Formula) {
	resolve := func(text string) *syntax.Formula {
		f, err := rctltest.Resolve(c, text)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if r.IntN(2) == 0 {
		config := graphtest.DefaultConfig
		config.Events = 1 + r.IntN(config.Events)
		c = graphtest.Random(r, config)
		return c, resolve(randomDisjunction(r, c)), rctltest.RandomFormula(r, c, rctltest.FormulaConfig{Fragment: rctltest.Regular, Depth: 2})
	}
	c = sections(t, r, 3, r.IntN(4))
	along := []string{"in@P0 || in@P1", "in@P0 || in@P1 || in@P2", "in@P0 || !in@P1", "in@P2"}[r.IntN(4)]
	goal := []string{"x@P0 == 2 && x@P1 == 2", "x@P0 == 2 && x@P1 == 1 && x@P2 == 2", "!in@P0 && !in@P1 && x@P0 == 2", "x@P1 == 2 && !in@P1 && !in@P2 && !in@P0"}[r.IntN(4)]
	return c, resolve(along), resolve(goal)
}

// sections returns a computation of n processes that are often in a section, and seldom
// at a number. An event waits for others in so many of six cases.
func sections(t *testing.T, r *rand.Rand, n, waits int) *graphs.Computation {
	var b graphs.Builder
	in, x := make([]*graphs.Variable, n), make([]*graphs.Variable, n)
	for i := range n {
		b.Process(fmt.Sprintf("P%d", i))
		in[i], x[i] = b.Variable(i, "in"), b.Variable(i, "x")
		b.Init(in[i], graphs.Boolean(r.IntN(2) == 0))
		b.Init(x[i], graphs.Int(0))
	}
	var all []graphs.Handle
	syncs := r.IntN(3)
	set := func(e graphs.Handle) {
		i := b.ProcessOf(e)
		b.Set(in[i], e, graphs.Boolean(r.IntN(2) == 0))
		b.Set(x[i], e, graphs.Int(r.Int64N(3)))
	}
	for range 8 + r.IntN(9) {
		e := b.Event(r.IntN(n))
		set(e)
		if i := r.IntN(n); r.IntN(10) < syncs && i != b.ProcessOf(e) {
			f := b.Event(i)
			set(f)
			b.Sync(e, f)
		}
		if len(all) > 0 && r.IntN(6) < waits {
			b.Order(all[len(all)-1-r.IntN(min(len(all), 4))], e)
		}
		all = append(all, e)
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// E[p U q], E[p W q] and E[q R p] are those of brute force.
func TestUntilAgainstBruteForce(t *testing.T) {
	tally := make(map[string]int)
	cases := graphtest.Rounds(t, 6_000)
	for i := range uint64(cases) {
		r := rand.New(rand.NewPCG(i, 42))
		c, p, q := randomUntil(t, r)
		if c.NumProcesses() == 0 || c.Empty() {
			continue
		}
		op := []syntax.Op{syntax.OpEU, syntax.OpEU, syntax.OpER, syntax.OpEW}[r.IntN(4)]
		f := &syntax.Formula{Op: op, Sub: []*syntax.Formula{p, q}}
		if op == syntax.OpER {
			f.Sub = []*syntax.Formula{q, p}
		}
		l := graphtest.NewLattice(c)
		problem := enginetest.Problem(c, true)
		f = problem.Normal(f)
		if r.IntN(3) == 0 {
			c = c.From(l.Cuts[r.IntN(len(l.Cuts))])
			problem = enginetest.Problem(c, true)
		}
		a, ok := enginetest.Twin(t, i, l, problem, Until, f)
		if !ok {
			tally["not taken on"]++
			continue
		}
		if a.Verdict == engine.Unknown {
			t.Fatalf("case %d: %s from %v is not decided", i, f, c.Initial())
		}
		tally[a.Verdict.String()]++
		if a.Verdict == engine.Fails {
			if op == syntax.OpEU && !problem.Of(f.Sub[1]).Empty() {
				tally["fails although q can hold"]++
			}
			continue
		}
		if a.Runs[0].Cut.Size() > c.Initial().Size()+2 {
			tally["long"]++
		}
	}
	t.Log(tally)
	if tally["holds"] < cases/5 || tally["fails although q can hold"] < cases/50 || tally["long"] < cases/20 || tally["not taken on"] > cases/3 {
		t.Error(tally)
	}
}

// The event that comes next to the end of an interval may have the next number, and be of another process.
func TestUntilAcrossNumbers(t *testing.T) {
	var b graphs.Builder
	var e []graphs.Handle
	for i, name := range []string{"P", "Q"} {
		b.Process(name)
		x := b.Variable(i, "x")
		b.Init(x, graphs.Int(0))
		e = append(e, b.Event(i))
		b.Set(x, e[i], graphs.Int(1))
	}
	b.Order(e[0], e[1])
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	f, err := rctltest.Resolve(c, "E[x@P == 0 U x@Q == 1]")
	if err != nil {
		t.Fatal(err)
	}
	p := enginetest.Problem(c, true)
	if a, ok := enginetest.Twin(t, 0, graphtest.NewLattice(c), p, Until, p.Normal(f)); !ok || a.Verdict != engine.Fails {
		t.Errorf("%v, %t, want fails", a.Verdict, ok)
	}
}

// A cut that satisfies q without the end of an interval is not reached by the step that
// ends it.
func TestUntilWithoutTheEnd(t *testing.T) {
	var b graphs.Builder
	var x []*graphs.Variable
	for i, name := range []string{"P", "Q", "R"} {
		b.Process(name)
		x = append(x, b.Variable(i, "x"))
		b.Init(x[i], graphs.Int(0))
	}
	event := func(p int, value int64) graphs.Handle {
		e := b.Event(p)
		b.Set(x[p], e, graphs.Int(value))
		return e
	}
	first := event(0, 1)
	for value := range int64(3) {
		event(0, 2+value)
	}
	last := event(1, 1)
	b.Order(first, last)
	b.Order(event(2, 1), last)
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p := enginetest.Problem(c, true)
	f, err := rctltest.Resolve(c, "E[x@P == 0 || x@P == 2 || x@R == 0 U (x@P == 1 || x@P == 4) && x@Q == 1]")
	if err != nil {
		t.Fatal(err)
	}
	task, err := Until(p, p.Normal(f))
	if err != nil {
		t.Fatal(err)
	}
	if a, err := task.Decide(); err != nil || a.Verdict != engine.Fails {
		t.Error(a.Verdict, err)
	}
}
