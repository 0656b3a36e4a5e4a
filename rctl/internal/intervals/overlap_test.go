package intervals

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/enginetest"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// randomPairs writes a formula that says of two or more predicates that two of
// them hold; sometimes one that misses that by a little.
func randomPairs(r *rand.Rand, c *graphs.Computation) string {
	for _, v := range c.Variables() {
		if v.Kind == graphs.Bool && v.Process == 0 && len(c.VariablesNamed(v.Name)) == c.NumProcesses() && r.IntN(3) == 0 {
			return fmt.Sprintf([]string{
				"exists i != j: %s@i && %[1]s@j", "(count i: %s@i) >= 2", "1 < count i: !%s@i",
				"!(forall i != j: %s@i -> !%[1]s@j)", "exists i != j: (%s@i && transit(i, i) == 0) && %[1]s@j",
			}[r.IntN(5)], v.Name)
		}
	}
	var family []string
	for p := range c.NumProcesses() {
		if text := enginetest.LocalPredicate(r, c, p); text != "" && r.IntN(5) > 0 {
			family = append(family, text)
		}
	}
	var pairs []string
	for i := range family {
		for j := range i {
			a, b := family[i], family[j]
			if r.IntN(2) == 0 {
				a, b = b, a
			}
			pairs = append(pairs, a+" && "+b)
		}
	}
	if len(pairs) > 2 && r.IntN(6) == 0 {
		pairs = pairs[1:]
	}
	if len(pairs) < 2 {
		return "false"
	}
	return strings.Join(pairs, " || ")
}

func TestPairsAgainstBruteForce(t *testing.T) {
	tally := make(map[string]int)
	cases := graphtest.Rounds(t, 8_000)
	for i := range uint64(cases) {
		r := rand.New(rand.NewPCG(i, 31))
		c := graphtest.Random(r, graphtest.Config{Processes: 4, Events: 12, Kinds: graphtest.AllKinds})
		l := graphtest.NewLattice(c)
		f, err := rctltest.Resolve(c, randomPairs(r, c))
		if err != nil {
			t.Fatal(err)
		}
		f = syntax.NNF(f)
		if r.IntN(3) == 0 {
			c = c.From(l.Cuts[r.IntN(len(l.Cuts))])
		}
		a := enginetest.Decide(t, Overlap, enginetest.Problem(c, true), syntax.OpEF, f)
		if a.Verdict == engine.Unknown {
			tally["not decided"]++
			continue
		}
		holds, want := rctltest.Holds(l, f), engine.Fails
		for j, at := range l.Cuts {
			if holds[j] && c.Initial().Within(at) {
				want = engine.Holds
			}
		}
		tally[a.Verdict.String()]++
		if c.Cyclic() {
			tally["cyclic "+a.Verdict.String()]++
		}
		if a.Verdict != want {
			t.Fatalf("case %d: EF %s: %v, brute force says %v", i, f, a.Verdict, want)
		}
		if a.Verdict == engine.Holds {
			if err := enginetest.CheckRun(l, c, a.Runs[0]); err != nil {
				t.Fatalf("case %d: EF %s: %v", i, f, err)
			}
		}
	}
	t.Log(tally)
	if tally["holds"] < cases/10 || tally["fails"] < cases/20 || tally["cyclic fails"] < cases/100 {
		t.Error(tally)
	}
}

