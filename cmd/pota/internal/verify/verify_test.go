package verify

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/budget"
	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/graphs/simulate"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/certify"
)

// A verdict that has no proof, and that no other engine reaches within the memory or the time
// that it may take, is unknown, and not rejected.
func TestRecomputedWithinLimits(t *testing.T) {
	dir := t.TempDir()
	trace, claims := filepath.Join(dir, "run.jsonl"), filepath.Join(dir, "run.cert")
	var text bytes.Buffer
	model, err := simulate.Lookup("random")
	if err == nil {
		err = simulate.Run(t.Context(), &text, simulate.Config{Model: model.Name, Processes: 12, Events: 3000, Seed: 1})
	}
	if err == nil {
		err = os.WriteFile(trace, text.Bytes(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	executions, err := format.Read(t.Context(), trace, format.Options{Input: format.Auto, Digest: true})
	if err != nil {
		t.Fatal(err)
	}
	claim, err := json.Marshal(certify.Certificate{
		Version: certificate.Version,
		Trace:   trace,
		SHA256:  executions[0].SHA256,
		Reader:  executions[0].Format,
		Formula: "AG(x@P0*x@P1 + x@P2*x@P3 - x@P4*x@P5 != 0.5)",
		Verdict: "holds",
		Engine:  "sat",
	})
	if err == nil {
		err = os.WriteFile(claims, claim, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}

	verify := func(timeout time.Duration, opts Options) (exit.Status, string) {
		var out, errs bytes.Buffer
		limits := budget.New(budget.Limits{Time: timeout, Memory: 1 << 32})
		defer limits.End()
		r := &job.Run{Context: t.Context(), Console: console.New(nil, &out, &errs), Budget: limits}
		opts.File = claims
		opts.Traces = []string{trace}
		opts.Read = load.Options{Format: format.Options{Input: format.Auto}, MaxLine: "1MiB", TimeUnit: "s"}
		if err := Certificates(r, opts); err != nil {
			t.Fatal(err)
		}
		return r.Status, out.String() + errs.String()
	}
	status, text1 := verify(0, Options{MinMemory: 1 << 20})
	if status != exit.Undecided || !strings.HasPrefix(text1, "unknown ") || !strings.Contains(text1, "no engine but sat decides it in 1 MiB and 4194304 steps (--max-memory") {
		t.Errorf("status %d: %s", status, text1)
	}
	status, text2 := verify(300*time.Millisecond, Options{MinMemory: 1 << 40, Bounded: true})
	if status != exit.Undecided || strings.Contains(text2, "rejected") {
		t.Errorf("status %d: %s", status, text2)
	}
}
