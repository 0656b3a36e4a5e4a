package outofcore

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// Decided in the order of the file and in a causal order on disk, formulas have the same
// verdicts; a trace is put in order only if too much would be held.
func TestOrders(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var lines strings.Builder
	for i := range 50 {
		fmt.Fprintf(&lines, "{\"process\":\"P\",\"set\":{\"x\":%d},\"send\":\"m%d\"}\n", i, i)
	}
	for i := range 50 {
		fmt.Fprintf(&lines, "{\"process\":\"Q\",\"set\":{\"y\":%d},\"recv\":\"m%d\"}\n", i, i)
	}
	for limit, ordered := range map[int]bool{0: false, 10: true} {
		d, notes := decidedOn(t, lines.String(), limit, "AG(x@P >= y@Q)", "EF(y@Q == 3 && x@P == 40)", "AG(y@Q < 49)")
		got := make(map[int]rctl.Verdict)
		for _, a := range d.Answers {
			got[a.Property] = a.Verdict
		}
		want := map[int]rctl.Verdict{0: rctl.Holds, 1: rctl.Holds, 2: rctl.Fails}
		if fmt.Sprint(got) != fmt.Sprint(want) || d.Sizes.Events != 100 || d.Sizes.Messages != 50 || d.Sizes.Processes != 2 {
			t.Errorf("limit %d: %v, %+v", limit, got, d.Sizes)
		}
		if (len(notes) > 0) != ordered {
			t.Errorf("limit %d: notes %q", limit, notes)
		}
	}
}

const unordered = `assignments of the shared variable "x" are not ordered: neither of P:1 and Q:1 happened before the other; ` +
	`a message or "after" has to say which, a sync does not`

// Rules that need the whole trace are broken at the line of the file.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		`{"process":"P"}` + "\n" + `{"process":"P","init":{"x":1}}`:                                                                       `:2: the initial values of process "P" must come before its events`,
		`{"process":"P","init":{"x":1}}` + "\n" + `{"shared":{"x":1}}`:                                                                    `:2: variable "x" is shared and has an initial value of a process`,
		`{"process":"P","id":"Q:1"}` + "\n" + `{"process":"Q"}`:                                                                           `:2: the id "Q:1" is the default id of another event, event 1 of process "Q"`,
		`{"process":"P"}` + "\n\n" + `{"process":"P","recv":"m"}`:                                                                         `:3: message "m" is received but never sent`,
		`{"process":"P","init":{"x":1}}` + "\n" + `{"process":"P","init":{"x":1}}`:                                                        `:2: variable "x" has two initial values`,
		`{"shared":{"x":1}}` + "\n" + `{"shared":{"x":1}}`:                                                                                `:2: variable "x" is declared shared twice`,
		`{"shared":{"x":1}}` + "\n" + `{"process":"P","init":{"x":1}}`:                                                                    `:2: variable "x" is shared and has an initial value of a process`,
		`{"process":"P","set":{"x":1}}` + "\n" + `{"process":"P","set":{"x":true}}`:                                                       `:2: variable "x" has two types: it was a number and is set to a boolean`,
		`{"process":"P","id":"Q:2"}` + "\n" + `{"process":"Q"}`:                                                                           "",
		`{"process":"P","id":"P:1"}` + "\n" + `{"process":"P"}`:                                                                           "",
		`{"shared":{"x":1}}` + "\n" + `{"process":"P","set":{"x":2}}` + "\n" + `{"process":"Q","set":{"x":3}}` + "\n" + `{"process":"R"}`: ":3: " + unordered,
		`{"shared":{"x":1}}`: `: a trace without a process`,
	} {
		path := filepath.Join(t.TempDir(), "trace.jsonl")
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := syntax.Parse("AG(true)")
		if err != nil {
			t.Fatal(err)
		}
		_, err = Decide(path, []syntax.Property{{Source: "AG(true)", Formula: f}}, Options{
			Step: func(_ string, work func(context.Context) error) error { return work(t.Context()) },
			Note: func(string) {},
		})
		if (want == "") != (err == nil) || err != nil && err.Error() != path+want {
			t.Errorf("%s\n%v, want %s", text, err, want)
		}
	}
}

