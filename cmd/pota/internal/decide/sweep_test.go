package decide

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/clocks"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// timed returns c with random times of some nanoseconds, or between two, in an order in which its
// events could have happened, and a variable at that counts the events of each process.
func timed(t *testing.T, r *rand.Rand, c *graphs.Computation) (*graphs.Computation, bool) {
	t.Helper()
	var text, out bytes.Buffer
	if native.Write(&text, c, nil) != nil {
		return nil, false
	}
	now, count := 0, make(map[string]int)
	errs := r.IntN(4) == 0 // clocks know their error
	for line := range strings.Lines(text.String()) {
		var keys map[string]any
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&keys); err != nil {
			t.Fatal(err)
		}
		process, ok := keys["process"].(string)
		if _, init := keys["init"]; ok && !init {
			set, ok := keys["set"].(map[string]any)
			if !ok {
				set = make(map[string]any)
				keys["set"] = set
			}
			count[process]++
			set["at"] = count[process]
			now += r.IntN(6)
			delete(keys, "time")
			switch at := now + r.IntN(4); {
			case r.IntN(5) == 0:
			case errs:
				keys["time"] = []int{3 * at, 3*at + r.IntN(3)}
			default:
				keys["time"] = at
			}
		}
		changed, err := json.Marshal(keys)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s\n", changed)
	}
	path := filepath.Join(t.TempDir(), "trace")
	if err := os.WriteFile(path, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := native.ReadFile(context.Background(), path, trace.Options{Times: true})
	return c, err == nil
}

// sweepFormula draws a formula whose verdict is likely to depend on the bound, since
// it names the states of two processes.
func sweepFormula(r *rand.Rand, c *graphs.Computation) string {
	random := func() string {
		return "(" + rctltest.RandomFormulaText(r, c, rctltest.FormulaConfig{Depth: 1, Fragment: rctltest.Stateless}) + ")"
	}
	here := []string{"true"}
	for _, p := range r.Perm(c.NumProcesses())[:min(2, c.NumProcesses())] {
		if n := c.Len(p); n > 0 {
			here = append(here, fmt.Sprintf("at@%q == %d", c.Processes()[p], r.IntN(n+1)))
		}
	}
	at := "(" + strings.Join(here, " && ") + ")"
	switch r.IntN(8) {
	case 0:
		return "AG(" + random() + " -> EF " + at + ")"
	case 1:
		return "EF(" + at + " && AG " + random() + ")"
	case 2:
		return "EG(" + random() + " || !" + at + ")"
	case 3:
		return "AF(" + at + ")"
	case 4:
		return "E[" + random() + " U " + at + "]"
	case 5:
		return "EX(" + random() + ") || AX " + random()
	case 6:
		return "AG !" + at
	}
	return "EF " + at
}

// A sweep tells the verdict that each bound gives; where it is not exact, that of
// each bound it has tried, and of neighbours where it says that one flips.
func TestSweepTwin(t *testing.T) {
	t.Parallel()
	var exact, inexact, flips int
	rounds := graphtest.RoundsUpTo(t, 150, 3000)
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 3))
		cfg := graphtest.Config{Processes: 3, Events: 12, Kinds: graphtest.TraceKinds &^ graphtest.Multicast}
		if seed%4 == 0 {
			cfg.Kinds = graphtest.AllKinds
		}
		c, ok := timed(t, r, graphtest.Random(r, cfg))
		if !ok || c.Empty() {
			continue
		}
		if c.NumEvents() == 0 {
			continue
		}
		unit := time.Duration(1 + 4*(seed%2))
		readings, err := clocks.Read(context.Background(), c, unit)
		if err != nil {
			continue
		}
		f, err := rctltest.Resolve(c, sweepFormula(r, c))
		if err != nil {
			t.Fatal(err)
		}
		check := func(ctx context.Context, session *rctl.Session, _ *graphs.Computation, f *syntax.Formula) (*rctl.Result, error) {
			return session.Check(ctx, f, rctl.Options{MaxMemory: 1 << 32})
		}
		times := &timing{of: c, readings: readings, grain: grainOf(c, unit)}
		s := newSearch(t.Context(), times, f, f, check)
		if err := s.run(); err != nil {
			if strings.Contains(err.Error(), "shared variable") || errors.Is(err, rctl.ErrEmpty) {
				continue // in a slice, where more happens together
			}
			t.Fatalf("seed %d: %v", seed, err)
		}
		report := s.report(report.Subject{})
		said := func(bound int64) string {
			for _, st := range report.Sweep {
				if bound >= st.From && (st.To == nil || bound <= *st.To) {
					return st.Verdict
				}
			}
			return "nothing"
		}
		if s.exact {
			exact++
		} else {
			inexact++
		}
		flips += len(report.Sweep) - 1
		tried := slices.Collect(maps.Keys(s.verdicts))
		for bound := s.low(); bound <= s.high()+1; bound++ {
			if !s.exact && !slices.Contains(tried, bound) {
				continue
			}
			model, err := readings.Skew(time.Duration(bound))
			if err != nil {
				t.Fatal(err)
			}
			d, err := model.Ordered(t.Context())
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			l := graphtest.NewLattice(d)
			want := map[bool]rctl.Verdict{true: rctl.Holds, false: rctl.Fails}[rctltest.Holds(l, f)[l.Initial]]
			if got := said(bound); got != want.String() {
				t.Fatalf("seed %d: %s, bound %d: %s, want %s (least %d, exact %v, %+v)", seed, f, bound, got, want, s.low(), s.exact, report.Sweep)
			}
		}
	}
	if exact < rounds/5 || inexact < rounds/15 || flips < rounds/30 {
		t.Errorf("%d rounds: %d exact, %d inexact, %d flips", rounds, exact, inexact, flips)
	}
}

