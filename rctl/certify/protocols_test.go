package certify_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/simulate"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/certify"
	"github.com/pota-project/pota/rctl/syntax"
)

// Each verdict on a protocol's properties is certified, with faults and without, and by no rule
// that has to look at more cuts the longer a run is. With -full the runs have ten times the processes
// and events.
func TestProtocols(t *testing.T) {
	for _, m := range simulate.Models() {
		n := max(m.MinProcesses, graphtest.Rounds(t, 4))
		if m.MaxProcesses > 0 {
			n = min(n, m.MaxProcesses)
		}
		for _, fault := range append([]simulate.Fault{{}}, m.Faults...) {
			cfg := simulate.Config{Model: m.Name, Processes: n, Events: graphtest.Rounds(t, 400), Seed: 1, Fault: fault.Name}
			c := simulated(t, cfg)
			for _, property := range m.Properties(n) {
				if v, ok := certified(t, c, property.Formula); !ok {
					t.Errorf("%+v: %s %s: no proof is found, or one that looks at cuts", cfg, property.Name, v)
				}
			}
		}
	}
}

// simulated returns a run of a protocol.
func simulated(t *testing.T, cfg simulate.Config) *graphs.Computation {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := simulate.Run(context.Background(), f, cfg); err != nil {
		t.Fatalf("%+v: %v", cfg, err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := native.ReadFile(context.Background(), path, trace.Options{})
	if err != nil {
		t.Fatalf("%+v: %v", cfg, err)
	}
	return c
}

// certified decides a formula, and reports whether a proof is found that is accepted, and does
// not look at cuts.
func certified(t *testing.T, c *graphs.Computation, text string) (v rctl.Verdict, proved bool) {
	t.Helper()
	f := parsed(t, text)
	resolved, err := syntax.Resolve(context.Background(), f, rctl.Scope(c))
	if err != nil {
		t.Fatal(err)
	}
	session := rctl.NewSession(c)
	res, err := session.Check(context.Background(), resolved, rctl.Options{Evidence: true})
	if err != nil || res.Verdict == rctl.Unknown {
		t.Fatalf("%s is %s (%v)", text, res.Verdict, err)
	}
	p, err := certify.Proof(context.Background(), session, c, f, res)
	if err != nil {
		t.Fatal(err)
	}
	if p == nil {
		return res.Verdict, false
	}
	k, err := certificate.New(context.Background(), c, f)
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Prove(root(k, res.Verdict == rctl.Holds), c.Initial(), p); err != nil {
		t.Fatalf("%s %s: %v", text, res.Verdict, err)
	}
	return res.Verdict, !uses(p, "look")
}
