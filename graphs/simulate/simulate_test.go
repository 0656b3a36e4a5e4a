package simulate_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/clocks"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/lattice"
	"github.com/pota-project/pota/graphs/simulate"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// seeds is how many runs of a configuration are looked at.
func seeds(t *testing.T) uint64 { return uint64(graphtest.Rounds(t, 2)) }

// events is a length at which a fault has had its chance.
func events(m *simulate.Model, n int) int {
	length := max(200, 40*n)
	switch m.Name {
	case "raft":
		length = max(400, 120*n)
	case "peterson-n":
		length = max(200, 10*n*n)
	case "primary-secondary":
		length = 36 // Its property pair takes long to decide.
	}
	return length
}

// eachSize runs a test for each number of processes of a model up to 10.
func eachSize(t *testing.T, test func(t *testing.T, m *simulate.Model, n int)) {
	for _, m := range simulate.Models() {
		for n := m.MinProcesses; n <= 10 && (m.MaxProcesses == 0 || n <= m.MaxProcesses); n++ {
			t.Run(fmt.Sprintf("%s/%d", m.Name, n), func(t *testing.T) {
				t.Parallel()
				test(t, m, n)
			})
		}
	}
}

func write(t testing.TB, cfg simulate.Config) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := simulate.Run(context.Background(), &b, cfg); err != nil {
		t.Fatalf("%+v: %v", cfg, err)
	}
	return b.Bytes()
}