// Formulas have the verdicts that they have in memory, whatever the order of the lines: that of one file, or of a file
// for each process; and whether all is held or put in order on disk.
func TestAsInMemory(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	reordered := 0
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 21))
		c := graphtest.Random(r, graphtest.Config{Processes: 4, Events: 14, Kinds: graphtest.TraceKinds &^ graphtest.Unreceived})
		var text bytes.Buffer
		if err := native.Write(&text, c, nil); err != nil {
			t.Fatal(err)
		}
		files := make(map[string]string)
		for line := range strings.Lines(text.String()) {
			name := "0"
			if process, is := eventOf(t, line); is && seed%2 > 0 {
				name = fmt.Sprintf("1%x", process)
			}
			files[name] += line
		}
		dir := t.TempDir()
		for name, lines := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(lines), 0o600); err != nil {
				t.Fatal(err)
			}
		}

		var properties []syntax.Property
		var want []rctl.Verdict
		for range 3 {
			source := rctltest.RandomFormulaText(r, c, rctltest.FormulaConfig{Fragment: rctltest.Full, Depth: 2})
			f, err := syntax.Parse(source)
			if err != nil {
				t.Fatal(err)
			}
			resolved, of, err := rctl.Resolve(t.Context(), c, f)
			if err != nil {
				t.Fatal(err)
			}
			result, err := rctl.Check(t.Context(), resolved, of, rctl.Options{})
			if err != nil {
				t.Fatal(err)
			}
			properties = append(properties, syntax.Property{Source: source, Formula: f})
			want = append(want, result.Verdict)
		}
		d, err := Decide(dir, properties, Options{
			MaxHeld: r.IntN(8),
			Step:    func(_ string, work func(context.Context) error) error { return work(t.Context()) },
			Note: func(text string) {
				if strings.Contains(text, "put in order") {
					reordered++
				}
			},
		})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text.String())
		}
		got := make([]rctl.Verdict, len(want))
		for _, a := range d.Answers {
			got[a.Property] = a.Verdict
		}
		sizes := fmt.Sprint(c.NumProcesses(), c.NumEvents(), c.NumMessages())
		if !slices.Equal(got, want) || fmt.Sprint(d.Sizes.Processes, d.Sizes.Events, d.Sizes.Messages) != sizes {
			t.Errorf("seed %d: %v, want %v; %+v, want %s\n%+v\n%s", seed, got, want, d.Sizes, sizes, properties, text.String())
		}
	}
	if reordered == 0 {
		t.Error("no trace was put in order on disk")
	}
}

// eventOf returns the process of a line, if it is an event.
func eventOf(t *testing.T, line string) (process string, is bool) {
	t.Helper()
	var l map[string]any
	if err := json.Unmarshal([]byte(line), &l); err != nil {
		t.Fatal(err)
	}
	process, is = l["process"].(string)
	return process, is && l["init"] == nil
}