// Not every disjunction of pairs is one of any two.
func TestPairsRefused(t *testing.T) {
	c := enginetest.Exclusive(4, 200, false)
	for _, text := range []string{
		"cs@P0 && cs@P1", "cs@P0 && cs@P1 || cs@P1 && cs@P2", "cs@P0 && cs@P1 || cs@P1 && cs@P2 || cs@P0 && !cs@P2",
		"cs@P0 && cs@P1 || cs@P2", "exists i != j: cs@i && !cs@j", "(count i: cs@i) >= 3", "(count i: cs@i) == 2", "(count i: cs@P0 || cs@i) >= 2",
		"exists i != j: cs@i && cs@j && transit(i, j) > 0", "cs@P0 && cs@P1 || EF(cs@P1 && cs@P2)", "true",
	} {
		f, err := rctltest.Resolve(c, text)
		if err != nil {
			t.Fatal(err)
		}
		if a := enginetest.Decide(t, Overlap, enginetest.Problem(c, false), syntax.OpEF, syntax.NNF(f)); a.Verdict != engine.Unknown {
			t.Errorf("%s: %v", text, a.Verdict)
		}
	}
	for _, text := range []string{"exists i != j: cs@i && cs@j", "exists i != j: cs@i && x@i > 1 && (cs@j && x@j > 1)", "(count i: cs@i && x@i > 1) >= 2"} {
		f, err := rctltest.Resolve(c, text)
		if err != nil {
			t.Fatal(err)
		}
		if a := enginetest.Decide(t, Overlap, enginetest.Problem(c, false), syntax.OpEF, syntax.NNF(f)); a.Verdict != engine.Fails {
			t.Errorf("%s: %v", text, a.Verdict)
		}
	}
}

// What is refused takes no memory for all pairs of processes.
func TestOverlapOfManyProcesses(t *testing.T) {
	c := enginetest.Exclusive(20_000, 20_000, false)
	f, err := rctltest.Resolve(c, "cs@P0 && cs@P1 || cs@P2 && cs@P3 || cs@P19998 && cs@P19999")
	if err != nil {
		t.Fatal(err)
	}
	p := enginetest.Problem(c, false)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	a := enginetest.Decide(t, Overlap, p, syntax.OpEF, f)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; a.Verdict != engine.Unknown || took > 4<<20 {
		t.Errorf("%v, after %d KiB", a.Verdict, took>>10)
	}
}

func BenchmarkPairs(b *testing.B) {
	for _, broken := range []bool{false, true} {
		c := enginetest.Exclusive(250, 1_000_000, broken)
		f, err := rctltest.Resolve(c, "exists i != j: cs@i && cs@j")
		if err != nil {
			b.Fatal(err)
		}
		count, err := rctltest.Resolve(c, "(count i: cs@i) >= 2")
		if err != nil {
			b.Fatal(err)
		}
		for name, f := range map[string]*syntax.Formula{"exists": f, "count": count} {
			b.Run(fmt.Sprintf("%s/broken=%v", name, broken), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if a := enginetest.Decide(b, Overlap, enginetest.Problem(c, false), syntax.OpEF, f); a.Verdict != engine.VerdictOf(broken) {
						b.Fatal(a.Verdict)
					}
				}
			})
		}
	}
}

// BenchmarkConjunctive is EF of a conjunction over all processes, to compare with.
func BenchmarkConjunctive(b *testing.B) {
	c := enginetest.Exclusive(250, 1_000_000, false)
	f, err := rctltest.Resolve(c, "forall i: cs@i")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if !enginetest.Problem(c, false).Of(f).Empty() {
			b.Fatal("all at once")
		}
	}
}

// A step of two events of a process, at both of which a predicate holds, begins an
// interval.
func TestIntervalBeginsWithStep(t *testing.T) {
	var b graphs.Builder
	for p, events := range []int{1, 5, 2} { // each ends with a
		b.Process(fmt.Sprintf("P%d", p))
		a := b.Variable(p, "a")
		b.Init(a, graphs.Boolean(false))
		for k := range events {
			e := b.Event(p)
			b.Set(a, e, graphs.Boolean(k == events-1 || p == 2))
			if p == 2 && k == 1 {
				b.Edge(e, e-1)
			}
		}
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	f, err := rctltest.Resolve(c, "exists i != j: a@i && a@j")
	if err != nil {
		t.Fatal(err)
	}
	a := enginetest.Decide(t, Overlap, enginetest.Problem(c, true), syntax.OpEF, f)
	if want := (graphs.Cut{1, 0, 2}); a.Verdict != engine.Holds || !a.Runs[0].Cut.Equal(want) {
		t.Errorf("%s at %v, not at %v", a.Verdict, a.Runs[0].Cut, want)
	}
}
