package ingest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/rctl/syntax"
)

// applied is an Applier that remembers, and refuses the lines of a process "bad".
type applied struct {
	events  []string
	refused []string
	goOn    bool
}

func (a *applied) Apply(number int, l *stream.Line) error {
	if string(l.Process) == "bad" {
		return errors.New("this process is bad")
	}
	a.events = append(a.events, fmt.Sprintf("%d %s%s", number, l.Execution, l.Process))
	return nil
}

func (a *applied) Refuse(execution string, err *trace.Error) bool {
	a.refused = append(a.refused, fmt.Sprintf("%q:%d", execution, err.Line))
	return a.goOn
}

func newFormat(t *testing.T, o Options) *Format {
	t.Helper()
	f, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Up to a line that is refused a text is accepted; where lines name their executions, it is read on after it.
func TestRead(t *testing.T) {
	const text = `{"s":1,"process":"A"}
{"s":2,"process":"bad"}
{"s":3,"process":"B"}
{"s":4,"process":7}
`
	for _, x := range []struct {
		goOn            bool
		events, refused string
		accepted        int
	}{
		{false, "[11 1A]", `["2":12]`, strings.Index(text, "\n") + 1},
		{true, "[11 1A 13 3B]", `["2":12 "4":14]`, len(text)},
	} {
		a := &applied{goOn: x.goOn}
		s := newFormat(t, Options{Input: "native", ExecutionKey: "s"}).NewSource("file")
		accepted, err := s.Read(Text{Lines: []byte(text), First: 10}, a)
		if fmt.Sprint(a.events) != x.events || fmt.Sprint(a.refused) != x.refused || accepted != (Accepted{Bytes: x.accepted}) || (err == nil) != x.goOn {
			t.Errorf("%v, refused %v, %v of %d bytes, %v", a.events, a.refused, accepted, len(text), err)
		}
		if wrong, ok := err.(*trace.Error); !x.goOn && (!ok || wrong.File != "file" || wrong.Line != 12) {
			t.Errorf("%v", err)
		}
	}
}

// An event of two lines may be read in two pieces; the last line needs nothing after it when nothing follows.
func TestReadEventsOfLines(t *testing.T) {
	f := newFormat(t, Options{Input: "shiviz"})
	s := f.NewSource("log")
	a := new(applied)
	for i, text := range []string{"A {\"A\":1}\n", "begins\nA {\"A\":2}\n", "ends\n"} {
		accepted, err := s.Read(Text{Lines: []byte(text), Last: i == 2}, a)
		if err != nil || accepted.Bytes != len(text) {
			t.Fatal(accepted, err)
		}
	}
	if len(a.events) != 2 || !f.NeedsEnd() || f.Documents() {
		t.Error(a.events)
	}
}

// Formats that cannot be read while they grow are refused, and so are properties that need the whole log.
func TestNew(t *testing.T) {
	f, err := syntax.Parse("AG(transit(A, B) < 3)")
	if err != nil {
		t.Fatal(err)
	}
	counting := []syntax.Property{{Formula: f, Source: "AG(transit(A, B) < 3)"}}
	for _, x := range []struct {
		Options
		want string
	}{
		{Options{Input: "spin"}, "shows its meaning only as a whole"},
		{Options{Input: "auto"}, "name the format"},
		{Options{Input: "nonsense"}, "nonsense"},
		{Options{Input: "native", ExecutionKey: "process"}, "--execution-key"},
		{Options{Input: "shiviz", Properties: counting}, "counts messages"},
		{Options{Input: "shiviz", Regexp: "("}, "--input shiviz"},
		{Options{Input: "native", Map: "none.json", SkipLines: true}, "neither a mapping nor a mapping file"},
		{Options{Input: "otlp", Map: "pgo"}, "exclude each other"},
		{Options{Input: "native", SkipLines: true}, "--skip-lines is only for logs that a mapping describes"},
		{Options{Input: "native", Regexp: "x"}, "--regexp is only for ShiViz logs"},
		{Options{Input: "native", Assign: []string{"x=y"}}, "--assign is only for ShiViz logs"},
		{Options{Input: "native", Map: "pgo", Properties: counting}, "told apart only when all lines are there"},
	} {
		_, err := New(t.Context(), x.Options)
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %s", x.Input, err, x.want)
		}
		isUsage := x.Input != "nonsense" && x.Map != "none.json"
		if usage := new(exit.UsageError); isUsage && !errors.As(err, &usage) {
			t.Errorf("%v is no usage error", err)
		}
	}
	if !slices.Equal([]bool{newFormat(t, Options{Input: "otlp"}).Documents(), newFormat(t, Options{Input: "native"}).NeedsEnd()}, []bool{true, false}) {
		t.Error("documents are of spans, and native lines need no end")
	}
}

