package shiviz

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
)

// randomEvents writes the events of an execution, by host, in a layout, with unrelated lines
// between them.
func randomEvents(r *rand.Rand, layout string) (order []int, texts []string) {
	n := 1 + r.IntN(3)
	clocks := make([]map[string]int, n)
	for p := range clocks {
		clocks[p] = make(map[string]int)
	}
	for range 1 + r.IntN(12) {
		p, q := r.IntN(n), r.IntN(n)
		if r.IntN(2) == 0 {
			for host, count := range clocks[q] {
				clocks[p][host] = max(clocks[p][host], count)
			}
		}
		host := string(rune('a' + p))
		clocks[p][host]++
		clock, _ := json.Marshal(clocks[p])
		text := fmt.Sprintf("e x=%d", r.IntN(3))
		if r.IntN(3) == 0 {
			text += " ok=true"
		}
		form := map[string]string{
			"TSViz": "1234567890123 %[3]s\n%[1]s %[2]s\n", "ShiViz": "%[3]s\n%[1]s %[2]s\n", "GoVector": "%[1]s %[2]s\n%[3]s\n",
			"actor": "[INFO] [/%[1]s] %[2]s %[3]s\n", "plain": "%[1]s %[2]s %[3]s\n", "upload": "%[1]s|%[2]s|%[3]s|", "two": "%[3]s;\n%[1]s %[2]s;",
		}[layout]
		if form[len(form)-1] != '\n' && r.IntN(2) == 0 {
			form += "\n"
		}
		order, texts = append(order, p), append(texts, fmt.Sprintf(form, host, clock, text))
		if strings.HasSuffix(form, "\n") && r.IntN(4) == 0 {
			texts[len(texts)-1] += "# nothing\n"
		}
	}
	return order, texts
}

// headers are the first lines of upload files.
var headers = map[string]string{
	"upload": `(?<host>\w+)\|(?<clock>{[^}\n]*})\|(?<event>[^|\n]*)\|` + "\n\n",
	"two":    `(?<event>[^;\n]*);\n(?<host>\w+) (?<clock>{[^}\n]*});` + "\n\n",
}