// Bounds differ that lie on two sides of a distance to the latest time of a clock that knows its error:
// the events are ordered by bounds below 7.
func TestGrainOfErrors(t *testing.T) {
	b := new(graphs.Builder)
	for p, time := range []string{"[0,3]", "[10,13]"} {
		b.NewProcess(fmt.Sprint("p", p))
		b.SetTime(b.Event(p), time)
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if grain := grainOf(c, 1); 7/grain == 6/grain {
		t.Errorf("bounds of 6 and of 7 are told apart by no grain of %d", grain)
	}
}

// Of a formula that depends on the order of events and on their times a sweep tells the verdict at each
// bound, if it is exact.
func TestSweepTimesTwin(t *testing.T) {
	t.Parallel()
	formulas := []string{
		"exists e in %s: exists d in %s: e before d && d.time - e.time <= %dns",
		"forall e in %s: forall d in %s: !(e before d) || d.time - e.time > %dns",
		"exists e in %s: forall d in %s: !(e before d) && d.time - e.time >= %dns",
		"forall e in %s: exists d in %s: e before d && d.time - e.time <= %dns",
		"forall e in %s: forall d in %s: EF(e && !d) && d.time - e.time < %dns",
		"forall e in %s: forall d in %s: AG(d -> e) && d.time - e.time < %dns",
		"forall e in %s: forall d in %s: (e before d -> d.time - e.time > %dns) && (e before d || d before e)",
		"AG(%s > 0 -> AF[<= %[3]dns](%[2]s > 0))",
		"(%s > 0 && %s == 0) lasts <= %dns",
	}
	rounds := graphtest.RoundsUpTo(t, 1200, 5000)
	exact, stretches, most := 0, 0, 0
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 35))
		c, ok := timed(t, r, graphtest.Random(r, graphtest.Config{Processes: 3, Events: 8, Kinds: graphtest.TraceKinds &^ graphtest.Multicast}))
		if !ok || c.Empty() || len(c.Edges()) > 0 || c.NumProcesses() < 2 {
			continue
		}
		times, err := newTiming(t.Context(), c, 1)
		if err != nil {
			continue
		}
		events := func(p int) string {
			return fmt.Sprintf("events(has(@time) && @process == %q && at <= %d)", c.Processes()[p], 1+r.IntN(3))
		}
		processes := r.Perm(c.NumProcesses())
		text := fmt.Sprintf(formulas[r.IntN(len(formulas))], events(processes[0]), events(processes[1]), r.IntN(9))
		written, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		s := newSearch(t.Context(), times, written, written, func(ctx context.Context, session *rctl.Session, _ *graphs.Computation, f *syntax.Formula) (*rctl.Result, error) {
			return session.Check(ctx, f, rctl.Options{MaxMemory: 1 << 32})
		})
		// The bounds end with the span of the trace: a hundred thousand are too many for a twin.
		s.compared.Durations = 0
		if err := s.run(); err != nil {
			t.Fatalf("seed %d: %s: %v", seed, written, err)
		}
		all := s.stretches()
		stretches += len(all)
		most = max(most, len(all))
		if !s.exact {
			continue
		}
		exact++
		for bound := s.low(); bound <= s.high(); bound++ {
			want := s.verdict(s.ask(bound, bound)).String()
			i := slices.IndexFunc(all, func(st present.Stretch) bool { return st.To == nil || bound <= *st.To })
			if all[i].Verdict != want {
				t.Fatalf("seed %d: %s, bound %d: %s, want %s (%+v)", seed, written, bound, all[i].Verdict, want, all)
			}
		}
	}
	if exact < rounds/5 || stretches < exact*5/4 || most < 3 {
		t.Errorf("%d rounds: %d exact, %d stretches, at most %d", rounds, exact, stretches, most)
	}
}