// Each kind of lines is read with its own options.
func TestFormats(t *testing.T) {
	sends, err := syntax.Parse("AG(transit(A, B) < 3)")
	if err != nil {
		t.Fatal(err)
	}
	counting := []syntax.Property{{Formula: sends, Source: "AG(transit(A, B) < 3)"}}
	sources := filepath.Join(t.TempDir(), "sources.json")
	const mapping = `{"process": "/p", "sources": [{"files": "a*.log", "events": {"/p": "A"}}]}`
	if err := os.WriteFile(sources, []byte(mapping), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		Options
		text, want string
	}{
		{Options{Input: "native", Properties: counting}, "{\"process\":\"A\"}\n", "[1 A]"},
		{Options{Input: "shiviz", Regexp: `(?<host>\S+) (?<clock>{.*})\n(?<event>.*)`}, "A {\"A\":1}\nx\n", "[1 A]"},
		// The scanner of a mapping declares a process before its first event.
		{Options{Input: "native", Map: sources}, "{\"p\":\"A\"}\n", "[1 A 1 A]"},
		{Options{Input: "native", Map: sources, SkipLines: true, Properties: counting}, "{\"p\":\"A\"}\nwords\n{\"p\":\"A\"}\n", "[1 A 1 A 3 A]"},
	} {
		f := newFormat(t, x.Options)
		a := new(applied)
		s := f.NewSource("a1.log")
		accepted, err := s.Read(Text{Lines: []byte(x.text), Last: true}, a)
		if got := fmt.Sprint(a.events); err != nil || got != x.want || accepted.Bytes != len(x.text) {
			t.Errorf("%s %s: %s after %d bytes, %v", x.Input, x.Map, got, accepted.Bytes, err)
		}
		if skipped := strings.Count(x.text, "words"); s.Skipped() != skipped {
			t.Errorf("%d lines are skipped, not %d", s.Skipped(), skipped)
		}
		isMapped := x.Map != ""
		if f.Takes("b1.log") == isMapped || !f.Takes("a2.log") || (f.Mapping() != nil) != isMapped {
			t.Errorf("%s %s takes other files, or has another mapping", x.Input, x.Map)
		}
		if lines := x.Input == "shiviz" || isMapped; f.NeedsEnd() != lines {
			t.Errorf("%s %s needs an end: %v", x.Input, x.Map, !lines)
		}
	}
}

// Of an event of several lines the end of the source is the end, and not the end of a text.
func TestReadToTheEnd(t *testing.T) {
	s := newFormat(t, Options{Input: "shiviz"}).NewSource("log")
	a := new(applied)
	for i, text := range []string{"A {\"A\":1}\n", "x\n"} {
		if _, err := s.Read(Text{Lines: []byte(text), Last: i == 1}, a); err != nil {
			t.Fatal(err)
		}
		if len(a.events) != i {
			t.Errorf("text %d: %v", i, a.events)
		}
	}

	// What is refused at the end is refused with the whole text, which a replay reads again.
	for _, text := range []string{"bad {\"bad\":1}\nx\n", "no event\n"} {
		s = newFormat(t, Options{Input: "shiviz"}).NewSource("log")
		accepted, err := s.Read(Text{Lines: []byte(text), Last: true}, a)
		if wrong, ok := err.(*trace.Error); !ok || wrong.File != "log" || accepted != (Accepted{len(text), true}) {
			t.Errorf("%q: %v, %+v", text, err, accepted)
		}
	}
}

// labelled is an Applier that remembers labels.
type labelled struct {
	applied
	labels []string
}

func (a *labelled) Apply(number int, l *stream.Line) error {
	if l.Kind == stream.Event {
		a.labels = append(a.labels, string(l.Label))
	}
	return a.applied.Apply(number, l)
}

// Labels that a mapping says are kept: a formula may speak of them, and people read them.
func TestLabels(t *testing.T) {
	file := filepath.Join(t.TempDir(), "labels.json")
	if err := os.WriteFile(file, []byte(`{"process": "/p", "label": "/l"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	a := new(labelled)
	s := newFormat(t, Options{Input: "native", Map: file}).NewSource("log")
	if _, err := s.Read(Text{Lines: []byte("{\"p\":\"A\",\"l\":\"begins\"}\n")}, a); err != nil || fmt.Sprint(a.labels) != "[begins]" {
		t.Errorf("%v, %v", a.labels, err)
	}
}
