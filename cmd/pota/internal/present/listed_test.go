package present

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// reported returns what a format prints of records, and of a trace that cannot be read.
func reported(t *testing.T, o Options, records []*Record) string {
	t.Helper()
	var out bytes.Buffer
	r := &job.Run{Context: t.Context(), Console: console.New(nil, &out, new(bytes.Buffer))}
	o.Properties = properties(t)[:1]
	p := New(r, r.Console, o)
	for _, x := range records {
		p.Verdict(x)
	}
	if len(records) == 0 {
		p.Verdict(Unread("run/h", errors.New("run/h:3: it is cut off")))
	}
	p.Close()
	r.Close()
	return out.String()
}

// As many names as a line has room for are all listed, notes on all executions say so, and cuts are counted; a report
// without a verdict has no table of executions.
func TestListed(t *testing.T) {
	remedy := func(to int64) []report.Note {
		return []report.Note{Remedy(report.Bounds{Verdict: "holds", From: 1000, To: to})}
	}
	var all []*Record
	for i := range maxListed {
		r := ran(t, fmt.Sprint("run/", i), 0, false)
		r.Notes = remedy(int64(5000 + i))
		r.Cuts = big.NewInt(4)
		all = append(all, r)
	}
	text := reported(t, Options{Format: Text}, all)
	if strings.Contains(text, "…") || strings.Contains(text, " on 10 of 10") {
		t.Errorf("not all names are listed, or a note is not on all:\n%s", text)
	}
	if want := "\n         remedy: it holds if clocks agree within 5µs; if they do, decide with --skew 5µs\n"; !strings.Contains(text, want) {
		t.Errorf("%s\nwant %s", text, want)
	}
	for _, format := range []string{Markdown, HTML} {
		compare(t, "listed-"+format, reported(t, Options{Format: format, Version: "1"}, all))
		compare(t, "empty-"+format, reported(t, Options{Format: format, Version: "1"}, nil))
		if !(Options{Format: format}).CountsCuts() {
			t.Errorf("%s has no cuts", format)
		}
	}
	if (Options{Format: Text}).CountsCuts() {
		t.Error("text has cuts")
	}
}

// Flags that choose different formats are a mistake.
func TestChoose(t *testing.T) {
	for _, x := range []struct {
		format             string
		given, json, quiet bool
		want               string // the format, or an error
	}{
		{Text, false, false, false, Text},
		{SARIF, true, false, false, SARIF},
		{Text, false, true, false, JSON},
		{JSON, true, true, false, JSON},
		{Text, true, true, false, "--json and --format text exclude each other: choose one"},
		{Text, false, false, true, Silent},
		{Text, true, false, true, "--quiet prints nothing, --format text does: choose one"},
		{Text, false, true, true, Silent},
		{"x", true, false, false, `there is no format "x"`},
	} {
		o := Options{Format: x.format, JSON: x.json, Quiet: x.quiet}
		err := o.Choose(x.given)
		if err == nil && o.Format != x.want || err != nil && !strings.Contains(err.Error(), x.want) || err != nil && x.want == Silent {
			t.Errorf("%+v: %q, %v", x, o.Format, err)
		}
	}
}

// The status of a sweep is that of the verdict without a bound.
func TestStatusOfSweep(t *testing.T) {
	for want, verdicts := range map[exit.Status][]string{
		exit.AllHold:   {"fails", "holds"},
		exit.SomeFails: {"holds", "fails"},
		exit.Undecided: {"unknown", "holds"},
	} {
		s := new(Sweep)
		if got := s.Status(); got != exit.AllHold {
			t.Errorf("of nothing: %d", got)
		}
		for _, v := range verdicts {
			s.Sweep = append(s.Sweep, Stretch{Verdict: v})
		}
		if got := s.Status(); got != want {
			t.Errorf("%v: %d, want %d", verdicts, got, want)
		}
	}
}

// An error is at its place in a trace, or in a file of properties; another is where nothing else is known.
func TestPlaceOf(t *testing.T) {
	_, inFile := syntax.ParseProperties("b: EF(\n")
	other := place{"other", 7, 1}
	for _, x := range []struct {
		err  error
		want place
	}{
		{&trace.Error{File: "log", Line: 3, Column: 2}, place{"log", 3, 2}},
		{&trace.Error{Line: 3}, other},
		{errors.New("x"), other},
		{&syntax.PropertyError{Err: errors.New("x")}, other},
	} {
		if got := other.of(x.err); got != x.want {
			t.Errorf("%v: %+v, want %+v", x.err, got, x.want)
		}
	}
	var all syntax.Errors
	if !errors.As(inFile, &all) || len(all) != 1 {
		t.Fatalf("%T", inFile)
	}
	of := &syntax.PropertyError{File: "props", Err: all[0]}
	if got := other.of(of); got.file != "props" || got.line != 1 {
		t.Errorf("%v: %+v", of, got)
	}
}

// Executions of one name are counted one by one, and in any order of their properties. Where no sweep is an error, none
// is counted.
func TestTotals(t *testing.T) {
	var all totals
	for _, index := range []int{1, 0, 0, 1, 1} {
		for _, name := range []string{"run", "other"} {
			all.add(&Record{Record: report.Record{Subject: report.Subject{Trace: name}, Verdict: "holds"}, Index: index})
		}
	}
	if len(all.names) != 6 {
		t.Errorf("%q, want three executions of each name", all.names)
	}
	x := ran(t, "run", 0, false)
	x.Sweep, x.Runs = &Sweep{Subject: x.Subject, Sweep: []Stretch{{Verdict: "holds"}}}, nil
	if text := reported(t, Options{Format: Text}, []*Record{x, x}); strings.Contains(text, "error") || !strings.Contains(text, "2") {
		t.Error(text)
	}
}

// A record that was read has the shape of the run in its line.
func TestShapeOfRead(t *testing.T) {
	line := `{"witness":{"steps":[{"label":"retry 17","set":{"x":1}},{"label":"b","set":{"z":1,"y":2}}]}}`
	for origin, want := range map[string]string{"results.json:7": "b\x00y z\nretry …\x00x", "": ""} {
		r := &Record{Record: report.Record{Text: []byte(line)}, Origin: origin}
		if got := r.shape(); got != want {
			t.Errorf("read at %q: %q, want %q", origin, got, want)
		}
	}
}
