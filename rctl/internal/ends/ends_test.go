package ends

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/enginetest"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// Verdicts are those of brute force, runs show them, and a simpler formula is at all
// cuts what the formula was.
func TestAgainstBruteForce(t *testing.T) {
	const each = 8
	tally := make(graphtest.Tally)
	n := graphtest.RoundsUpTo(t, 6_000, 120_000)
	for i, sample := range graphtest.Samples(n/each, 31, graphtest.Config{Processes: 3, Events: 9, Kinds: graphtest.AllKinds}, false) {
		r, c, l := sample.Rand, sample.Computation, sample.Lattice
		for range each {
			p := enginetest.Problem(c, true)
			f, g := formulas(t, r, p)
			truth := rctltest.Holds(l, f)
			if !slices.Equal(rctltest.Holds(l, g), truth) {
				t.Fatalf("pair %d: %s is not %s", i, f, g)
			}
			if g != f {
				tally["simpler"]++
				if len(f.Sub) > 0 {
					tally[fmt.Sprint(f.Op, " ", f.Sub[len(f.Sub)-1].Op)]++
				}
			}
			if err := checkAnswers(p, l, f, truth, tally); err != nil {
				t.Fatalf("pair %d: %s: %v", i, f, err)
			}
		}
	}
	tally.Check(t, n/2400,
		"holds", "fails", "EF run", "EG run", "E[ U ] run", "E[ W ] run", "E[ R ] run", "simpler",
		"EF EF", "EF AF", "AF EF", "AF AF", "AF EX", "EG AX", "EG EG", "EG AG", "AG EG", "AG AG",
		"EF E[ U ]", "EF A[ U ]", "AF A[ U ]", "AG E[ R ]", "AG A[ R ]", "EG E[ R ]",
		"AG E[ W ]", "AG A[ W ]", "EG E[ W ]", "AG E[ U ]", "AG A[ U ]", "EG E[ U ]",
		"EF E[ R ]", "EF A[ R ]", "AF A[ R ]", "E[ U ] EF", "A[ U ] EF", "E[ R ] AG", "A[ R ] AG",
	)
}

// Operators over operators become one where that is right: each pair of them is tried
// with predicates that are any set of the cuts of a grid. And what the first and the last cuts
// decide of them is so.
func TestPairsOfOperators(t *testing.T) {
	inner := []string{"EX(%s)", "AX(%s)", "EF(%s)", "AF(%s)", "EG(%s)", "AG(%s)", "E[%[2]s U %[1]s]", "A[%[2]s U %[1]s]", "E[%[2]s W %[1]s]", "A[%[2]s W %[1]s]", "E[%[2]s R %[1]s]", "A[%[2]s R %[1]s]", "(EF(%s) && EF(%[2]s))", "(AG(%s) || AG(%[2]s))", "(AF(%s) || %[2]s)", "(EG(%s) && %[2]s)"}
	outer := append([]string{"EF(%s)", "AF(%s)", "EG(%s)", "AG(%s)"}, "E[%[2]s U %[1]s]", "A[%[2]s U %[1]s]", "E[%[2]s R %[1]s]", "A[%[2]s R %[1]s]")
	n := graphtest.RoundsUpTo(t, 50, 1000)
	tally := make(graphtest.Tally)
	simpler := 0
	for i := range n {
		r := rand.New(rand.NewPCG(53, uint64(i)))
		c := grid()
		l := graphtest.NewLattice(c)
		predicate := func() string { return set(r) }
		for _, out := range outer {
			for _, in := range inner {
				p := enginetest.Problem(c, true)
				f, err := rctltest.Resolve(c, fill(out, fill(in, predicate(), predicate()), predicate()))
				if err != nil {
					t.Fatal(err)
				}
				f = p.Normal(f)
				truth := rctltest.Holds(l, f)
				if err := checkAnswers(p, l, f, truth, tally); err != nil {
					t.Fatalf("pair %d: %s: %v", i, f, err)
				}
				checkMonotone(t, l, f, truth)
				g, _, err := Simplify(p, f)
				if err != nil {
					t.Fatal(err)
				}
				if g == f {
					continue
				}
				simpler++
				if !slices.Equal(rctltest.Holds(l, g), truth) {
					t.Fatalf("pair %d: %s is not %s", i, f, g)
				}
			}
		}
	}
	tally.Check(t, n/10, "run to before the final cut")
	if simpler < n {
		t.Errorf("only %d simpler formulas", simpler)
	}
}

