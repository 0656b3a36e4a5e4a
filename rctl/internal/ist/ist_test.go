package ist

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/enginetest"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// The set of cuts of every subformula is that of brute force; evidence replays and
// is as short as can be.
func TestAgainstBruteForce(t *testing.T) {
	const each = 8
	tally := make(graphtest.Tally)
	n := graphtest.Rounds(t, 3200)
	for i, sample := range graphtest.Samples(n/each, 21, graphtest.DefaultConfig, true) {
		r, c, l := sample.Rand, sample.Computation, sample.Lattice
		for range each {
			f := syntax.NNF(enginetest.RandomFormula(r, c))
			if err := compare(l, c, f, tally); err != nil {
				t.Fatalf("pair %d: %s: %v", i, f, err)
			}
		}
	}
	tally.Check(t, n/400, "holds", "fails", "run EX", "run EF", "run EG", "run E[ U ]", "run E[ R ]", "run E[ W ]", "nearer", "whole")
}

func compare(l *graphtest.Lattice, c *graphs.Computation, f *syntax.Formula, tally map[string]int) error {
	p := enginetest.Problem(c, true)
	roots := p.Roots(f)
	x, err := evaluate(p, roots...)
	if err != nil {
		return err
	}
	// Cuts before the one to start from are not decided.
	n := 0
	for range x.store.All(x.all) {
		n++
	}
	if c.Initial().Equal(l.Cuts[l.Initial]) && n != len(l.Cuts) {
		return fmt.Errorf("%d cuts, not %d", n, len(l.Cuts))
	}
	for _, root := range roots {
		if want := rctltest.Holds(l, root)[l.Index(c.Initial())]; x.holds(root) != want {
			return fmt.Errorf("%s at the initial cut: %t", root, !want)
		}
	}
	for g, a := range x.sets {
		holds := rctltest.Holds(l, g)
		for i, cut := range l.Cuts {
			if c.Initial().Within(cut) && x.has(a, cut) != holds[i] {
				return fmt.Errorf("%s at %v: %t", g, cut, !holds[i])
			}
		}
	}
	// Without nodes to spare there are runs too, if not the shortest.
	for _, spare := range []int{-1 << 30, spareNodes} {
		x.spare = spare
		a := p.Decided(roots, x.holds, x.run)
		tally[a.Verdict.String()]++
		for _, run := range a.Runs {
			if err := enginetest.CheckRun(l, c, run); err != nil {
				return fmt.Errorf("%s: %w", run.Formula, err)
			}
			if run.MaybeShorter && spare > 0 {
				return fmt.Errorf("the run for %s is not the shortest", run.Formula)
			}
			tally["run "+run.Formula.Op.String()]++
			if run.Whole {
				tally["whole"]++
			}
			if run.MaybeShorter {
				tally["nearer"]++
			}
		}
	}
	return nil
}

// Sets for formulas without temporal operators agree with evaluation at each cut:
// aggregates over all processes, numbers that must be added in order, few and many
// states.
func TestRelations(t *testing.T) {
	relations := []string{"<", "<=", "==", "!=", ">=", ">"}
	for i := range graphtest.Rounds(t, 2000) {
		r := rand.New(rand.NewPCG(22, uint64(i)))
		c := numbered(r, 3+r.IntN(2))
		pick := func(list ...string) string { return list[r.IntN(len(list))] }
		number := func() string { return pick("0", "1", "2", "3", "5", "0.6", "0.3", "0.6000000000000001") }
		term := func() string {
			return pick("(max i: x@i)", "(min i: x@i)", "(sum i: x@i)", "(sum i: y@i)", "(max i: y@i)", "(min i: y@i)", "(count i: x@i > 1)",
				"(count i: x@i > 1 || y@i < 0.25)", "(sum i: x@i * x@P0)", "x@P0 * x@P1", "x@P0 * y@P1", "(x@P0 - x@P1)", "-(max i: x@i)", "(sum i in {P2, P0, P1}: y@i)",
				"(max i: x@i * 2 - x@P1)", "y@P1", "x@P0", "turn", "(sum i: turn * x@i)", "(y@P0 + y@P1)", "transit(P0, P1)")
		}
		text := term() + " " + pick(relations...) + " " + pick(number(), number(), term())
		if r.IntN(4) == 0 {
			text += " " + pick(relations...) + " " + pick(number(), term())
		}
		if r.IntN(6) == 0 {
			text = "(count i: x@i > 1) == 1 <-> " + text
		}
		f, err := rctltest.Resolve(c, text)
		if err != nil {
			t.Fatal(err)
		}
		f = syntax.NNF(f)
		ahead := &syntax.Formula{Op: syntax.OpEX, Sub: []*syntax.Formula{f}} // so that it is not a root
		x, err := evaluate(enginetest.Problem(c, true), ahead)
		if err != nil {
			t.Fatal(err)
		}
		p, err := atoms.Compile(c, f)
		if err != nil {
			t.Fatal(err)
		}
		for _, cut := range graphtest.Cuts(c) {
			if want := p.At(cut, p.Env()); x.has(x.sets[f], cut) != want {
				t.Fatalf("case %d: %s at %v: %t", i, text, cut, !want)
			}
		}
	}
}

