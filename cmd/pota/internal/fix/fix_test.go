package fix

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/graphs/trace/format"
)

const trace = `{"process":"A","init":{"cs":false}}
{"process":"B","init":{"cs":false}}
{"process":"A","id":"a1","set":{"cs":true},"time":1}
{"process":"A","id":"a2","set":{"cs":false},"time":2}
{"process":"B","id":"b1","set":{"cs":true},"time":3}
{"process":"B","id":"b2","set":{"cs":false},"time":4}
`

// run asks for a fix of formulas, and returns the status, what is printed, and the error.
func run(t *testing.T, opts Options, formulas ...string) (exit.Status, string, error) {
	t.Helper()
	opts.Trace = filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(opts.Trace, []byte(trace), 0o600); err != nil {
		t.Fatal(err)
	}
	opts.Formulas = load.Formulas{Texts: formulas}
	opts.Read = load.Options{Format: format.Options{Input: format.Auto}, MaxLine: "1MiB", TimeUnit: "s"}
	var out bytes.Buffer
	r := &job.Run{Context: t.Context(), Console: console.New(nil, &out, &out)}
	err := Run(r, opts)
	r.Close()
	return r.Status, strings.ReplaceAll(out.String(), opts.Trace, "run"), err
}

// Each answer has its word, its status and what it is about.
func TestAnswers(t *testing.T) {
	const mutex = "AG !(cs@A && cs@B)"
	for _, test := range []struct {
		formulas []string
		json     bool
		status   exit.Status
		want     string // in what is printed
	}{
		{[]string{mutex}, false, exit.AllHold, "fixed    run  " + mutex + "\n         1 order missing"},
		{[]string{mutex}, true, exit.AllHold, `"answer":"fixed","orders":[["a2","b1"]],"least":true}`},
		{[]string{"AG true"}, false, exit.AllHold, "holds    run  AG true\n         it holds as it is: no order is missing\n"},
		{[]string{"AG cs@A"}, false, exit.SomeFails, "the cut without events, which is on every run"},
		{[]string{"AG !cs@B"}, true, exit.SomeFails, `"answer":"infeasible","reason":"no order helps: every run passes`},
		{[]string{"AG true && AG(cs@A || !cs@A)"}, false, exit.AllHold, "holds    run  AG true && AG(cs@A || !cs@A)\n"},
		{[]string{mutex + ` && (forall e in events(@id == "a2"): forall d in events(@id == "b1"): AG !(e before d))`}, false, exit.Undecided, "speaks of orders"},
	} {
		status, text, err := run(t, Options{JSON: test.json}, test.formulas...)
		if status != test.status || !strings.Contains(text, test.want) || err != nil {
			t.Errorf("%v: status %d, %v\n%s\nwant status %d\n%s", test.formulas, status, err, text, test.status, test.want)
		}
	}
}

// An error names the trace once, and the property where there are several.
func TestErrors(t *testing.T) {
	for _, test := range []struct{ formula, want string }{
		{"AG !(cs@A && cs@C)", "formula:1:"},
		{"EF cs@A", "EF cs@A: a fix is for AG p,"},
		{"AG(cs@A -> EF cs@B)", "depends on the runs from there"},
	} {
		_, _, err := run(t, Options{}, test.formula)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Count(err.Error(), "run.jsonl") > 1 {
			t.Errorf("%s: %v, want %s", test.formula, err, test.want)
		}
	}
	if _, _, err := run(t, Options{}, "AG true", "AG cs@A"); err == nil {
		t.Error("two properties have no fix")
	}
	if _, _, err := run(t, Options{Draw: "fix.png"}, "AG true"); err == nil {
		t.Error("there is no such format of pictures")
	}
}
