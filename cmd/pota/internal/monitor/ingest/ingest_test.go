package ingest

import (
	"errors"
	"fmt"
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
	} {
		_, err := New(t.Context(), x.Options)
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %s", x.Input, err, x.want)
		}
		if usage := new(exit.UsageError); x.Input != "nonsense" && !errors.As(err, &usage) {
			t.Errorf("%v is no usage error", err)
		}
	}
	if !slices.Equal([]bool{newFormat(t, Options{Input: "otlp"}).Documents(), newFormat(t, Options{Input: "native"}).NeedsEnd()}, []bool{true, false}) {
		t.Error("documents are of spans, and native lines need no end")
	}
}