// numbered returns n processes with few events and variables with whole numbers
// and others. A chain of messages goes through the processes in random order.
func numbered(r *rand.Rand, n int) *graphs.Computation {
	var b graphs.Builder
	turn := b.Variable(graphs.Shared, "turn")
	b.Init(turn, graphs.Int(0))
	var last graphs.Handle
	for p := range n {
		b.Process(fmt.Sprintf("P%d", p))
	}
	for i, p := range r.Perm(n) {
		x, y := b.Variable(p, "x"), b.Variable(p, "y")
		b.Init(x, graphs.Int(int64(r.IntN(4))))
		b.Init(y, graphs.Float(0.1))
		for k := range 1 + r.IntN(4) {
			e := b.Event(p)
			b.Set(x, e, graphs.Int(int64(r.IntN(5)-1)))
			b.Set(y, e, graphs.Float(float64(r.IntN(4))/10))
			if k == 0 {
				b.Set(turn, e, graphs.Int(int64(r.IntN(3))))
				if i > 0 {
					b.Deliver(b.NewMessage(""), last, e, -1)
				}
				last = e
			}
		}
	}
	c, err := b.Build()
	if err != nil {
		panic(err)
	}
	return c
}

// A run that needs far more than its limits ends close to them.
func TestLimits(t *testing.T) {
	c := independent(8, 400)
	f, err := rctltest.Resolve(c, "AG(AF(x@P0 * x@P1 + x@P2 * x@P3 < x@P4 * x@P5 + x@P6 * x@P7))")
	if err != nil {
		t.Fatal(err)
	}
	f = syntax.NNF(f)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	p := enginetest.Problem(c, true)
	p.Bytes = 16 << 20
	task, err := Prepare(p, f)
	if err != nil {
		t.Fatal(err)
	}
	a, err := task.Decide()
	runtime.ReadMemStats(&after)
	if err != nil || a.Verdict != engine.Unknown || !strings.HasPrefix(a.Reason, "interval sharing trees: more than ") {
		t.Errorf("after %v: %+v, %v", time.Since(start), a, err)
	}
	t.Logf("%v, %d MB allocated in all, heap %d MB", time.Since(start), (after.TotalAlloc-before.TotalAlloc)>>20, after.HeapSys>>20)
	patience := &graphtest.Patience{Context: context.Background(), Most: 100}
	p = enginetest.Problem(c, true)
	p.Ctx = patience
	if _, err = evaluate(p, f); !errors.Is(err, context.DeadlineExceeded) || patience.Asked > patience.Most+5 {
		t.Errorf("%v, after asking %d times", err, patience.Asked)
	}
}

// What is known of many processes becomes one number, so that counting them does
// not take a state for each combination.
func TestCounting(t *testing.T) {
	c := independent(24, 60)
	for text, want := range map[string]bool{
		"EF((count i: x@i > 500) >= 20)":                true,
		"AG((count i: x@i > 990) <= 2)":                 false,
		"EF((count i: x@i == 2000) >= 1)":               false,
		"AG((max i: x@i) < 1000 && (min i: x@i) >= 0)":  true,
		"AF((count i: x@i > 900) >= 1)":                 true,
		"EG((count i: x@i < 500) >= 2)":                 true,
		"EF(EG((count i: x@i > 500) <= 12))":            true,
		"EF((sum i: x@i) == 0 && x@P3 != 0)":            false,
		"E[(count i: x@i > 900) < 2 U x@P0 * x@P1 > 7]": true,
	} {
		f, err := rctltest.Resolve(c, text)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		f = syntax.NNF(f)
		p := enginetest.Problem(c, true)
		p.Bytes = 1 << 30
		x, err := evaluate(p, f)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		t.Logf("%s: %t, %d nodes, %v", text, x.holds(f), x.store.Size(), time.Since(start))
		if x.holds(f) != want {
			t.Errorf("%s: %t", text, !want)
		}
	}
}

// independent returns n processes of that many events, each with a variable x that
// takes many values.
func independent(n, events int) *graphs.Computation {
	var b graphs.Builder
	r := rand.New(rand.NewPCG(5, 5))
	for p := range n {
		b.Process(fmt.Sprintf("P%d", p))
		x := b.Variable(p, "x")
		b.Init(x, graphs.Int(0))
		for range events {
			b.Set(x, b.Event(p), graphs.Int(int64(r.IntN(1000))))
		}
	}
	c, err := b.Build()
	if err != nil {
		panic(err)
	}
	return c
}

// Each predicate has its part of the memory for a diagram, which it gives back.
func TestMemory(t *testing.T) {
	c := independent(12, 60)
	var all []string
	for i := range 12 {
		for j := range i {
			all = append(all, fmt.Sprintf("x@P%d * x@P%d != %d", i, j, i))
		}
	}
	f, err := rctltest.Resolve(c, "EX("+strings.Join(all, " || ")+")")
	if err != nil {
		t.Fatal(err)
	}
	held := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := held()
	p := enginetest.Problem(c, true)
	p.Bytes = 4 << 20
	x, err := evaluate(p, syntax.NNF(f))
	if took := held() - before; err != nil || took > p.Bytes {
		t.Errorf("%d predicates take %d bytes, of at most %d: %v", len(all), took, p.Bytes, err)
	}
	runtime.KeepAlive(x)
}
