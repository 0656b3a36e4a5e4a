package mapped

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
)

// arrived reads a text in random pieces of whole lines, by one of two scanners each, and
// returns the computation that the lines make.
func arrived(r *rand.Rand, text string, m *Mapping, names map[string]bool, scanners int) (*graphs.Computation, error) {
	known, err := NewKnown(m, trace.Options{})
	if err != nil {
		return nil, err
	}
	s := stream.New(stream.Options{})
	s.SetView(stream.View{Names: names, AnyChannel: m.Messages(), Everything: true})
	var all []*Scanner
	for i := range scanners {
		all = append(all, known.NewScanner(fmt.Sprint("scanner ", i)))
	}
	rest := []byte(text + "\n")
	for len(rest) > 0 {
		n := bytes.IndexByte(rest, '\n') + 1
		for r.IntN(3) > 0 && n < len(rest) {
			n += bytes.IndexByte(rest[n:], '\n') + 1
		}
		scanner := all[r.IntN(scanners)]
		number := scanner.Lines
		err := scanner.Scan(rest[:n], func(line int, l *stream.Line) error {
			if line <= number || line > number+bytes.Count(rest[:n], []byte("\n")) {
				return fmt.Errorf("line %d is none of the text", line)
			}
			return s.Add(l)
		})
		if err != nil {
			return nil, err
		}
		rest = rest[n:]
	}
	if err := s.End(); err != nil {
		return nil, err
	}
	w, err := s.Window(s.Marks()[s.Mark()], false)
	if err != nil {
		return nil, err
	}
	return w.Computation, nil
}

// tame takes what no Scanner reads out of most mappings.
var tame = strings.NewReplacer(`{"fields":["/to"],"format":"*%s*"}`, `"/to"`, `,"lost":{"when":{"/n":"l"},"key":["/k"]}`, "", `"v":"/v"`, `"v":"/n"`, `"o":{"at":"/els/1"}`, `"o":{"value":1}`)

// TestScannerTwin compares what Scanners find, in whatever pieces the lines come, with what
// Read does.
func TestScannerTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	same, late, n := 0, 0, graphtest.Rounds(t, 1000)
	for i := range n {
		clocks := i%4 == 0
		mapping := tame.Replace(randomMapping(r, clocks))
		text := randomLog(r, clocks, i%5 == 0)
		m, err := Parse("m.json", []byte(mapping))
		if err != nil {
			t.Fatal(err)
		}
		want, wrong := readText(t, text, m, trace.Options{})
		names := make(map[string]bool)
		if wrong == nil {
			for _, v := range want.Variables() {
				names[v.Name] = true
			}
		}
		got, err := arrived(r, text, m, names, 1+r.IntN(2))
		switch {
		case wrong != nil && err == nil && (strings.Contains(wrong.Error(), "no line is an event") || clocks && strings.Contains(wrong.Error(), " a message that ")):
		case wrong != nil && err == nil:
			t.Fatalf("%s\n%s\nonly Read refuses it: %v", mapping, text, wrong)
		case err != nil && wrong == nil && !knownLate(err):
			t.Fatalf("%s\n%s\nonly a Scanner refuses it: %v", mapping, text, err)
		case err != nil:
			late++
		default:
			if g, w := told(got, m), told(want, m); g != w {
				t.Fatalf("%s\n%s\ngot\n%s\nwant\n%s", mapping, text, g, w)
			}
			same++
		}
	}
	t.Logf("%d of %d logs are read, %d refused", same, n, late)
	if same < n/8 {
		t.Errorf("only %d of %d logs are read", same, n)
	}
}

// knownLate reports whether an error is about something that only all lines determine.
func knownLate(err error) bool {
	for _, text := range []string{"read as it grows", "one type", "known when all lines", "own entry", "cannot have both", "must be the one receiver", "not a number elsewhere"} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}

// told describes a computation as a Scanner reports it: without messages if there are clocks, and
// without the receiver of an undelivered message if that process has no events yet.
func told(c *graphs.Computation, m *Mapping) string {
	var lines []string
	for line := range strings.Lines(describe(c)) {
		message, to, ok := strings.Cut(line, " > ")
		switch {
		case line == "\n", ok && !m.Messages():
		case ok && !strings.Contains(to, ":"):
			lines = append(lines, message+"\n")
		default:
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// Events come before the error of the line after them, and none of that line.
func TestScannerError(t *testing.T) {
	mapping := `{"process":"/p","clock_id":"/c","messages":[` +
		`{"send":{"when":{"/s":"*"},"key":["/k"]},"receive":{"when":{"/r":"*"},"key":["/k"]}}]}`
	m, err := Parse("m.json", []byte(mapping))
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		`{"p":"b","s":1}`:         "log:2:1: the key of a message is missing",
		`{"p":"a","c":"y","s":1}`: "log:2:1: process \"a\" has two clocks",
	} {
		known, err := NewKnown(m, trace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var events []string
		text := `{"p":"a","c":"x","s":1,"k":1}` + "\n" + line + "\n"
		err = known.NewScanner("log").Scan([]byte(text), func(line int, l *stream.Line) error {
			if l.Kind == stream.Event {
				events = append(events, fmt.Sprintf("%d sends %d by %s", line, len(l.Send), l.ClockID))
			}
			return nil
		})
		if fmt.Sprint(events) != "[1 sends 1 by x]" || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("events of lines: %v, %v", events, err)
		}
	}
}

// The new file of a log that is rotated names its columns, in an order of its own.
func TestScannerRotated(t *testing.T) {
	m, err := Parse("m.json", []byte(`{"line":"csv","process":"/p","label":"/l"}`))
	if err != nil {
		t.Fatal(err)
	}
	known, err := NewKnown(m, trace.Options{Names: true})
	if err != nil {
		t.Fatal(err)
	}
	s := known.NewScanner("log")
	var events []string
	for _, text := range []string{"p,l\na,1\n", "b,2\n", "l,p\n3,c\n", "4,d\n"} {
		if text[0] == 'l' {
			s.Lines = 0
		}
		err := s.Scan([]byte(text), func(line int, l *stream.Line) error {
			if l.Kind == stream.Event {
				events = append(events, fmt.Sprintf("%d:%s:%s", line, l.Process, l.Label))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if got, want := strings.Join(events, " "), "2:a:1 3:b:2 2:c:3 3:d:4"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
