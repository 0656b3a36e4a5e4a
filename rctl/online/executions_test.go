package online

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

var errMisfit = errors.New("misfit") // stands for each text

// Executions whose lines come in between each other get the answers that each gets alone. A formula
// that does not fit an execution in the end may have been decided while the execution had fewer
// processes; whether it was depends on when the lines of that time were decided.
func TestExecutions(t *testing.T) {
	bare := func(formulas []*syntax.Formula, a Answer) Answer { // what shows it depends on what else was decided with it
		a.Cut, a.Steps = nil, nil
		if a.Misfit != nil {
			a.Misfit = errMisfit
		}
		syntax.WalkExprs(formulas[a.Property], func(e *syntax.Expr) {
			if e.Op == syntax.ExprTransit || e.Op.IsAggregate() || e.Op == syntax.ExprVar && e.Process.Text == "" { // shared: when it is seen to be final is up to when it is decided
				a.Events = 0
			}
		})
		syntax.Walk(formulas[a.Property], func(f *syntax.Formula) bool {
			if f.Quant != nil { // likewise while it is not known which processes there are
				a.Events = 0
			}
			return true
		})
		return a
	}
	type run struct {
		lines []lineOf
		want  map[int]Answer
		got   map[int]Answer
		err   error
	}
	ctx := context.Background()
	final, evicted := 0, 0
	early := 0 // answers that came only where lines were decided early
	for seed := range uint64(graphtest.Rounds(t, 200)) {
		r := rand.New(rand.NewPCG(seed, 19))
		var formulas []*syntax.Formula
		opts := Options{Options: stream.Options{Declared: r.IntN(2) == 0}, MaxLoaded: 1 + r.IntN(4)}
		runs := make(map[string]*run)
		var names []string
		for i := range 4 {
			c := graphtest.Random(r, graphtest.Config{Processes: 2 + r.IntN(2), Events: 10, Kinds: graphtest.TraceKinds})
			if i == 0 {
				for range 1 + r.IntN(4) {
					text := rctltest.RandomFormulaText(r, c, rctltest.FormulaConfig{Fragment: rctltest.WithoutNext, Depth: 2})
					if local(r, c) != "" && r.IntN(2) == 0 {
						text = randomShape(r, c)
					}
					f, err := syntax.Parse(text)
					if err != nil {
						t.Fatal(err)
					}
					formulas = append(formulas, f)
				}
			}
			lines, _ := linesOf(r, c)
			x := &run{lines: lines, want: make(map[int]Answer), got: make(map[int]Answer)}
			names = append(names, fmt.Sprint("execution ", i))
			runs[names[i]] = x
			alone := New(formulas, opts)
			note := func(answers []Answer, err error) {
				for _, a := range answers {
					x.want[a.Property] = bare(formulas, a)
				}
				if x.err == nil {
					x.err = err
				}
			}
			for _, l := range x.lines {
				note(nil, alone.Add(&l.Line))
				note(alone.Decide(ctx))
			}
			note(alone.End(ctx))
			if x.err != nil {
				note(alone.GiveUp(x.err.Error()), nil)
			}
		}
		x := NewExecutions(formulas, opts)
		tell := func(e *Execution, a Answer) {
			got := runs[e.Name].got
			if before, ok := got[a.Property]; ok {
				t.Errorf("seed %d: %s: %v, after %v", seed, e.Name, a, before)
			}
			got[a.Property] = bare(formulas, a)
			final++
		}
		for len(names) > 0 {
			i := r.IntN(len(names))
			name := names[i]
			run := runs[name]
			l := stream.Line{Kind: stream.Ending}
			if len(run.lines) > 0 {
				l, run.lines = run.lines[0].Line, run.lines[1:]
			} else {
				names = append(names[:i], names[i+1:]...)
			}
			l.Execution = []byte(name)
			e, err := x.Add(&l, time.Now())
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if l.Kind == stream.Ending {
				if err := x.End(ctx, e, tell); err != nil && run.err == nil {
					t.Fatalf("seed %d: %s: %v", seed, name, err)
				}
				if _, err := x.Of(l.Execution, time.Now()); err == nil {
					t.Fatalf("seed %d: %s begins again", seed, name)
				}
			}
			decide := func(e *Execution) error { return x.Decide(ctx, e, tell) }
			if err := x.Evict(decide); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for e := range x.All {
				if e.evicted {
					evicted++
				}
			}
			if x.loaded.Len() > x.opts.MaxLoaded {
				t.Fatalf("seed %d: %d are loaded", seed, x.loaded.Len())
			}
			if r.IntN(4) == 0 {
				for e := range x.Open {
					if err := decide(e); err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
				}
			}
		}
		for name, run := range runs {
			for property, want := range run.want {
				if got := run.got[property]; got.Final && (got.Misfit == nil) != (want.Misfit == nil) {
					delete(run.got, property)
					delete(run.want, property)
					early++
				}
			}
			if !reflect.DeepEqual(run.got, run.want) {
				t.Fatalf("seed %d: %s of %v: %v, alone %v", seed, name, formulas, run.got, run.want)
			}
		}
		if x.Len() != 0 || x.quiet.Len() != 0 || x.loaded.Len() != 0 {
			t.Fatalf("seed %d: %d executions are left", seed, x.Len())
		}
	}
	if t.Log(final, evicted, early); early > final/500 {
		t.Errorf("%d of %d answers depend on when lines are decided", early, final)
	}
}

// A prefix is what has been admitted, with all that lines say.
func TestPrefix(t *testing.T) {
	for seed := range uint64(graphtest.Rounds(t, 200)) {
		r := rand.New(rand.NewPCG(seed, 23))
		c := graphtest.Random(r, graphtest.Config{Processes: 3, Events: 10, Kinds: graphtest.TraceKinds})
		lines, _ := linesOf(r, c)
		x := NewExecutions(nil, Options{Options: stream.Options{Declared: true}})
		p := &prefix{c: c, have: c.NoEvents(), closed: make([]bool, c.NumProcesses())}
		for i, l := range lines {
			l.Execution = []byte("one")
			l.Label, l.Place = fmt.Append(nil, l.event), graphs.Place{File: "log", Line: i + 1}
			e, err := x.Add(&l.Line, time.Time{})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if l.Kind != stream.Event && l.Kind != stream.Closing {
				continue
			}
			p.add(l)
			got, err := x.Prefix(e, e.Stream().Admitted())
			if err != nil || got == nil {
				t.Fatalf("seed %d: %v, %v", seed, got, err)
			}
			if n := len(graphtest.NewLattice(got).Cuts); n != len(p.lattice.Cuts) {
				t.Fatalf("seed %d: %d cuts, want %d", seed, n, len(p.lattice.Cuts))
			}
			for _, e := range got.Order() {
				process, _ := c.ProcessNumber(got.Processes()[got.Process(e)])
				want := c.Event(process, got.Position(e))
				if got.Label(e) != fmt.Sprint(want) || got.ID(e) != c.ID(want) || string(lines[got.Place(e).Line-1].Process) != c.Processes()[process] {
					t.Errorf("seed %d: event %s, %q of %v", seed, got.ID(e), got.Label(e), got.Place(e))
				}
			}
		}
	}
}
