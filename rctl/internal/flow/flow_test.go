package flow

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/internal/effort"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/enginetest"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// randomSum writes a sum over the chains and channels of c.
func randomSum(r *rand.Rand, c *graphs.Computation) string {
	quote := func(p int) string { return fmt.Sprintf("%q", c.Processes()[p]) }
	process := func() string { return quote(r.IntN(c.NumProcesses())) }
	named := map[graphs.Kind][]string{}
	everywhere := map[graphs.Kind][]string{}
	for _, v := range c.Variables() {
		if v.Process == graphs.Shared {
			named[v.Kind] = append(named[v.Kind], v.Name)
			continue
		}
		named[v.Kind] = append(named[v.Kind], v.Name+"@"+quote(v.Process))
		if v.Process == 0 && len(c.VariablesNamed(v.Name)) == c.NumProcesses() {
			everywhere[v.Kind] = append(everywhere[v.Kind], v.Name)
		}
	}
	some := func(from []string) string { return from[r.IntN(len(from))] }
	term := func() string {
		switch r.IntN(9) {
		case 0:
			return fmt.Sprintf("transit(%s, %s)", process(), process())
		case 1:
			return "(sum i: sum j: transit(i, j))"
		case 2:
			return fmt.Sprintf("%d", r.IntN(5)-2)
		case 3, 4:
			if names := everywhere[graphs.Number]; len(names) > 0 {
				return "(sum i: " + some(names) + "@i)"
			}
		case 5, 6:
			if names := everywhere[graphs.Bool]; len(names) > 0 {
				return "(count i: " + some([]string{"", "!"}) + some(names) + "@i)"
			}
		case 7:
			if names := named[graphs.Bool]; len(names) > 0 {
				return "(count i: " + some(names) + ")"
			}
		}
		if names := named[graphs.Number]; len(names) > 0 {
			return some([]string{"", "-", "2 * ", "0.25 * "}) + some(names)
		}
		return "1"
	}
	var b strings.Builder
	for i := range 1 + r.IntN(3) {
		if i > 0 {
			b.WriteString(some([]string{" + ", " - ", " - 3 * "}))
		}
		b.WriteString(term())
	}
	return b.String()
}

func randomBound(r *rand.Rand, c *graphs.Computation) string {
	relation := func() string { return []string{"<", "<=", "==", "!=", ">=", ">"}[r.IntN(6)] }
	text := fmt.Sprintf("%s %s %d", randomSum(r, c), relation(), r.IntN(8)-3)
	if r.IntN(4) == 0 {
		text = fmt.Sprintf("%d %s %s", r.IntN(8)-4, relation(), text)
	}
	if r.IntN(4) == 0 {
		text = "!(" + text + ")"
	}
	return text
}

// EF of a bound on a sum and a regular predicate is that of brute force.
func TestSumsAgainstBruteForce(t *testing.T) {
	tally := make(map[string]int)
	cases := graphtest.Rounds(t, 4_000)
	for i := range uint64(cases) {
		r := rand.New(rand.NewPCG(i, 21))
		c := graphtest.Random(r, graphtest.DefaultConfig)
		l := graphtest.NewLattice(c)
		text := randomBound(r, c)
		if r.IntN(3) == 0 {
			text += " || " + randomBound(r, c)
		}
		f, err := rctltest.Resolve(c, text)
		if err != nil {
			t.Fatal(err)
		}
		f = syntax.NNF(f)
		if r.IntN(3) == 0 {
			c = c.From(l.Cuts[r.IntN(len(l.Cuts))])
		}
		parts, regular := []*syntax.Formula{f}, rctltest.Holds(l, &syntax.Formula{Op: syntax.OpTrue})
		p := enginetest.Problem(c, false)
		if r.IntN(2) == 0 {
			g := syntax.NNF(rctltest.RandomFormula(r, c, rctltest.FormulaConfig{Fragment: rctltest.Regular, Depth: 2}))
			if p.Has(g) {
				parts, regular = append(parts, g), rctltest.Holds(l, g)
			}
		}
		a := enginetest.Decide(t, Prepare, p, syntax.OpEF, syntax.And(parts...))
		if a.Verdict == engine.Unknown {
			if f.Op == syntax.OpAtom || f.Op == syntax.OpNot {
				tally["not decided"]++
			} else {
				tally["no atom"]++
			}
			continue
		}
		holds := rctltest.Holds(l, f)
		want := engine.Fails
		for j := range l.Cuts {
			if regular[j] && holds[j] && c.Initial().Within(l.Cuts[j]) {
				want = engine.Holds
			}
		}
		tally[a.Verdict.String()]++
		if a.Verdict != want {
			t.Fatalf("case %d: EF %s: %v, brute force says %v", i, f, a.Verdict, want)
		}
		if a.Verdict == engine.Holds {
			cut := a.Runs[0].Cut
			if j := l.Index(cut); j < 0 || !holds[j] || !regular[j] || !c.Initial().Within(cut) {
				t.Fatalf("case %d: %s at %v", i, f, cut)
			}
		}
	}
	t.Log(tally)
	if tally["holds"] < cases/5 || tally["fails"] < cases/20 || tally["not decided"] > cases/4 {
		t.Error(tally)
	}
}