// What was evaluated when the time was over is not remembered.
func TestMemoOfCancelled(t *testing.T) {
	c := grid()
	f, err := rctltest.Resolve(c, "EF(x@P == 3 && (x@Q == 3 || x@Q == 4))")
	if err != nil {
		t.Fatal(err)
	}
	for looks := 0; ; looks++ {
		p := enginetest.Problem(c, false)
		p.Ends = NewMemo()
		normal := p.Normal(f)
		p.Ctx = &graphtest.Patience{Context: p.Ctx, Most: looks}
		_, err := Known(p, normal)
		if err == nil {
			break
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		p.Ctx = t.Context()
		if known, err := Known(p, normal); !known || err != nil {
			t.Errorf("after %d looks: %t, %v", looks, known, err)
		}
		later := *p
		later.Ends = p.Ends.Later()
		if known, err := Known(&later, normal); !known || err != nil {
			t.Errorf("later, after %d looks: %t, %v", looks, known, err)
		}
	}
}

// checkMonotone checks what DownClosed and Stable say of a formula.
func checkMonotone(t *testing.T, l *graphtest.Lattice, f *syntax.Formula, truth []bool) {
	downClosed, stable := DownClosed(f), Stable(f)
	if !downClosed && !stable {
		return
	}
	for i, cut := range l.Cuts {
		for j, later := range l.Cuts {
			if cut.Within(later) && (downClosed && truth[j] && !truth[i] || stable && truth[i] && !truth[j]) {
				t.Fatalf("%s is %t at %v and %t at %v", f, truth[i], cut, truth[j], later)
			}
		}
	}
}

// side is how many events each of the two processes of a grid has.
const side = 3

// grid returns a computation without messages, in which x counts events.
func grid() *graphs.Computation {
	var b graphs.Builder
	for _, name := range []string{"P", "Q"} {
		p := b.Process(name)
		x := b.Variable(p, "x")
		b.Init(x, graphs.Int(0))
		for k := range side {
			b.Set(x, b.Event(p), graphs.Int(int64(k)+1))
		}
	}
	c, err := b.Build()
	if err != nil {
		panic(err)
	}
	return c
}

// set writes a predicate that holds at some cuts of the grid, few or many.
func set(r *rand.Rand) string {
	few := r.Float64()
	cuts := []string{"false"}
	for i := range side + 1 {
		for j := range side + 1 {
			if r.Float64() < few {
				cuts = append(cuts, fmt.Sprintf("x@P == %d && x@Q == %d", i, j))
			}
		}
	}
	return "(" + strings.Join(cuts, " || ") + ")"
}

// fill writes a formula with operands.
func fill(format, p, q string) string {
	if strings.Contains(format, "[2]") {
		return fmt.Sprintf(format, p, q)
	}
	return fmt.Sprintf(format, p)
}

// formulas returns a formula, mostly one that is made simpler, and what it is made.
func formulas(t *testing.T, r *rand.Rand, p *engine.Problem) (f, g *syntax.Formula) {
	for range 1 + r.IntN(8) {
		f, err := rctltest.Resolve(p.Comp, enginetest.Nested(r, p.Comp, 2+r.IntN(5)/4))
		if err != nil {
			t.Fatal(err)
		}
		f = p.Normal(f)
		g, _, err = Simplify(p, f)
		if err != nil {
			t.Fatal(err)
		}
		if f != g {
			return f, g
		}
	}
	return g, g
}

func checkAnswers(p *engine.Problem, l *graphtest.Lattice, f *syntax.Formula, truth []bool, tally map[string]int) error {
	for _, prepare := range []engine.Engine{Prepare, PrepareAny} {
		task, err := prepare(p, f)
		if err != nil {
			return err
		}
		if task == nil {
			continue
		}
		a, err := task.Decide()
		if err != nil {
			return err
		}
		if want := engine.VerdictOf(truth[l.Index(p.Comp.Initial())]); a.Verdict != want {
			return fmt.Errorf("%s, not %s", a.Verdict, want)
		}
		tally[a.Verdict.String()]++
		for _, run := range a.Runs {
			if err := enginetest.CheckRun(l, p.Comp, run); err != nil {
				return err
			}
			tally[run.Formula.Op.String()+" run"]++
			if final := p.Comp.Final(); !run.Cut.Equal(p.Comp.Initial()) && !run.Cut.Equal(final) {
				tally["run to before the final cut"]++
			}
		}
	}
	return nil
}