// decidedOn decides formulas on lines.
func decidedOn(t *testing.T, lines string, limit int, formulas ...string) (d *Decision, notes []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	var properties []syntax.Property
	for _, text := range formulas {
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		properties = append(properties, syntax.Property{Source: text, Formula: f})
	}
	d, err := Decide(path, properties, Options{
		MaxHeld: limit,
		Step:    func(_ string, work func(context.Context) error) error { return work(t.Context()) },
		Note:    func(text string) { notes = append(notes, text) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return d, notes
}

// A process to which messages are sent is one of the trace, in the order of its own lines where it has some.
func TestReceivers(t *testing.T) {
	d, _ := decidedOn(t, `{"process":"P","send":"n","to":"Q"}
{"process":"P","send":["m"],"to":"X"}
{"process":"P","send":["o"],"to":"X"}
{"process":"R"}
{"process":"Q","recv":"n"}
`, 0, `EF(transit("P", "X") == 2 && transit("P", "Q") == 0)`, `AG(transit("P", "X") < 1)`)
	got := fmt.Sprint(d.Monitor.Stream().Processes())
	for _, a := range d.Answers {
		got += fmt.Sprintf(" %d %v", a.Property, a.Verdict)
	}
	if want := "[P R Q X] 0 holds 1 fails"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A trace is put in order where more is held than the limit, and not where it is as much.
func TestLimit(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var apart, transit strings.Builder
	for i := range 10 {
		fmt.Fprintf(&apart, "{\"process\":\"P\",\"set\":{\"x\":%d}}\n", i)
		fmt.Fprintf(&transit, "{\"process\":\"P\",\"send\":\"m%d\"}\n", i)
	}
	const last = `{"process":"Q","set":{"y":1}}` + "\n"
	for lines, formula := range map[string]string{
		apart.String() + last:   "AG(x@P < 9 || y@Q == 0)",
		transit.String() + last: "AG(y@Q == 0)",
	} {
		for limit, ordered := range map[int]bool{9: true, 10: false} {
			d, notes := decidedOn(t, lines, limit, formula)
			if (len(notes) > 0) != ordered || len(d.Answers) != 1 || d.Answers[0].Verdict != rctl.Fails {
				t.Errorf("limit %d: %q, %+v", limit, notes, d.Answers)
			}
		}
	}
	// Of a formula that needs all events that is said, once.
	d, notes := decidedOn(t, apart.String()+strings.Repeat(last, 20), 5, "EX(x@P == 1)")
	if len(notes) != 1 || !strings.Contains(notes[0], "are kept, 6 by now") || len(d.Answers) != 1 {
		t.Errorf("%q, %+v", notes, d.Answers)
	}
}

// A process closes after its last line, so that what depends on it is final, and the rest is not read.
func TestCloses(t *testing.T) {
	lines := `{"process":"P","set":{"x":1}}` + "\n" + strings.Repeat(`{"process":"Q","set":{"y":1}}`+"\n", 20_000)
	d, _ := decidedOn(t, lines, 0, "EF(x@P == 2 && y@Q == 3)")
	if len(d.Answers) != 1 || d.Answers[0].Verdict != rctl.Fails || d.Sizes.Events != 20_001 {
		t.Errorf("%+v, %+v", d.Answers, d.Sizes)
	}
	if n := d.Monitor.Stream().Admitted(); n > 10_000 {
		t.Errorf("%d events were looked at", n)
	}
}

// Clocks that processes share order events only where that is asked for, and that is refused.
func TestSharedClocks(t *testing.T) {
	f, err := syntax.Parse("AG(true)")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		clock  string
		shared bool
		want   string
	}{
		{`,"clock_id":"h"`, true, `:2: the clock that "P" and "Q" share orders their events`},
		{`,"clock_id":"h"`, false, ""},
		{"", true, ""},
	} {
		path := filepath.Join(t.TempDir(), "trace.jsonl")
		text := fmt.Sprintf("{\"process\":\"P\"%s,\"time\":1}\n{\"process\":\"Q\"%s,\"time\":2}\n", x.clock, x.clock)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Decide(path, []syntax.Property{{Source: "AG(true)", Formula: f}}, Options{
			Shared: x.shared,
			Step:   func(_ string, work func(context.Context) error) error { return work(t.Context()) },
			Note:   func(string) {},
		})
		if (err != nil) != (x.want != "") || err != nil && !strings.HasPrefix(err.Error(), path+x.want) {
			t.Errorf("%+v: %v", x, err)
		}
	}
}

// Standard input is read once, and its sizes are known where all of it was read. A mistake that shows late has its place.
func TestStandardInput(t *testing.T) {
	defer func(in *os.File) { os.Stdin = in }(os.Stdin)
	for _, x := range []struct {
		lines, formula    string
		processes, events int64
		want              string
	}{
		{`{"process":"P","set":{"x":1}}` + "\n" + `{"process":"Q"}`, "EF(x@P == 2)", 2, 2, ""},
		{`{"process":"P","set":{"x":1}}` + "\n" + strings.Repeat(`{"process":"P","set":{"x":2}}`+"\n", 10_000), "EF(x@P == 2)", -1, -1, ""},
		{`{"shared":{"x":1}}` + "\n" + `{"process":"P","set":{"x":2}}` + "\n" + `{"process":"Q","set":{"x":3}}`, "EF(x == 2)", -1, -1,
			"-:3: " + unordered},
		{`{"process":"P"}` + "\n" + `{"process":"P","recv":"m"}` + "\n" + `{"process":"Q"}`, "EF(x@P == 2)", 2, 3,
			`-:2: message "m" is received but never sent`},
	} {
		path := filepath.Join(t.TempDir(), "trace.jsonl")
		if err := os.WriteFile(path, []byte(x.lines+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		os.Stdin = in
		f, err := syntax.Parse(x.formula)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Decide("-", []syntax.Property{{Source: x.formula, Formula: f}}, Options{
			Step: func(_ string, work func(context.Context) error) error { return work(t.Context()) },
			Note: func(string) {},
		})
		if (err != nil) != (x.want != "") || err != nil && !strings.HasPrefix(err.Error(), x.want) {
			t.Errorf("%s: %v", x.formula, err)
		}
		if int64(d.Sizes.Processes) != x.processes || int64(d.Sizes.Events) != x.events {
			t.Errorf("%s: %+v", x.formula, d.Sizes)
		}
	}
}

// Receivers are kept once.
func TestReceiversOnce(t *testing.T) {
	s := newSurvey()
	for range 2 {
		if err := s.line(&stream.Line{Process: []byte("P"), To: []byte("X")}); err != nil || len(s.receivers) != 1 {
			t.Errorf("%v, %v", s.receivers, err)
		}
	}
}

// In a directory a mistake is at a line of one of its files, also at the last or first of one.
func TestPlaces(t *testing.T) {
	f := file{parts: []part{{"a", 0}, {"b", 2}, {"c", 3}}}
	for number, want := range []string{1: "a:1", 2: "a:2", 3: "b:1", 4: "c:1", 5: "c:2"} {
		if want == "" {
			continue
		}
		if name, line := f.place(number); fmt.Sprintf("%s:%d", name, line) != want {
			t.Errorf("line %d is %s:%d, want %s", number, name, line, want)
		}
	}
}