// heavy finds a cut of enough weight, or else one of the greatest.
func TestHeavyAgainstBruteForce(t *testing.T) {
	window, fewest := smallestWindow, fewestWindows
	defer func() { smallestWindow, fewestWindows = window, fewest }()
	fewestWindows = 2
	enoughs := 0
	cases := graphtest.Rounds(t, 4_000)
	for i := range uint64(cases) {
		r := rand.New(rand.NewPCG(i, 22))
		smallestWindow = []int{window, 1 + r.IntN(4)}[i%2]
		c := graphtest.Random(r, graphtest.Config{Processes: 2 + r.IntN(4), Events: 6 + r.IntN(12), Kinds: graphtest.DefaultConfig.Kinds})
		l := graphtest.NewLattice(c)
		s, in := slice.All(c), rctltest.Holds(l, &syntax.Formula{Op: syntax.OpTrue})
		if r.IntN(2) == 0 {
			g := syntax.NNF(rctltest.RandomFormula(r, c, rctltest.FormulaConfig{Fragment: rctltest.Regular, Depth: 2}))
			if of := enginetest.Problem(c, false).Of(g); of != nil && !of.Empty() {
				s, in = of, rctltest.Holds(l, g)
			}
		}
		if s.Empty() {
			continue
		}
		tally := randomTally(r, c)
		most := int64(-1 << 40)
		for j, cut := range l.Cuts {
			if in[j] {
				most = max(most, tally.at(cut))
			}
		}
		enough := most + int64(r.IntN(10)-5)
		floor := []int64{math.MinInt64, enough - 1, min(enough-1, most-int64(r.IntN(5)))}[r.IntN(3)]
		sliced := s.Computation()
		cut, err := heavy(context.Background(), sliced, sliced.Initial(), sliced.Final(), tally.weight, 1, enough, floor)
		if err != nil {
			t.Fatal(err)
		}
		if j := l.Index(cut); j < 0 || !in[j] {
			t.Fatalf("case %d: %v is no cut of the slice", i, cut)
		}
		if x := tally.at(cut); x < min(most, enough) && most > floor {
			t.Fatalf("case %d: %d at %v, but there is a cut with %d, and %d would do, if not less than %d", i, x, cut, most, enough, floor)
		}
		if tally.at(cut) < most {
			enoughs++
		}
	}
	if enoughs < cases/50 {
		t.Errorf("only %d searches of %d ended early", enoughs, cases)
	}
}

// Flow is sent back over an edge no more than there is on it.
func TestHeavySendsBack(t *testing.T) {
	var b graphs.Builder
	var e []graphs.Handle
	for p := range 5 {
		b.Process(fmt.Sprintf("P%d", p))
		e = append(e, b.Event(p))
	}
	for _, edge := range [][2]int{{0, 2}, {1, 2}, {0, 3}, {4, 3}} {
		b.Order(e[edge[0]], e[edge[1]])
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	cut, err := heavy(context.Background(), c, c.Initial(), c.Final(), []int64{0, -1, -5, 1, 5, 0, 0}, 1, 9, 0)
	if want := (graphs.Cut{1, 0, 0, 1, 1}); err != nil || !cut.Equal(want) {
		t.Errorf("%v, %v, not %v", cut, err, want)
	}
}

// What processes supply flows along them, and is theirs again where it is too much.
func TestHeavyCarries(t *testing.T) {
	var b graphs.Builder
	var e [5]graphs.Handle
	for at, p := range []int{0, 0, 1, 2, 3} {
		if at != 1 {
			b.Process(fmt.Sprintf("P%d", p))
		}
		e[at] = b.Event(p)
	}
	for _, edge := range [][2]int{{3, 0}, {2, 1}, {3, 4}} { // the first is needed
		b.Order(e[edge[0]], e[edge[1]])
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	cut, err := heavy(context.Background(), c, c.Initial(), c.Final(), []int64{0, 4, 3, -5, 0, 2, 0}, 1, 7, 5)
	if want := (graphs.Cut{1, 0, 1, 1}); err != nil || !cut.Equal(want) {
		t.Errorf("%v, %v, not %v", cut, err, want)
	}
}

// In short windows, and along processes first, flow takes few steps for each event.
func TestHeavyTakesFewSteps(t *testing.T) {
	const processes, events, most = 10, 40_000, 9
	defer SetWindows(1<<10, 16)()
	r := rand.New(rand.NewPCG(29, 1))
	c := entangled(r, processes, events)
	weight := make([]int64, c.Top()+1)
	for p := range processes {
		now := int64(0)
		for i := 1; i <= c.Len(p); i++ {
			next := r.Int64N(most + 1)
			weight[c.Event(p, i)], now = next-now, next
		}
	}
	ctx := effort.Counted(context.Background())
	if _, err := heavy(ctx, c, c.Initial(), c.Final(), weight, 1, processes*most, processes*most-1); err != nil {
		t.Fatal(err)
	}
	if steps := effort.Spent(ctx); steps > 6000 {
		t.Errorf("%d steps for %d events", steps, events)
	}
}

func BenchmarkSums(b *testing.B) {
	for _, size := range []struct{ processes, events int }{{10, 10_000}, {50, 100_000}, {250, 1_000_000}} {
		c := enginetest.Exclusive(size.processes, size.events, false)
		for _, text := range []string{
			"(count i: cs@i) >= 2", "(count i: cs@i) != 1", "(sum i: x@i) >= 100000000", "(sum i: sum j: transit(i, j)) > 1000000", "(count i: cs@i) * 3 == 2",
		} {
			f, err := rctltest.Resolve(c, text)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%d/%d/%s", size.processes, size.events, text), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if a := enginetest.Decide(b, Prepare, enginetest.Problem(c, false), syntax.OpEF, f); a.Verdict == engine.Holds && text == "(count i: cs@i) >= 2" {
						b.Fatal(a.Verdict)
					}
				}
			})
		}
	}
}