// scanned reads texts, each by one of several Scanners, in random pieces of whole lines, and
// returns the computation of the events.
func scanned(r *rand.Rand, texts []string, names map[string]bool) (*graphs.Computation, error) {
	known, err := NewKnown(Options{})
	if err != nil {
		return nil, err
	}
	view := stream.View{Names: names, Everything: true}
	s := stream.New(stream.Options{})
	s.SetView(view)
	scanners, rest := make([]*Scanner, len(texts)), make([][]byte, len(texts))
	for i, text := range texts {
		scanners[i], rest[i] = known.NewScanner(), []byte(text)
	}
	take := func(_ int, l *stream.Line) error { return s.Add(l) }
	for open := len(texts); open > 0; {
		i := r.IntN(len(texts))
		scanner := scanners[i]
		if scanner == nil {
			continue
		}
		if len(rest[i]) == 0 {
			if err := scanner.End(take); err != nil {
				return nil, err
			}
			scanners[i] = nil
			open--
			continue
		}
		n := bytes.IndexByte(rest[i], '\n') + 1
		for r.IntN(3) > 0 && n < len(rest[i]) {
			n += bytes.IndexByte(rest[i][n:], '\n') + 1
		}
		if err := scanner.Scan(rest[i][:n], take); err != nil {
			return nil, err
		}
		rest[i] = rest[i][n:]
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

// described returns what both readers must agree on: the values, and happened-before.
func described(c *graphs.Computation) string {
	var lines []string
	processes := c.Processes()
	for _, v := range c.Variables() {
		s := fmt.Sprintf("%s@%s %s %s:", v.Name, processes[v.Process], v.Kind, v.Init)
		cut := c.Initial().Clone()
		for k := 1; k <= c.Len(v.Process); k++ {
			cut[v.Process] = int32(k)
			s += " " + v.At(c, cut).String()
		}
		lines = append(lines, s)
	}
	for p := range processes {
		before := c.LastBefore(p)
		for q := range processes {
			for k := 1; k <= c.Len(q); k++ {
				lines = append(lines, fmt.Sprintf("%s:%d after %s:%d", processes[q], k, processes[p], before[c.Event(q, k)]))
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestScannerTwin compares the results of Scanners, for any pieces of the lines, with those of
// Read.
func TestScannerTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	dir := t.TempDir()
	for i := range graphtest.Rounds(t, 600) {
		layout := []string{"TSViz", "ShiViz", "GoVector", "actor", "plain", "upload", "two"}[i%7]
		order, events := randomEvents(r, layout)
		texts := make([]string, 1)
		if i%3 == 0 && headers[layout] == "" { // a file for each process
			texts = make([]string, 1+slices.Max(order))
			for k, e := range events {
				texts[order[k]] += e
			}
			texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
		} else {
			texts[0] = headers[layout] + strings.Join(events, "")
		}
		sub := filepath.Join(dir, fmt.Sprint(i))
		if err := os.Mkdir(sub, 0o777); err != nil {
			t.Fatal(err)
		}
		path := sub
		for k, text := range texts {
			if !strings.HasSuffix(text, "\n") {
				text += "\n"
			}
			if r.IntN(5) == 0 {
				text = strings.ReplaceAll(text, "\n", "\r\n")
			}
			texts[k] = text
			path = filepath.Join(sub, fmt.Sprint(k))
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if len(texts) > 1 {
			path = sub
		}
		all, err := read(path, Options{})
		if err != nil {
			t.Fatalf("%s\n%v", texts, err)
		}
		names := make(map[string]bool)
		for _, v := range all[0].Computation.Variables() {
			names[v.Name] = true
		}
		got, err := scanned(r, texts, names)
		if err != nil {
			t.Fatalf("%q: only a Scanner refuses it: %v", texts, err)
		}
		if g, w := described(got), described(all[0].Computation); g != w {
			t.Fatalf("%q (%s)\ngot\n%s\nwant\n%s", texts, all[0].Layout, g, w)
		}
	}
}

// A log that can only be read as a whole is refused, at the line that shows it.
func TestScannerRefuses(t *testing.T) {
	for _, test := range []struct {
		text string
		opts Options
		want string
	}{
		{"a {\"a\":1}\nx=1\nb {\"b\":1}\nx=yes\n", Options{}, `:3:3: variable "x" is a string here and was a number`},
		{"nothing\n", Options{}, ": no event with a vector clock"},
		{"State 1: <Init>\n/\\ x = 1\n", Options{}, ":1: TLC prints states after the run has ended"},
		{"(?<host>\\w) (?<clock>{.*})\n=== (?<trace>.*)\na {\"a\":1}\n", Options{}, ":2: a log that is read as it grows has one execution"},
		{"(?<host>\\w)\\s+(?<clock>{.*})\n\na {\"a\":1}\n", Options{}, ":1: the regular expression"},
		{"a {\"a\":1}\nx\na {\"a\":1,\"b\":-1}\n", Options{}, `:3:3: the clock has -1 for "b"`},
		{"a {\"a\":1}\nx\na {\"b\":1}\n", Options{}, `:3:3: the clock of an event of "a" has no entry of its own`},
		{"", Options{Delimiter: "x"}, "has one execution"},
		{"", Options{Regexp: `(?<host>\w+)[^x]*(?<clock>{.*})`}, "may match any number of lines"},
		{"", Options{Regexp: `(?<host>\w+) (?<clock>{.*})\z`}, "only at an end of the text"},
		{"", Options{Assign: []string{"x"}}, "has no named group"},
	} {
		known, err := NewKnown(test.opts)
		if err == nil {
			s := known.NewScanner()
			take := func(int, *stream.Line) error { return nil }
			for line := range strings.Lines(test.text) {
				if err == nil {
					err = s.Scan([]byte(line), take)
				}
			}
			if err == nil {
				err = s.End(take)
			}
		}
		if e, ok := err.(*trace.Error); ok {
			e.File = "x"
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
}
