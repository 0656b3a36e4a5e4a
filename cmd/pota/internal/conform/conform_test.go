package conform

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/files"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/graphs/scenario"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/conform"
)

// run compares traces, texts by name, with a diagram.
func run(t *testing.T, opts Options, diagram string, traces map[string]string) (exit.Status, string, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	if opts.Spec == "" {
		opts.Spec = "flow.mmd"
	}
	if err := os.WriteFile("flow.mmd", []byte("sequenceDiagram\n"+diagram), 0o600); err != nil {
		t.Fatal(err)
	}
	opts.Traces = slices.Sorted(maps.Keys(traces))
	for name, text := range traces {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	opts.Read = load.Options{Format: format.Options{Input: format.Auto}, MaxLine: "1MiB", TimeUnit: "s"}
	opts.Report.Format = "text"
	var out bytes.Buffer
	r := &job.Run{Context: t.Context(), Console: console.New(nil, &out, &out), Files: new(files.Set)}
	err := Run(r, opts)
	r.Close()
	return r.Status, out.String(), err
}

// asks is a trace of a message that A sends, and perhaps B receives.
func asks(text string, received bool) string {
	trace := `{"process":"A","init":{}}
{"process":"B","init":{}}
{"process":"A","send":"m","to":"B","label":"` + text + "\"}\n"
	if received {
		trace += `{"process":"B","recv":"m"}` + "\n"
	}
	return trace
}

// Verdicts have their words and their status, and a trace that cannot be read hides no other.
func TestVerdicts(t *testing.T) {
	for _, test := range []struct {
		opts   Options
		traces map[string]string
		status exit.Status
		want   []string
	}{
		{Options{}, map[string]string{"a": asks("ask", true)}, exit.AllHold, []string{"conforms  a  flow.mmd"}},
		{Options{}, map[string]string{"a": asks("ask", false)}, exit.Undecided, []string{"unfinished  a", "goes on with the receive of A->>B: ask"}},
		{Options{Compare: conform.Options{Prefix: true}}, map[string]string{"a": asks("ask", false)}, exit.AllHold, []string{"unfinished  a"}},
		{Options{}, map[string]string{"a": asks("ask", true), "b": "{"}, exit.BadInput, []string{"flow.mmd: holds on all 1 that could be read", "b:1:"}},
	} {
		status, text, err := run(t, test.opts, "A->>B: ask\n", test.traces)
		if status != test.status || err != nil {
			t.Errorf("status %d, %v, want %d", status, err, test.status)
		}
		for _, want := range test.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s\nlacks %s", text, want)
			}
		}
	}
}

// The first that does not conform is drawn, and only that.
func TestDraw(t *testing.T) {
	for draw, want := range map[string]string{"wrong.mmd": "rect rgb", "wrong.svg": "<svg"} {
		opts := Options{Draw: draw}
		traces := map[string]string{"a": asks("ask", true) + `{"process":"B","send":"n","to":"A","label":"no"}` + "\n"}
		status, _, err := run(t, opts, "A->>B: ask\nB->>A: yes\n", traces)
		text, reading := os.ReadFile(draw)
		if status == exit.AllHold || err != nil || reading != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: status %d, %v, %v\n%s", draw, status, err, reading, text)
		}
	}
	for _, opts := range []Options{{Draw: "wrong.png"}, {Compare: conform.Options{Each: "a, b"}}, {Spec: "none.mmd"}} {
		if _, text, err := run(t, opts, "A->>B: ask\n", nil); err == nil {
			t.Errorf("%+v: no error\n%s", opts, text)
		}
	}
}

// What a verdict comes to depends on whether the trace may be cut off.
func TestOutcome(t *testing.T) {
	for _, test := range []struct {
		verdict       scenario.Verdict
		lucky, prefix bool
		want          rctl.Verdict
	}{
		{scenario.Conforms, false, false, rctl.Holds},
		{scenario.ByLuck, false, true, rctl.Fails},
		{scenario.Violated, false, true, rctl.Fails},
		{scenario.Unfinished, false, false, rctl.Unknown},
		{scenario.Unfinished, true, false, rctl.Unknown},
		{scenario.Unfinished, false, true, rctl.Holds},
		{scenario.Unfinished, true, true, rctl.Fails},
		{scenario.Unknown, false, true, rctl.Unknown},
	} {
		if got := outcome(&conform.Result{Verdict: test.verdict, Lucky: test.lucky}, test.prefix); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}
