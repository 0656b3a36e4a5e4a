package load

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// begin returns a run that reads the text from standard input, and its standard error.
func begin(t *testing.T, stdin string) (*job.Run, *bytes.Buffer) {
	t.Helper()
	var notes bytes.Buffer
	c := console.New(strings.NewReader(stdin), new(bytes.Buffer), &notes)
	return &job.Run{Context: context.Background(), Console: c}, &notes
}

// write writes files into a new folder and moves there.
func write(t *testing.T, texts map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range texts {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// usual are the options of a command line without flags.
func usual() Options {
	return Options{Format: format.Options{Input: format.Auto}, MaxLine: "64MiB", TimeUnit: "s"}
}

// Traces of arguments come before those of the list, and each trace is in one shard of any number,
// whatever other traces there are.
func TestTraces(t *testing.T) {
	write(t, map[string]string{"a1": "", "a2": "", "b": ""})
	r, _ := begin(t, " b \n\nlisted\n")
	got, err := Traces(r, Choice{Paths: []string{"b", "a?"}, List: "-"})
	want := []string{"b", "a1", "a2", "b", "listed"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}

	var all []string
	for i := range 3 {
		some, err := Traces(r, Choice{Paths: []string{"a*", "b"}, Part: &report.Part{Index: i, Of: 3}})
		if err != nil {
			t.Fatal(err)
		}
		alone, err := Traces(r, Choice{Paths: []string{"b"}, Part: &report.Part{Index: i, Of: 3}})
		if err != nil || len(alone) == 1 != slices.Contains(some, "b") {
			t.Errorf("shard %d has %q of all, but %q of b alone, %v", i, some, alone, err)
		}
		all = append(all, some...)
	}
	slices.Sort(all)
	if want := []string{"a1", "a2", "b"}; !slices.Equal(all, want) {
		t.Errorf("the shards have %q, want %q", all, want)
	}

	for _, c := range []Choice{{Paths: []string{"-"}, List: "-"}, {Paths: []string{"c*"}}, {Paths: []string{"["}}} {
		if got, err := Traces(r, c); err == nil {
			t.Errorf("%+v: %q, want an error", c, got)
		}
	}
}

// Properties come in the order formulas, patterns, file. A pattern that is a name chooses from the
// file. Mistakes name their source.
func TestProperties(t *testing.T) {
	write(t, map[string]string{
		"good":  "one: EF x == 1\ntwo: EF x == 2\n",
		"bad":   "one: EF (\n",
		"empty": "# nothing\n",
		"json":  `{"process":"P"}`,
	})
	r, _ := begin(t, "")
	for _, test := range []struct {
		from Formulas
		want []string // sources
	}{
		{Formulas{Texts: []string{"EF x == 3"}, File: "good"}, []string{"EF x == 3", "EF x == 1", "EF x == 2"}},
		{Formulas{File: "good", Patterns: []string{"two"}}, []string{"EF x == 2"}},
		{Formulas{Texts: []string{"true"}}, []string{"true"}},
	} {
		all, err := Properties(r, test.from)
		var got []string
		for _, p := range all {
			got = append(got, p.Source)
		}
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%+v: %q, %v, want %q", test.from, got, err, test.want)
		}
	}

	for _, test := range []struct {
		from  Formulas
		usage bool // the mistake is one of the command line
		want  string
	}{
		{Formulas{Texts: []string{"EF ("}}, false, "formula:1:5: "},
		{Formulas{Texts: []string{"mutex:cs"}}, false, "write --property mutex:cs"},
		{Formulas{File: "bad"}, false, "bad:1:"},
		{Formulas{File: "empty"}, false, "empty: a property file must have a property"},
		{Formulas{File: "json"}, true, "holds JSON"},
		{Formulas{File: "-"}, true, "standard input"},
		{Formulas{File: "EF x"}, true, "a formula is written without -f"},
		{Formulas{File: "good", Patterns: []string{"three"}}, true, "good has no property of that name"},
	} {
		_, err := Properties(r, test.from)
		if err == nil || failure.Is[*exit.UsageError](err) != test.usage || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %s", test.from, err, test.want)
		}
	}
}

