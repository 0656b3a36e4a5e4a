package sat

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/internal/effort"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/enginetest"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/internal/replay"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// primarySecondary makes a trace of a system in which a primary and a secondary
// process name each other, and either hands its partner's part to a third in
// every round. The new partner has taken up the part before it is named, and the
// old one lays it down after. In a faulty system one of the old ones does so
// before it hears of that.
func primarySecondary(r *rand.Rand, processes, rounds int, faulty bool) *graphs.Computation {
	w := &roleWorld{r: r, p: make([]roleProcess, processes)}
	for i := range w.p {
		w.p[i].process = w.b.Process(fmt.Sprintf("P%d", i))
		w.p[i].parts[0] = w.variable(i, "isPrimary", graphs.Boolean(i == 0))
		w.p[i].parts[1] = w.variable(i, "isSecondary", graphs.Boolean(i == 1))
		w.p[i].partner[0] = w.variable(i, "secondary", graphs.Int(1))
		w.p[i].partner[1] = w.variable(i, "primary", graphs.Int(0))
		w.variable(i, "id", graphs.Int(int64(i)))
	}
	holder := [2]int{0, 1} // the primary and the secondary
	fault := rounds / 2
	for round := range rounds {
		w.noise()
		turn := round % 2 // whose partner changes: the primary's, then the secondary's
		chooser, old := holder[turn], holder[1-turn]
		next := r.IntN(processes)
		for next == chooser || next == old {
			next = r.IntN(processes)
		}
		offer := w.event(chooser)
		accept := w.receive(next, offer)
		w.b.Set(w.p[next].parts[1-turn], accept, graphs.Boolean(true))
		w.b.Set(w.p[next].partner[1-turn], accept, graphs.Int(int64(chooser)))
		if faulty && round == fault {
			early := w.event(old)
			w.b.Set(w.p[old].parts[1-turn], early, graphs.Boolean(false))
		}
		named := w.receive(chooser, accept)
		w.b.Set(w.p[chooser].partner[turn], named, graphs.Int(int64(next)))
		release := w.receive(old, named)
		w.b.Set(w.p[old].parts[1-turn], release, graphs.Boolean(false))
		goOn := w.event(chooser)
		w.receive(next, goOn) // its turn
		holder[1-turn] = next
	}
	c, err := w.b.Build()
	if err != nil {
		panic(err)
	}
	return c
}

type roleWorld struct {
	r *rand.Rand
	b graphs.Builder
	p []roleProcess
}

type roleProcess struct {
	process        int
	parts, partner [2]*graphs.Variable
}

func (w *roleWorld) variable(i int, name string, init graphs.Value) *graphs.Variable {
	v := w.b.Variable(w.p[i].process, name)
	w.b.Init(v, init)
	return v
}

func (w *roleWorld) event(i int) graphs.Handle { return w.b.Event(w.p[i].process) }

func (w *roleWorld) receive(i int, from graphs.Handle) graphs.Handle {
	h := w.event(i)
	w.b.Deliver(w.b.NewMessage(""), from, h, -1)
	return h
}

// noise lets some processes do something else.
func (w *roleWorld) noise() {
	for range w.r.IntN(4) {
		w.event(w.r.IntN(len(w.p)))
	}
}

// noPair says that no primary and secondary name each other.
const noPair = "forall i != j: !isPrimary@i || !isSecondary@j || secondary@i != id@j || primary@j != id@i"

func resolved(t testing.TB, c *graphs.Computation, text string) *syntax.Formula {
	t.Helper()
	f, err := rctltest.Resolve(c, text)
	if err != nil {
		t.Fatal(err)
	}
	return syntax.NNF(f)
}

func problem(ctx context.Context, c *graphs.Computation) *engine.Problem {
	return &engine.Problem{Slices: regular.New(ctx, c, regular.NewMemo()), Ctx: ctx, Comp: c}
}

