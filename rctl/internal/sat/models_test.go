package rctl

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
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
	f, err := graphtest.Resolve(c, text)
	if err != nil {
		t.Fatal(err)
	}
	return syntax.NNF(f)
}

func TestSatPrimarySecondary(t *testing.T) {
	for _, test := range []struct {
		processes int
		limit     time.Duration
	}{{10, time.Second}, {40, time.Second}, {100, 10 * time.Second}} {
		for _, faulty := range []bool{false, true} {
			r := rand.New(rand.NewPCG(5, uint64(test.processes)))
			c := primarySecondary(r, test.processes, 20*test.processes, faulty)
			start := time.Now()
			f := resolved(t, c, noPair)
			cut, least, err := satEF(context.Background(), c, f, satOptions{least: true})
			took := time.Since(start)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d processes, %d events, faulty %v: %v, %d events in the cut", test.processes, c.NumEvents(), faulty, took.Round(time.Millisecond), cut.Size())
			switch {
			case (cut != nil) != faulty:
				t.Errorf("%d processes, faulty %v: found %v", test.processes, faulty, cut)
			case !least:
				t.Errorf("%d processes: not decided whether the cut is least", test.processes)
			case took > test.limit:
				t.Errorf("%d processes took %v", test.processes, took)
			}
			if p, err := compile(c, f); err != nil || faulty && !p.at(cut, p.env()) {
				t.Errorf("%v does not satisfy the formula (%v)", cut, err)
			}
		}
	}
}

// satisfiableTrace makes a trace that has a cut at which f holds exactly where a
// random formula of three literals a clause can be satisfied: a process for each
// variable, which may have happened or not.
func satisfiableTrace(r *rand.Rand, variables, clauses int) (c *graphs.Computation, f string) {
	var b graphs.Builder
	for i := range variables {
		p := b.Process(fmt.Sprintf("P%d", i))
		v := b.Variable(p, "x")
		b.Init(v, graphs.Boolean(false))
		b.Set(v, b.Event(p), graphs.Boolean(true))
	}
	var text []string
	for range clauses {
		var lits []string
		for range 3 {
			lits = append(lits, fmt.Sprintf("%sx@P%d", []string{"", "!"}[r.IntN(2)], r.IntN(variables)))
		}
		text = append(text, "("+strings.Join(lits, " || ")+")")
	}
	c, err := b.Build()
	if err != nil {
		panic(err)
	}
	return c, strings.Join(text, " && ")
}

// A hard formula is given up soon after the time has come.
func TestSatDeadline(t *testing.T) {
	c, text := satisfiableTrace(rand.New(rand.NewPCG(1, 2)), 600, 2556)
	f := resolved(t, c, text)
	for _, limit := range []time.Duration{100 * time.Millisecond, time.Second} {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		start := time.Now()
		_, _, err := satEF(ctx, c, f, satOptions{least: true})
		took := time.Since(start)
		cancel()
		t.Log(limit, took)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("%v after %v", err, took)
		}
		if took > limit+limit/10+20*time.Millisecond {
			t.Errorf("gave up after %v, the limit was %v", took, limit)
		}
	}
}

// So is one that takes too much memory, to write down or to solve.
func TestSatMemory(t *testing.T) {
	c, text := satisfiableTrace(rand.New(rand.NewPCG(1, 2)), 600, 2556)
	f := resolved(t, c, text)
	for _, limit := range []int64{100_000, 2_000_000} {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		_, _, err := satEF(ctx, c, f, satOptions{bytes: limit})
		cancel()
		var memory *satMemoryError
		if !errors.As(err, &memory) {
			t.Errorf("with %d bytes: %v", limit, err)
		}
	}
}

// The size of a cut may be measured otherwise than by its events.
func TestSatMeasure(t *testing.T) {
	var b graphs.Builder
	for _, name := range []string{"P", "Q"} {
		v := b.Variable(b.Process(name), "x")
		b.Init(v, graphs.Int(0))
		for i := range 4 {
			b.Set(v, b.Event(v.Process), graphs.Int(int64(i)+1))
		}
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	f := resolved(t, c, "x@P >= 1 || x@Q >= 3")
	for _, test := range []struct {
		weight int
		want   graphs.Cut
	}{{1, graphs.Cut{1, 0}}, {5, graphs.Cut{0, 3}}} {
		cut, least, err := satEF(context.Background(), c, f, satOptions{least: true, size: func(cut graphs.Cut) int {
			return test.weight*int(cut[0]) + int(cut[1])
		}})
		if err != nil || !least || !cut.Equal(test.want) {
			t.Errorf("with P's events %d times as heavy: %v (%v, %v), want %v", test.weight, cut, least, err, test.want)
		}
	}
}

// What satisfiability does not decide is refused, and said why.
func TestSatUnfit(t *testing.T) {
	var b graphs.Builder
	for _, name := range []string{"P", "Q", "R"} {
		v := b.Variable(b.Process(name), "x")
		b.Init(v, graphs.Int(0))
		for i := range 400 {
			b.Set(v, b.Event(v.Process), graphs.Int(int64(i*i)%401))
		}
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"x@P == 1 && EG x@Q == 2":       "EG(x@Q == 2) speaks of all runs, or of what lies between two cuts",
		"x@P == 1 || AG x@Q == 2":       "AG(x@Q == 2) speaks of all runs, or of what lies between two cuts",
		"AF (x@P == 1 && x@Q == 2)":     "AF(x@P == 1 && x@Q == 2) speaks of all runs, or of what lies between two cuts",
		"x@P * x@Q * x@R == 7":          "the values in x@P * x@Q * x@R == 7 can be combined in 8120601 ways",
		"EF (x@P * x@Q - 3 * x@R == 7)": "the values in x@P * x@Q - 3 * x@R == 7 can be combined in 8120601 ways",
	} {
		_, _, err := satEF(context.Background(), c, resolved(t, c, text), satOptions{})
		var unfit *unfitError
		if !errors.As(err, &unfit) || unfit.reason != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"AF (x@P == 1 || x@Q == 2)", "x@P * x@Q == 391 * 7 - 2000", "x@P + x@Q == 11"} {
		if _, _, err := satEF(context.Background(), c, resolved(t, c, text), satOptions{}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func BenchmarkSatPrimarySecondary(b *testing.B) {
	for _, processes := range []int{40, 100} {
		for _, faulty := range []bool{false, true} {
			b.Run(fmt.Sprintf("processes=%d/faulty=%v", processes, faulty), func(b *testing.B) {
				c := primarySecondary(rand.New(rand.NewPCG(5, uint64(processes))), processes, 20*processes, faulty)
				f := resolved(b, c, noPair)
				b.ReportMetric(float64(c.NumEvents()), "events")
				for b.Loop() {
					if _, _, err := satEF(context.Background(), c, f, satOptions{least: true}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
