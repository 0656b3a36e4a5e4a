package conform

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"path/filepath"
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

// The page of a trace shows the sentence, which events stand for which arrows, where the trace
// diverges, and what nothing orders.
func TestView(t *testing.T) {
	for name, test := range map[string]struct {
		diagram, more    string
		vertical, prefix bool
		want             []string
	}{
		"violated": {diagram: "A->>B: ask\nB->>A: yes\n", more: `{"process":"B","send":"n","to":"A","label":"no"}`, want: []string{
			`"verdict":"fails"`,
			`"headline":"flow.mmd: violated","detail":"2 of 3 steps of the trace are as in the diagram; too many: B sends `,
			`"culprits":[2]`,
			`"events":[0,1],"size":2,"open":2,"away":false`,
			`"arrows":["A-\u003e\u003eB: ask (flow.mmd:2)","A-\u003e\u003eB: ask (flow.mmd:2)",""]`,
		}},
		"by luck": {diagram: "A->>B: ask\nA->>A: rests\n", more: `{"process":"A","label":"rests"}`, vertical: true, want: []string{
			`"headline":"flow.mmd: by luck","detail":"nothing orders B receives `,
			`"culprits":[],"assumed":[],"missing":[[2,1]]`,
			`"away":false`,
		}},
		// The page has the verdict of the record.
		"cut off by luck": {
			diagram: "A->>B: ask\nA->>A: rests\nA->>B: more\n", more: `{"process":"A","label":"rests"}`, vertical: true, prefix: true,
			want: []string{`"verdict":"fails"`, `"headline":"flow.mmd: by luck"`, `"missing":[[2,1]]`},
		},
		"conforms": {diagram: "A->>B: ask\n"},
	} {
		t.Run(name, func(t *testing.T) {
			opts := Options{View: "pages", Compare: conform.Options{Strict: true, Vertical: test.vertical, Prefix: test.prefix}}
			_, text, err := run(t, opts, test.diagram, map[string]string{"a": asks("ask", true) + test.more + "\n"})
			pages, _ := filepath.Glob("pages/*.html") // the pattern is right
			if err != nil || len(pages) != min(len(test.want), 1) {
				t.Fatalf("%v, %q\n%s", err, pages, text)
			}
			for _, path := range pages {
				page, err := os.ReadFile(path)
				if err != nil || !strings.Contains(text, "view: "+path) {
					t.Errorf("%v\n%s", err, text)
				}
				_, data, _ := strings.Cut(string(page), `id="data">`)
				data, _, _ = strings.Cut(data, "</script>")
				for _, want := range test.want {
					if !strings.Contains(data, want) {
						t.Errorf("%s\nlacks %s", data, want)
					}
				}
			}
		})
	}
}

// A page that cannot be written is an error of its trace, and hides no verdict on others.
func TestViewFails(t *testing.T) {
	opts := Options{View: t.TempDir()}
	traces := map[string]string{"a": asks("ask", false), "b": asks("ask", true)}
	if status, text, err := run(t, opts, "A->>B: ask\n", traces); err != nil || status != exit.Undecided {
		t.Fatalf("status %d, %v\n%s", status, err, text)
	}
	pages, err := filepath.Glob(filepath.Join(opts.View, "*.html"))
	if err != nil || len(pages) != 1 {
		t.Fatal(pages, err)
	}
	// A folder takes the place of the page.
	if err := errors.Join(os.Remove(pages[0]), os.MkdirAll(filepath.Join(pages[0], "in"), 0o700)); err != nil {
		t.Fatal(err)
	}
	status, text, err := run(t, opts, "A->>B: ask\n", traces)
	if status != exit.BadInput || err != nil || !strings.Contains(text, "1 of 2 is unknown: a") || strings.Count(text, pages[0]) != 1 {
		t.Errorf("status %d, %v\n%s", status, err, text)
	}
}

// What a verdict comes to depends on whether the trace may be cut off.
func TestOutcome(t *testing.T) {
	for _, test := range []struct {
		verdict scenario.Verdict
		prefix  bool
		want    rctl.Verdict
	}{
		{scenario.Conforms, false, rctl.Holds},
		{scenario.ByLuck, true, rctl.Fails},
		{scenario.Violated, true, rctl.Fails},
		{scenario.Unfinished, false, rctl.Unknown},
		{scenario.Unfinished, true, rctl.Holds},
		{scenario.Unknown, true, rctl.Unknown},
	} {
		if got := outcome(test.verdict, test.prefix); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}