// prepared returns the task for a formula, which has one.
func prepared(t testing.TB, p *engine.Problem, f *syntax.Formula) *engine.Task {
	t.Helper()
	task, err := Prepare(p, f)
	if err != nil || task == nil {
		t.Fatalf("not taken on: %v", err)
	}
	return task
}

func decided(t testing.TB, p *engine.Problem, f *syntax.Formula) engine.Answer {
	t.Helper()
	a, err := prepared(t, p, f).Decide()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestPrimarySecondary(t *testing.T) {
	for _, processes := range []int{10, 30} {
		for _, faulty := range []bool{false, true} {
			c := primarySecondary(rand.New(rand.NewPCG(5, uint64(processes))), processes, 20*processes, faulty)
			p := problem(t.Context(), c)
			p.Evidence = true
			f := resolved(t, c, "EF "+noPair)
			a := decided(t, p, f)
			switch {
			case a.Verdict != engine.VerdictOf(faulty):
				t.Errorf("%d processes, faulty %v: %v (%s)", processes, faulty, a.Verdict, a.Reason)
			case faulty && a.Runs[0].MaybeShorter:
				t.Errorf("%d processes: not decided whether the cut is least", processes)
			case faulty:
				if err := replay.Check(c, c.Initial(), a.Runs[0]); err != nil {
					t.Errorf("%d processes: %v", processes, err)
				}
			}
		}
	}
}

// A hard formula is given up when the time has come; to decide it takes hours.
func TestDeadline(t *testing.T) {
	c, text := enginetest.Clauses(rand.New(rand.NewPCG(1, 2)), 600, 2556)
	p := problem(t.Context(), c)
	task := prepared(t, p, resolved(t, c, "EF("+text+")"))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	p.Ctx = ctx
	if _, err := task.Decide(); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
}

// A comparison with the same truth for all values of its variables becomes no clause.
func TestConstantComparisons(t *testing.T) {
	b := newBuilder(problem(t.Context(), graphtest.Figure1("P1", "P2", "f1", "")))
	for text, want := range map[string]kind{
		"x + y <= 100": always, "x + y > 100": never, "x * y <= 100": always, "x * y > 100": never,
		"x + y <= 2": related, "x * y > 2": related,
	} {
		if n := b.node(resolved(t, b.Comp, text)); n == nil || n.kind != want {
			t.Errorf("%s: %+v, not of kind %d", text, n, want)
		}
	}
}

// Events whose pasts are too large are ruled out until enough events have been visited for it.
func TestEffort(t *testing.T) {
	c := graphtest.Figure1("P1", "P2", "f1", "")
	p := problem(t.Context(), c)
	root := newBuilder(p).node(resolved(t, c, "x == 2 && y == 2"))
	numbers, err := newNumbering(t.Context(), c, turns(c, root))
	if err != nil {
		t.Fatal(err)
	}
	e := &encoder{comp: c, solver: newSolver(t.Context(), 0), numbers: numbers}
	for effort, left := range map[int]int{0: 0, maxEffort + 1: 1} {
		s := &search{encoder: e, cut: e.newCut(nil), size: p.Weigh, best: c.Initial(), effort: effort}
		s.candidates = make([][]int32, c.NumProcesses())
		s.candidates[c.Process(numbers.events[1])] = []int32{1}
		s.narrow()
		if n := len(slices.Concat(s.candidates...)); n != left {
			t.Errorf("after %d events: %d are left, not %d", effort, n, left)
		}
	}
}

// A contradiction among variables that only a later slice comes to is found, wherever they stand
// among the others, and without it there is a model.
func TestSlicesOfContradictions(t *testing.T) {
	const others = 50_000
	for _, place := range []lit{0, 9_000, 15_000, 24_000, others} {
		for _, contradictory := range []bool{true, false} {
			ctx, cancel := effort.Limited(t.Context(), 1_000_000)
			defer cancel()
			s := newSolver(ctx, 0)
			first := s.newVars(others + 3)
			a := first + place
			b, c := a+1, a+2
			for v := first; v < first+others; v += 2 {
				if v < a {
					s.add(v, v+1)
				} else {
					s.add(v+3, v+4)
				}
			}
			s.add(a, b)
			s.add(a, -b)
			s.add(-a, c)
			if contradictory {
				s.add(-a, -c)
			}
			if found, err := s.solve(ctx); found == contradictory || err != nil {
				t.Errorf("at %d, contradictory %t: a model %t, error %v", place, contradictory, found, err)
			}
		}
	}
}

// What is found within a number of steps is the same in every run.
func TestSteps(t *testing.T) {
	tally := make(graphtest.Tally)
	for i := range max(graphtest.Rounds(t, 12), 12) {
		c, text := enginetest.Clauses(rand.New(rand.NewPCG(83, uint64(i))), 130, 550)
		f := resolved(t, c, "EF("+text+")")
		want := ""
		for range 3 {
			outer := effort.Counted(t.Context())
			ctx, cancel := effort.Limited(outer, int64(100<<(i%12)))
			p := problem(ctx, c)
			p.Evidence = true
			a, err := prepared(t, p, f).Decide()
			cancel()
			got := fmt.Sprint(a.Verdict, err, effort.Spent(outer))
			if a.Verdict == engine.Holds {
				got += fmt.Sprint(a.Runs[0].Cut, a.Runs[0].MaybeShorter)
			}
			if want == "" {
				want = got
			} else if got != want {
				t.Fatalf("case %d: %s in one run, in another\n%s", i, got, want)
			}
			switch {
			case err != nil:
				tally["stopped"]++
			case a.Verdict == engine.Fails:
				tally["none"]++
			case a.Runs[0].MaybeShorter:
				tally["not proven"]++
			default:
				tally["proven"]++
			}
		}
	}
	tally.Check(t, 1, "stopped", "not proven")
}

// So is one that takes too much memory, to write down or to solve.
func TestMemory(t *testing.T) {
	c, text := enginetest.Clauses(rand.New(rand.NewPCG(1, 2)), 600, 2556)
	f := resolved(t, c, "EF("+text+")")
	for limit, reason := range map[int64]string{
		100_000:   "satisfiability needs more than 100000 bytes of memory",
		2_000_000: "satisfiability needs more than 2000000 bytes of memory",
	} {
		p := problem(t.Context(), c)
		p.Bytes = limit
		runtime.GC() // garbage would hide what the solver takes
		if a := decided(t, p, f); a.Verdict != engine.Unknown || a.Reason != reason {
			t.Errorf("with %d bytes: %v (%s)", limit, a.Verdict, a.Reason)
		}
	}
}

// The size of a cut may be measured otherwise than by its events.
func TestSize(t *testing.T) {
	c := counters(t, 4, func(i int) int64 { return int64(i) + 1 }, "P", "Q")
	f := resolved(t, c, "EF(x@P >= 1 || x@Q >= 3)")
	for _, test := range []struct {
		weight int
		want   graphs.Cut
	}{{1, graphs.Cut{1, 0}}, {5, graphs.Cut{0, 3}}} {
		p := problem(t.Context(), c)
		p.Evidence = true
		p.Size = func(cut graphs.Cut) int { return test.weight*int(cut[0]) + int(cut[1]) }
		if run := decided(t, p, f).Runs[0]; run.MaybeShorter || !run.Cut.Equal(test.want) {
			t.Errorf("with P's events %d times as heavy: %v (%v), want %v", test.weight, run.Cut, run.MaybeShorter, test.want)
		}
	}
}

// A cut that is near is found, though most that will do are far away, and is proven to be the
// smallest. It takes few steps, though there are many more variables than a slice of the solver
// assigns.
func TestNearby(t *testing.T) {
	for _, n := range []int{7_700, 10_000} { // the solver has much room for further variables, and less
		r := rand.New(rand.NewPCG(5, 84))
		c := counters(t, n, func(int) int64 { return r.Int64N(10) }, "P0", "P1", "P2", "P3", "P4")
		f := resolved(t, c, "EF(x@P0 == x@P1 && x@P1 == x@P2 && x@P3 != x@P4)")
		ctx := effort.Counted(t.Context())
		p := problem(ctx, c)
		p.Evidence = true
		if run := decided(t, p, f).Runs[0]; run.MaybeShorter || run.Cut.Size() > 4 {
			t.Errorf("%d events each: %v (%v)", n, run.Cut, run.MaybeShorter)
		}
		if steps := effort.Spent(ctx); steps > 300_000 {
			t.Errorf("%d events each: %d steps", n, steps)
		}
	}
}

// Formulas that speak of all runs, or of what lies between two cuts, are refused
// unless they have slices, and so are those whose values can be combined in too many
// ways.
func TestKinds(t *testing.T) {
	c := counters(t, 400, func(i int) int64 { return int64(i*i) % 401 }, "P", "Q", "R")
	for text, want := range map[string]bool{
		"AG x@P == 1":                          false,
		"EF (x@P == 1 && EX x@Q == 2)":         true,
		"EF (x@P == 1 && AX x@Q == 2)":         true,
		"EF (x@P == 1 && EX x@Q < x@P)":        false,
		"EF (x@P == 1 && EG x@Q == 2)":         true,
		"EF (x@P == 1 && EG x@Q != x@R)":       false,
		"EF (x@P == 1 || AG x@Q != x@R)":       false,
		"EF AF (x@P == 1 || x@Q == 2)":         true,
		"EF AF (x@P == 1 && x@Q == 2)":         false,
		"EF x@P + x@Q == 11":                   true,
		"EF x@P * x@Q == 391 * 7 - 2000":       true,
		"EF x@P * x@Q * x@R == 7":              false,
		"EF !EF (x@P * x@Q - 3 * x@R == 7)":    false,
		"EF EF (x@P * x@Q - 3 * x@R == 7)":     false,
		"EF (x@P * x@Q * 0 - 3 * x@R == 7)":    false,
		"EF (x@P * x@Q == 7 && 3 * x@R > x@Q)": true,
	} {
		task, err := Prepare(problem(t.Context(), c), resolved(t, c, text))
		if err != nil || (task != nil) != want {
			t.Errorf("%s: taken on %v (%v), want %v", text, task != nil, err, want)
		}
	}
}

// A formula is not taken on when the time is over.
func TestCanceled(t *testing.T) {
	c := counters(t, 1, func(i int) int64 { return 1 }, "P", "Q")
	f := resolved(t, c, "EF x@P == x@Q")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if task, err := Prepare(problem(ctx, c), f); task != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("taken on %v: %v", task != nil, err)
	}
}

// counters makes a trace of processes whose x is 0, value(0), value(1), …, n times.
func counters(t *testing.T, n int, value func(int) int64, processes ...string) *graphs.Computation {
	t.Helper()
	var b graphs.Builder
	for _, name := range processes {
		v := b.Variable(b.Process(name), "x")
		b.Init(v, graphs.Int(0))
		for i := range n {
			b.Set(v, b.Event(v.Process), graphs.Int(value(i)))
		}
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func BenchmarkPrimarySecondary(b *testing.B) {
	for _, processes := range []int{40, 100} {
		for _, faulty := range []bool{false, true} {
			b.Run(fmt.Sprintf("processes=%d/faulty=%v", processes, faulty), func(b *testing.B) {
				c := primarySecondary(rand.New(rand.NewPCG(5, uint64(processes))), processes, 20*processes, faulty)
				f := resolved(b, c, "EF "+noPair)
				b.ReportMetric(float64(c.NumEvents()), "events")
				for b.Loop() {
					p := problem(b.Context(), c)
					p.Evidence = true
					decided(b, p, f)
				}
			})
		}
	}
}
