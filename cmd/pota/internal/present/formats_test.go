package present

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pota-project/pota/cmd/pota/internal/budget"
	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// property is the one that the records below are about.
func property(t *testing.T) syntax.Property {
	t.Helper()
	f, err := syntax.Parse("EF x")
	if err != nil {
		t.Fatal(err)
	}
	return syntax.Property{Formula: f, Source: "EF x", Name: "p", File: "props", Line: 3}
}

// decided is the record of a verdict on a trace, of which there are several.
func decided(t *testing.T, trace, verdict string) *Record {
	t.Helper()
	p := property(t)
	return &Record{
		Record: report.Record{
			Subject:  report.SubjectOf(trace, p),
			Verdict:  verdict,
			Engine:   "slice",
			Fragment: "RCTL",
			Stats:    report.Unread,
		},
		Path:     trace,
		Property: p,
		Several:  true,
	}
}

// printed returns what a report prints of three verdicts and a trace that cannot be read.
func printed(t *testing.T, o Options) (out, stderr string, status exit.Status) {
	t.Helper()
	o.Properties = []syntax.Property{property(t)}
	var results, notes bytes.Buffer
	r := &job.Run{Context: context.Background(), Console: console.New(nil, &results, &notes)}
	p := New(r, r.Console, o)
	p.Verdict(decided(t, "t/a.jsonl", "holds"))
	p.Verdict(decided(t, "t/b.jsonl", "fails"))
	p.Verdict(decided(t, "t/c.jsonl", "unknown"))
	p.Verdict(Unread("t/d.jsonl", errors.New("t/d.jsonl: it is cut off")))
	p.Verdict(Unread("t/e.jsonl", errors.New("t/e.jsonl: it is cut off")))
	p.Close()
	r.Close()
	return results.String(), notes.String(), r.Status
}

// Whatever the format, the status is that of the gravest record, and one mistake in many traces
// is printed once.
func TestFormatsAgree(t *testing.T) {
	for _, format := range append([]string{Silent}, Formats()...) {
		out, stderr, status := printed(t, Options{Format: format})
		want := "pota: t/d.jsonl: it is cut off\npota: 1 more with the same error (it is cut off): t/e.jsonl\n"
		if stderr != want || status != exit.BadInput {
			t.Errorf("%q: status %d, %s", format, status, stderr)
		}
		if (out == "") != (format == Silent) {
			t.Errorf("%q prints %q", format, out)
		}
		_, stderr, _ = printed(t, Options{Format: format, All: true})
		if strings.Count(stderr, "it is cut off\n") != 2 {
			t.Errorf("%q with all: %s", format, stderr)
		}
	}
}

// Text lists what does not hold, and sums up with names that are short.
func TestText(t *testing.T) {
	out, _, _ := printed(t, Options{Format: Text})
	want := `fails    t/b.jsonl  p  EF x
unknown  t/c.jsonl  p  EF x
p: 1 of 3 fails: b; 1 of 3 is unknown: c
`
	if out != want {
		t.Errorf("%s\nwant\n%s", out, want)
	}
}

// JSON has a line for each record, which package report reads back.
func TestJSON(t *testing.T) {
	shard := &report.Shard{Shard: "0/2", Traces: 5, Properties: []string{"p: EF x"}}
	out, _, _ := printed(t, Options{Format: JSON, Shard: shard})
	var got []string
	for line := range strings.Lines(out) {
		r, err := report.Parse([]byte(line))
		switch {
		case err != nil:
			t.Fatalf("%s: %v", line, err)
		case r.Verdict != "":
			got = append(got, r.Verdict)
		case r.Error != "":
			got = append(got, "error")
		default:
			got = append(got, r.Shard.Shard)
		}
	}
	if text := strings.Join(got, " "); text != "holds fails unknown error error 0/2" {
		t.Error(text)
	}
}

// A report of JUnit is not green where a verdict is undecided or a trace cannot be read.
func TestJUnit(t *testing.T) {
	out, _, _ := printed(t, Options{Format: JUnit})
	var doc struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
	}
	if err := xml.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Tests != 5 || doc.Failures != 1 || doc.Errors != 3 {
		t.Errorf("%+v", doc)
	}
	// Where results were merged, that of the first property may be later, in another file.
	second := decided(t, "t", "holds")
	second.Index = 1
	if out := reported(t, Options{Format: JUnit}, []*Record{second}); !strings.Contains(out, `<testsuite name="t" tests="1"`) {
		t.Error(out)
	}
}

// SARIF points to the line of the property, and counts an undecided verdict as a notification.
func TestSARIF(t *testing.T) {
	out, _, _ := printed(t, Options{Format: SARIF, Version: "1"})
	var log struct {
		Runs []struct {
			Invocations []struct {
				Successful    bool  `json:"executionSuccessful"`
				ExitCode      int   `json:"exitCode"`
				Notifications []any `json:"toolExecutionNotifications"`
			}
			Results []struct {
				Kind      string
				Locations []struct{ PhysicalLocation any }
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if len(run.Results) != 2 || run.Results[0].Kind != "fail" || run.Results[1].Kind != "open" {
		t.Fatalf("%+v", run.Results)
	}
	const want = "map[artifactLocation:map[uri:props] region:map[startLine:3]]"
	if at := fmt.Sprint(run.Results[0].Locations[0].PhysicalLocation); at != want {
		t.Error(at)
	}
	if of := run.Invocations[0]; of.Successful || of.ExitCode != 2 || len(of.Notifications) != 3 {
		t.Errorf("%+v", of)
	}
}

// Annotations cannot be forged: text from traces stays on the line of its annotation.
func TestGitHub(t *testing.T) {
	var results bytes.Buffer
	r := &job.Run{Context: context.Background(), Console: console.New(nil, &results, new(bytes.Buffer))}
	p := New(r, r.Console, Options{Format: GitHub, Properties: []syntax.Property{property(t)}})
	p.Verdict(Unread("t", errors.New("t: 100%\n::error::forged")))
	p.Close()
	r.Close()
	if out := results.String(); strings.Count(out, "\n") != 1 || !strings.Contains(out, "100%25") {
		t.Error(out)
	}
}

// A limit is told from bad input: the trace is undecided, and the status says so.
func TestLimit(t *testing.T) {
	var results bytes.Buffer
	r := &job.Run{Context: context.Background(), Console: console.New(nil, &results, new(bytes.Buffer))}
	p := New(r, r.Console, Options{Format: JUnit})
	p.Verdict(Unread("t", &budget.LimitError{Limit: "the time limit of 1s was reached", Doing: "reading t"}))
	p.Close()
	r.Close()
	if r.Status != exit.Undecided || !strings.Contains(results.String(), `type="undecided"`) {
		t.Errorf("status %d, %s", r.Status, &results)
	}
}