func computation(t testing.TB, cfg simulate.Config) *graphs.Computation {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(path, write(t, cfg), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := native.ReadFile(context.Background(), path, trace.Options{Times: true})
	if err != nil {
		t.Fatalf("%+v: %v", cfg, err)
	}
	m, err := simulate.Lookup(cfg.Model)
	if err != nil || m.Skew == 0 {
		return c
	}
	return within(t, c, m.Skew)
}

// within returns a run with what clocks order that agree within a bound.
func within(t testing.TB, c *graphs.Computation, bound time.Duration) *graphs.Computation {
	t.Helper()
	readings, err := clocks.Read(context.Background(), c, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	m, err := readings.Skew(bound)
	if err != nil {
		t.Fatal(err)
	}
	d, err := m.Ordered(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// properties parses the properties of a model as a property file.
func properties(t testing.TB, m *simulate.Model, n int) []syntax.Property {
	t.Helper()
	var text bytes.Buffer
	for _, p := range m.Properties(n) {
		fmt.Fprintf(&text, "%s: %s\n", p.Name, p.Formula)
	}
	list, err := syntax.ParseProperties(text.String())
	if err != nil {
		t.Fatalf("%s: %v", m.Name, err)
	}
	return list
}

func resolve(t testing.TB, c *graphs.Computation, p syntax.Property) *syntax.Formula {
	t.Helper()
	f, err := syntax.Resolve(context.Background(), p.Formula, rctl.Scope(c))
	if err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
	return f
}

func decide(t testing.TB, c *graphs.Computation, p syntax.Property, evidence bool) *rctl.Result {
	t.Helper()
	opts := rctl.Options{Evidence: evidence, MaxMemory: 1 << 30}
	res, err := rctl.Check(context.Background(), c, resolve(t, c, p), opts)
	if err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
	if res.Verdict == rctl.Unknown {
		t.Fatalf("%s: %v is undecided: %s", p.Name, p.Formula, res.Reason)
	}
	return res
}

// TestPropertiesHold: without a fault, every property holds on every run.
func TestPropertiesHold(t *testing.T) {
	eachSize(t, func(t *testing.T, m *simulate.Model, n int) {
		for seed := range seeds(t) {
			cfg := simulate.Config{Model: m.Name, Processes: n, Events: events(m, n), Seed: seed}
			c := computation(t, cfg)
			for _, p := range properties(t, m, n) {
				if res := decide(t, c, p, false); res.Verdict != rctl.Holds {
					t.Errorf("%+v: %s %v", cfg, p.Name, res.Verdict)
				}
			}
		}
	})
}

// TestFaultsAreFound: under a fault, the property that it breaks fails on at least
// a quarter of the runs, and a run or a cut shows it.
func TestFaultsAreFound(t *testing.T) {
	eachSize(t, func(t *testing.T, m *simulate.Model, n int) {
		for _, fault := range m.Faults {
			var broken syntax.Property
			for _, p := range properties(t, m, n) {
				if p.Name == fault.Breaks {
					broken = p
				}
			}
			if broken.Formula == nil {
				t.Fatalf("%s breaks %s, which is no property", fault.Name, fault.Breaks)
			}
			found, runs := uint64(0), uint64(0)
			for runs < seeds(t) || runs < 20 && found*4 < runs {
				seed := runs
				runs++
				c := computation(t, simulate.Config{Model: m.Name, Processes: n, Events: events(m, n), Seed: seed, Fault: fault.Name})
				if decide(t, c, broken, false).Verdict != rctl.Fails {
					continue
				}
				if found++; found > 1 {
					continue
				}
				if e := decide(t, c, broken, true).Evidence; e == nil || len(e.Run) == 0 {
					t.Errorf("%s, seed %d: no run shows that %s fails", fault.Name, seed, fault.Breaks)
				}
			}
			t.Logf("%s: %s fails on %d of %d runs", fault.Name, fault.Breaks, found, runs)
			if found*4 < runs {
				t.Errorf("%s: %s fails on %d of %d runs only", fault.Name, fault.Breaks, found, runs)
			}
		}
	})
}

// TestAgainstBruteForce compares verdicts on small runs with those from the
// definitions, with and without faults.
func TestAgainstBruteForce(t *testing.T) {
	const maxCuts = 1500
	for _, m := range simulate.Models() {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			compared, failed := 0, 0
			for _, fault := range append([]simulate.Fault{{}}, m.Faults...) {
				for seed := range seeds(t) {
					c := computation(t, simulate.Config{Model: m.Name, Processes: m.MinProcesses, Events: 14, Seed: seed, Fault: fault.Name})
					if _, err := lattice.Count(context.Background(), c, lattice.Limits{Cuts: maxCuts}); err != nil {
						continue
					}
					l := graphtest.NewLattice(c)
					for _, p := range properties(t, m, m.MinProcesses) {
						want := rctltest.Holds(l, resolve(t, c, p))[l.Initial]
						got := decide(t, c, p, false).Verdict == rctl.Holds
						if got != want || fault.Name == "" && !want {
							t.Errorf("%s, seed %d: %s is %v, by brute force %v", fault.Name, seed, p.Name, got, want)
						}
						compared++
						if !want {
							failed++
						}
					}
				}
			}
			t.Logf("%d verdicts, %d of them fail", compared, failed)
			if compared == 0 {
				t.Error("no run was small enough")
			}
		})
	}
}

// TestRefusals: what cannot be run, and what is said about it.
func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		cfg  simulate.Config
		want string
	}{
		{simulate.Config{Model: "mutx", Processes: 3}, `there is no model "mutx" (did you mean "mutex"?)`},
		{simulate.Config{Model: "Raft", Processes: 3}, `there is no model "Raft" (did you mean "raft"?)`},
		{simulate.Config{Model: "kerberos", Processes: 3}, `there is no model "kerberos" (known are peterson, peterson-n, alternating-bit, philosophers, philosophers-mp, mutex, primary-secondary, giop, atmr, leader, random, raft, leases, two-phase-commit)`},
		{simulate.Config{Model: "peterson", Processes: 3}, "peterson must have 2 processes, not 3"},
		{simulate.Config{Model: "peterson", Processes: 1}, "peterson must have 2 processes, not 1"},
		{simulate.Config{Model: "giop", Processes: 4}, "giop must have at least 7 processes, not 4"},
		{simulate.Config{Model: "mutex", Processes: 3, Events: -1}, "the number of events must be at least 0, not -1"},
		{simulate.Config{Model: "mutex", Processes: 3, Fault: "lose-replay"}, `mutex has no fault "lose-replay" (did you mean "lose-reply"?)`},
		{simulate.Config{Model: "mutex", Processes: 3, Fault: "sleep"}, `mutex has no fault "sleep" (known are reply-inside, lose-reply)`},
	} {
		err := simulate.Run(context.Background(), new(bytes.Buffer), test.cfg)
		if err == nil || err.Error() != test.want {
			t.Errorf("%+v:\n got %v\nwant %s", test.cfg, err, test.want)
		}
	}
}
