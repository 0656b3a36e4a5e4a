package order

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
)

// readTrace reads a trace in the native format.
func readTrace(t testing.TB, text string) *graphs.Computation {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := native.ReadFile(t.Context(), path, trace.Options{Names: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sample has a message from P's second event to Q's third.
const sample = `{"shared":{"turn":0}}
{"process":"P","init":{"rev":0,"flag":false,"never":1}}
{"process":"P","set":{"rev":1}}
{"process":"P","id":"e2","set":{"rev":4,"word":"b","mixed":1},"send":"m"}
{"process":"P","set":{"rev":4,"down":5}}
{"process":"P","set":{"down":3}}
{"process":"Q","id":"f1","set":{"rev":2,"word":"a","mixed":"x","turn":2}}
{"process":"Q","id":"f2","set":{"rev":3}}
{"process":"Q","id":"f3","set":{"rev":9,"flag":true},"recv":"m"}
{"process":"Q","id":"f4","set":{"turn":1}}
{"process":"kv-1","id":"ü"}
`

func TestApply(t *testing.T) {
	for _, test := range []struct {
		file, want string // the edges between processes that are new
	}{
		{"", ""},
		{"\ufeff# nothing\r\n\n  \t\n   # but comments", ""},
		{`{"edge":["f1","e2"]}`, "f1→e2"},
		{`  { "edge" : [ "f1" , "P:1", "\u00fc" ] }  ` + "\r\n", "f1→P:1 P:1→ü"},
		{"{\"edge\":[\"f1\",\"P:1\"]}\n{\"edge\":[\"f1\",\"P:3\"]}\n{\"edge\":[\"P:1\",\"P:3\"]}", "f1→P:1 f1→P:3"},
		{`{"by":"rev"}`, "f2→e2 P:1→f1 P:3→f3"},
		{`{"by":"rev","processes":"P"}`, ""},
		{`{"processes":["P","?"],"by":"rev"}`, "f2→e2 P:1→f1 P:3→f3"},
		{`{"by":"word"}`, "f1→e2"},
		{`{"by":"never"}`, ""},
		{`{"by":"mixed","processes":["Q*"]}`, ""},
	} {
		c := readTrace(t, sample)
		f, err := Read([]byte(test.file), "o")
		if err != nil {
			t.Errorf("%s: %v", test.file, err)
			continue
		}
		d, err := f.Apply(t.Context(), c)
		if err != nil {
			t.Errorf("%s: %v", test.file, err)
			continue
		}
		var got []string
		for e := graphs.Event(1); e < d.Top(); e++ {
			for _, f := range d.Preds(e) {
				if !slices.Contains(c.Preds(e), f) {
					got = append(got, d.ID(f)+"→"+d.ID(e))
				}
			}
		}
		if got := strings.Join(got, " "); got != test.want && strings.Join(slices.Sorted(slices.Values(strings.Fields(got))), " ") != strings.Join(slices.Sorted(slices.Values(strings.Fields(test.want))), " ") {
			t.Errorf("%s: %s, want %s", test.file, got, test.want)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, test := range []struct{ file, want string }{
		{`edge`, `o:1:1: invalid character 'e' at start of value`},
		{"\n# x\n\xff", `o:3:1: invalid character '\xff' at start of value`},
		{`{}`, `o:1:1: neither "edge" nor "by": a line orders events, or assignments of a variable`},
		{`{`, `o:1:2: the JSON text ends too soon`},
		{`{"edge"`, `o:1:8: the JSON text ends too soon (at /edge)`},
		{`{"edge":["e2","f1"]`, `o:1:20: the JSON text ends too soon`},
		{`{"edge":["e2","f1"}`, `o:1:19: invalid character '}' after array element (expecting ',' or ']') (at /edge)`},
		{`{"edge":["e2",]}`, `o:1:14: invalid character ',' at start of value (at /edge)`},
		{`{"edge":["e2",7]}`, `o:1:15: the id of an event is a string, not a number`},
		{`{"edge":"e2"}`, `o:1:9: edge is an array, not a string`},
		{`{"edge":["e2"]}`, `o:1:9: edge orders two or more events, not 1`},
		{`{"edge":[]}`, `o:1:9: edge must not be empty`},
		{`{"edge":["e2","f1"]} x`, `o:1:22: text after the JSON value: nothing may follow it`},
		{`{"edge":["e2","f1"],"edge":["e2","f1"]}`, `o:1:21: the key "edge" is given twice`},
		{`{"edges":["e2","f1"]}`, `o:1:2: unknown key "edges" in a line (did you mean "edge"?)`},
		{`{"after":["e2","f1"]}`, `o:1:2: unknown key "after" in a line (known are by, edge, processes)`},
		{`{"edge":["e2","f1"],"by":"rev"}`, `o:1:21: a line has "edge" or "by", not both`},
		{`{"edge":["e2","f1"],"processes":"P"}`, `o:1:21: "processes" goes with "by", not with "edge"`},
		{`{"processes":"P"}`, `o:1:1: neither "edge" nor "by": a line orders events, or assignments of a variable`},
		{`{"by":7}`, `o:1:7: the name of a variable is a string, not a number`},
		{`{"by":"rev","processes":7}`, `o:1:25: processes is a pattern of names of processes, a string, or an array of them, not a number`},
		{`{"by":"rev","processes":[]}`, `o:1:25: processes must not be empty: leave the key out for all processes`},
		{`{"edge":["⊥","f1"]}`, `o:1:10: ⊥ cannot be ordered (only edges of a trace name it)`},
		{`{"edge":["f1","⊤"]}`, `o:1:15: ⊤ cannot be ordered (only edges of a trace name it)`},
		{`{"edge":["f1","e2","f1"]}`, `o:1:20: "f1" occurs twice: an event cannot happen before itself`},
		{`{"edge":["f1","e2`, `o:1:18: the JSON text ends too soon (at /edge/1)`},
		{`{"edge":["f1","e2\`, `o:1:18: the JSON text ends too soon (at /edge/1)`},
		{"{\"edge\":[\"f1\",\"e\x012\"]}", `o:1:17: invalid character '\x01' in string (expecting non-control character) (at /edge/1)`},
		{"{\"edge\":[\"ü\",\"e\xff2\"]}", `o:1:16: invalid UTF-8 (at /edge/1)`},
		{`{"edge":["f1","\x"]}`, "o:1:16: invalid escape sequence `\\x` in string (at /edge/1)"},
		{`{"edge":["f1","x\ud800"]}`, "o:1:17: invalid surrogate pair `\\ud800\"]}` in string (at /edge/1)"},

		{`{"edge":["ü","g1"]}`, `o:1:14: no event has the id "g1" (did you mean "f1"?)`},
		{`{"edge":["f1","xxxxxx"]}`, `o:1:15: no event has the id "xxxxxx"`},
		{`{"edge":["f1","P:2"]}`, `o:1:15: no event has the id "P:2" (event 2 of process "P" has an id of its own)`},
		{`{"edge":["f1","P:5"]}`, `o:1:15: no event has the id "P:5" (process "P" has 4 events)`},
		{`{"edge":["f1","kv-1:2"]}`, `o:1:15: no event has the id "kv-1:2" (process "kv-1" has 1 event)`},
		{`{"edge":["f1","P:01"]}`, `o:1:15: no event has the id "P:01" (did you mean "P:1"?)`},
		{`{"by":"revs"}`, `o:1:7: there is no variable "revs" (did you mean "rev"?)`},
		{`{"by":"number"}`, `o:1:7: there is no variable "number" (the variables are down, flag, mixed, never, rev, turn, word)`},
		{`{"by":"flag"}`, `o:1:7: variable "flag" is a boolean (order by a number or a string)`},
		{`{"by":"mixed"}`, `o:1:7: variable "mixed" has two types: it is a number on process "P" and a string on process "Q"`},
		{`{"by":"rev","processes":["P","kv1"]}`, `o:1:30: no process matches "kv1" (did you mean "kv-1"?)`},
		{`{"by":"rev","processes":["kv*"]}`, `o:1:26: no process that matches has the variable "rev"`},
		{`{"by":"down"}`, `o:1:7: the order by "down" contradicts the trace: P:3, which sets it to 5, happened before P:4, which sets it to 3`},
		{`{"by":"turn"}`, `o:1:7: the order by "turn" contradicts the trace: f1, which sets it to 2, happened before f4, which sets it to 1`},

		{`{"edge":["f3","e2"]}`, `o:1:15: the order f3 before e2 closes a cycle of happened-before: e2 → f3 → e2`},
		{"# x\n{\"edge\":[\"f4\",\"ü\",\"P:1\"]}", `o:2:19: the order ü before P:1 closes a cycle of happened-before: P:1 → e2 → f3 → f4 → ü → P:1`},
		{"{\"edge\":[\"e2\",\"ü\"]}\n{\"edge\":[\"ü\",\"P:1\"]}", `o:2:14: the order ü before P:1 closes a cycle of happened-before: P:1 → e2 → ü → P:1`},
		{"{\"edge\":[\"f3\",\"P:1\"]}\n{\"edge\":[\"e2\",\"f3\"]}", `o:1:15: the order f3 before P:1 closes a cycle of happened-before: P:1 → e2 → f3 → P:1`},
		{"{\"by\":\"rev\"}\n{\"edge\":[\"P:3\",\"f1\"]}", `o:2:16: the order P:3 before f1 closes a cycle of happened-before: e2 → P:3 → f1 → f2 → e2`},
		{"{\"edge\":[\"P:3\",\"f1\"]}\n{\"by\":\"rev\"}", `o:2:7: the order f2 (rev 3) before e2 (rev 4) closes a cycle of happened-before: e2 → P:3 → f1 → f2 → e2`},
	} {
		f, err := Read([]byte(test.file), "o")
		if err == nil {
			_, err = f.Apply(t.Context(), readTrace(t, sample))
		}
		var known *trace.Error
		if fmt.Sprint(err) != test.want || !errors.As(err, &known) {
			t.Errorf("%s:\n got %v\nwant %s", test.file, err, test.want)
		}
	}
	c := readTrace(t, `{"process":"P"}`)
	f, err := Read([]byte(`{"by":"x"}`), "o")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Apply(t.Context(), c); fmt.Sprint(err) != `o:1:7: there is no variable "x" (the trace has none)` {
		t.Error(err)
	}
}

// Only the first unknown id of a chain is compared with those of all events.
func TestManyUnknown(t *testing.T) {
	c := readTrace(t, strings.Repeat(`{"process":"P"}`+"\n", 100))
	allocs := func(unknown int) float64 {
		chain := `"x0"`
		for i := range unknown {
			chain += fmt.Sprintf(`,"x%d"`, i+1)
		}
		f, err := Read([]byte(`{"edge":[`+chain+`]}`), "o")
		if err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(10, func() {
			if _, err := f.Apply(t.Context(), c); err == nil {
				t.Fatal("no error")
			}
		})
	}
	if few, many := allocs(1), allocs(50); many > 2*few {
		t.Errorf("%.0f allocations for 2 unknown ids, %.0f for 51", few, many)
	}
}

func TestOpen(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "{\"by\":\"rev\"}\n{\"by\":\"rev\",\"processes\":\"P\"}\n{\"by\":\"a\"}\n"
	if err := errors.Join(os.WriteFile("o", []byte(text), 0o666), os.Mkdir("dir", 0o777)); err != nil {
		t.Fatal(err)
	}
	f, err := Open(t.Context(), "o")
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Variables(); !slices.Equal(got, []string{"a", "rev"}) {
		t.Error(got)
	}
	for path, want := range map[string]string{
		"none": "none: no such file or directory", "dir": "dir: is a directory",
	} {
		if _, err := Open(t.Context(), path); fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Orders by variables and chains are the closure of the trace and all pairs.
func TestApplyTwin(t *testing.T) {
	cfg := graphtest.DefaultConfig
	var cycles, fine, ordered int
	n := graphtest.Rounds(t, 600)
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(seed, 9))
		c := graphtest.Random(r, cfg)
		if c.NumEvents() == 0 {
			continue
		}
		var file strings.Builder
		want := graphtest.HappenedBefore(c)
		pairs := 0
		for range 1 + r.IntN(2) {
			pairs += randomStatement(r, c, &file, want)
		}
		want.Close()
		f, err := Read([]byte(file.String()), "o")
		if err != nil {
			t.Fatalf("seed %d: %s: %v", seed, file.String(), err)
		}
		d, err := f.Apply(t.Context(), c)
		if err != nil {
			var known *trace.Error
			if !errors.As(err, &known) {
				t.Fatal(err)
			}
			cycles++
			if !strings.Contains(err.Error(), "assignments of the shared variable") && !want.CycleOutside(none(len(want))) {
				t.Fatalf("seed %d: %s: %v, but there is no cycle", seed, file.String(), err)
			}
			continue
		}
		fine++
		ordered += pairs
		if !graphtest.HappenedBefore(d).Equal(want) {
			t.Fatalf("seed %d: %s: got %v, want %v", seed, file.String(), graphtest.HappenedBefore(d), want)
		}
	}
	if cycles < n/20 || fine < n/8 || ordered < n/3 {
		t.Errorf("%d contradictions, %d fine, %d pairs", cycles, fine, ordered)
	}
}

func none(n int) graphtest.Relation {
	rel := make(graphtest.Relation, n)
	for i := range rel {
		rel[i] = make([]bool, n)
	}
	return rel
}

// randomStatement writes a line and adds what it says to a relation.
func randomStatement(r *rand.Rand, c *graphs.Computation, file *strings.Builder, want graphtest.Relation) (pairs int) {
	vars := slices.DeleteFunc(slices.Clone(c.Variables()), func(v *graphs.Variable) bool { return v.Kind == graphs.Bool || v.Kind == graphs.NoKind })
	if r.IntN(3) == 0 || len(vars) == 0 {
		order := c.Order()
		at := r.Perm(len(order))[:min(len(order), 2+r.IntN(2))]
		if len(at) < 2 {
			return 0
		}
		if r.IntN(4) > 0 {
			slices.Sort(at)
		}
		ids := make([]string, len(at))
		for i, k := range at {
			ids[i] = c.ID(order[k])
			if i > 0 {
				want[order[at[i-1]]][order[k]] = true
				pairs++
			}
		}
		text, _ := json.Marshal(map[string][]string{"edge": ids})
		fmt.Fprintf(file, "%s\n", text)
		return pairs
	}
	name := vars[r.IntN(len(vars))].Name
	line := map[string]any{"by": name}
	only := -1
	if v := c.VariablesNamed(name); v[0].Process != graphs.Shared && r.IntN(3) == 0 {
		only = v[r.IntN(len(v))].Process
		line["processes"] = []string{c.Processes()[only]}
	}
	text, _ := json.Marshal(line)
	fmt.Fprintf(file, "%s\n", text)
	smaller := func(x, y graphs.Value) bool {
		if x.Kind == graphs.String {
			return x.Text() < y.Text()
		}
		return x.Compare(y) < 0
	}
	for _, v := range c.VariablesNamed(name) {
		for _, w := range c.VariablesNamed(name) {
			for i, e := range v.Events() {
				for k, f := range w.Events() {
					if (only < 0 || c.Process(e) == only && c.Process(f) == only) && smaller(v.Value(i), w.Value(k)) {
						want[e][f] = true
						pairs++
					}
				}
			}
		}
	}
	return pairs
}

func TestMatches(t *testing.T) {
	for _, test := range []struct {
		pattern, name string
		want          bool
	}{
		{"", "", true}, {"*", "", true}, {"?", "", false}, {"kv*", "kv1", true}, {"kv*", "xkv1", false}, {"*1", "kv11", true},
		{"?v", "üv", true}, {"?", "ü", true}, {"a*b*c", "abxbcbc", true}, {"a*b*c", "abxbcb", false}, {"*ü?", "aüüb", true}, {"ab", "a", false},
	} {
		if got := trace.Match(test.pattern, test.name, true); got != test.want {
			t.Errorf("%q %q: %v", test.pattern, test.name, got)
		}
	}
}

// FuzzRead compares with encoding/json: both read the same, and each refusal has a position in its
// line.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		`{"edge":["e1","f1","g1"]}`, "# x\n\n{\"by\":\"revision\",\"processes\":[\"kv*\"]}\r\n", `{"by":"\u00fc","processes":"a"}`,
		`{"edge":["\ud83d\ude00","⊥"]}`, `{"edge":[],"edge":1}`, "{\"by\":\"\xff\"}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Read([]byte(text), "o")
		lines := strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
		if err != nil {
			var known *trace.Error
			if !errors.As(err, &known) || known.Line < 1 || known.Line > len(lines) || known.Column < 1 || known.Column > len([]rune(lines[known.Line-1]))+1 {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		k := 0
		for i, line := range lines {
			if line = strings.Trim(line, " \t\r"); line == "" || line[0] == '#' {
				continue
			}
			st := file.statements[k]
			k++
			var want struct {
				Edge      []string `json:"edge"`
				By        string   `json:"by"`
				Processes any      `json:"processes"`
			}
			d := json.NewDecoder(strings.NewReader(line))
			d.DisallowUnknownFields()
			if err := d.Decode(&want); err != nil || st.line != i+1 {
				t.Fatalf("line %d, %q: %v", i+1, line, err)
			}
			words := func(all []word) string { return fmt.Sprint(len(all), texts(all)) }
			if words(st.chain) != fmt.Sprint(len(want.Edge), quoted(want.Edge)) || st.by.text != want.By {
				t.Fatalf("%q: %v, want %v", line, st, want)
			}
			patterns := texts(st.processes)
			switch p := want.Processes.(type) {
			case string:
				if !slices.Equal(patterns, quoted([]string{p})) {
					t.Fatalf("%q: %v", line, patterns)
				}
			case []any:
				if len(p) != len(patterns) {
					t.Fatalf("%q: %v", line, patterns)
				}
			}
			for _, w := range st.chain {
				if runes := []rune(lines[i]); i > 0 && runes[w.column-1] != '"' {
					t.Fatalf("%q: %v", line, w)
				}
			}
		}
		if k != len(file.statements) {
			t.Fatalf("%q: %d statements, want %d", text, len(file.statements), k)
		}
	})
}

func texts(all []word) []string {
	var t []string
	for _, w := range all {
		t = append(t, w.text)
	}
	return quoted(t)
}

func quoted(all []string) []string {
	q := make([]string, len(all))
	for i, s := range all {
		q[i] = strconv.Quote(s)
	}
	return q
}