// twice is a trace with two events, the first of P and then one of Q, by their times alone.
const twice = `{"process":"P","id":"p","time":1,"set":{"x":1}}
{"process":"Q","id":"q","time":3,"set":{"y":1}}
`

// Added causality orders events: that of a file, and that of clocks that agree well enough.
func TestReaderAddsCausality(t *testing.T) {
	write(t, map[string]string{"trace": twice, "order": `{"edge":["p","q"]}` + "\n"})
	for _, test := range []struct {
		order, skew string
		ordered     bool
	}{
		{"", "", false},
		{"order", "", true},
		{"", "1s", true},
		{"", "2s", false}, // the times do not differ by more
	} {
		r, notes := begin(t, "")
		opts := usual()
		opts.Order = test.order
		opts.Skew = test.skew
		in, err := New(r, opts, Want{Variables: map[string]bool{"y": true}})
		if err != nil {
			t.Fatal(err)
		}
		e, err := in.ReadOne(r, "trace")
		if err != nil {
			t.Fatal(err)
		}
		c := e.Computation
		onlyQ := c.Initial().Clone()
		onlyQ[1]++ // without the event of P
		ordered := !c.Consistent(onlyQ)
		if ordered != test.ordered || in.AssumesClocks() != (test.skew != "") {
			t.Errorf("%+v: ordered is %t, %s", test, ordered, notes)
		}
		if got := len(in.Assumptions(nil)); (got == 1) != (test.order+test.skew != "") {
			t.Errorf("%+v: %d assumptions", test, got)
		}
	}
}

// Options that make no sense are usage errors, before any trace is read.
func TestNewRefuses(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"--max-line must be":                  func(o *Options) { o.MaxLine = "0B" },
		"there is no unit of time":            func(o *Options) { o.TimeUnit = "h" },
		"--skew must be a duration":           func(o *Options) { o.Skew = "5" },
		"--skew must not be negative":         func(o *Options) { o.Skew = "-1s" },
		"--time-unit says how times are read": func(o *Options) { o.UnitGiven = true },
	} {
		r, _ := begin(t, "")
		opts := usual()
		change(&opts)
		_, err := New(r, opts, Want{})
		if !failure.Is[*exit.UsageError](err) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// An execution is chosen by its number or its name, and a trace with several needs a choice. That
// a folder of runs is no execution is explained.
func TestReadOne(t *testing.T) {
	two := `{"process":"P","id":"a"}` + "\n"
	write(t, map[string]string{"one": two})
	if err := errors.Join(os.MkdirAll(filepath.Join("runs", "x"), 0o700), os.MkdirAll(filepath.Join("runs", "y"), 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, run := range []string{"x", "y"} {
		if err := os.WriteFile(filepath.Join("runs", run, "log.jsonl"), []byte(two), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, _ := begin(t, "")
	opts := usual()
	for name, ok := range map[string]bool{"": true, "1": true, "one": true, "2": false, "another": false} {
		opts.Execution = name
		in, err := New(r, opts, Want{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.ReadOne(r, "one"); (err == nil) != ok {
			t.Errorf("execution %q: %v", name, err)
		}
	}
	in, err := New(r, usual(), Want{})
	if err != nil {
		t.Fatal(err)
	}
	remedy := "write " + filepath.Join("runs", "*")
	if _, err := in.Read(r, "runs"); err == nil || !strings.HasSuffix(err.Error(), remedy) {
		t.Errorf("%v, want %s", err, remedy)
	}
}

// The error of a formula that does not fit an execution names the execution and the property.
func TestResolve(t *testing.T) {
	write(t, map[string]string{"trace": twice})
	r, _ := begin(t, "")
	in, err := New(r, usual(), Want{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := in.ReadOne(r, "trace")
	if err != nil {
		t.Fatal(err)
	}
	f, err := Parse("EF z == 1")
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = Resolve(r, syntax.Property{Formula: f, Name: "late"}, e)
	if err == nil || !strings.HasPrefix(err.Error(), "trace: late:1:4: ") {
		t.Error(err)
	}
}
