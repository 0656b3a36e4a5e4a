package shiviz

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
)

const logs = "../../../testdata/traces/shiviz/"

func read(path string, opts Options) ([]trace.Execution, error) {
	source, err := trace.Open(path)
	if err != nil {
		return nil, err
	}
	return Read(context.Background(), source, opts)
}

func readText(t testing.TB, text string, opts Options) ([]trace.Execution, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("x.log", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return read("x.log", opts)
}

func readOne(t testing.TB, text string, opts Options) *graphs.Computation {
	t.Helper()
	all, err := readText(t, text, opts)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 || all[0].Name != "" {
		t.Fatalf("%d executions, the first called %q", len(all), all[0].Name)
	}
	return all[0].Computation
}

// count finds, in any layout, the words before a clock that have an entry in it.
func count(text string) map[string]int {
	hosts := make(map[string]int)
	for _, m := range regexp.MustCompile(`([^\s/]+?)\]? ({"[^}]*})`).FindAllStringSubmatch(text, -1) {
		var clock map[string]int
		for _, host := range []string{m[1], m[1] + "]"} {
			if json.Unmarshal([]byte(m[2]), &clock) == nil && clock[host] > 0 {
				hosts[host]++
				break
			}
		}
	}
	return hosts
}

// TestLogs reads real logs and compares the counts of their events.
func TestLogs(t *testing.T) {
	for name, layout := range map[string]string{
		"RpcClientServer.log": "upload file", "chord.log": "GoVector", "simpledb.log": "ShiViz",
		"voldemort.log": "ShiViz", "simple-reliable-broadcast.log": "actor",
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(logs + name)
			if err != nil {
				t.Fatal(err)
			}
			all, err := read(logs+name, Options{Options: trace.Options{Names: true}})
			if err != nil {
				t.Fatal(err)
			}
			if len(all) != 1 || all[0].Layout != layout {
				t.Fatalf("%d executions, layout %s", len(all), all[0].Layout)
			}
			got := make(map[string]int)
			c := all[0].Computation
			for p, host := range c.Processes() {
				got[host] = c.Len(p)
			}
			if want := count(string(text)); !maps.Equal(got, want) {
				t.Errorf("got %v\nwant %v", got, want)
			}
			checkLabels(t, c, string(text))
			checkEdges(t, c, string(text))
		})
	}
}

func checkLabels(t *testing.T, c *graphs.Computation, text string) {
	for e := graphs.Event(1); e < c.Top(); e++ {
		if c.Label(e) == "" || !strings.Contains(text, c.Label(e)) {
			t.Errorf("%s: label %q", c.ID(e), c.Label(e))
		}
	}
}

// checkEdges compares happened-before, as vector clocks, with the clocks in the
// text.
func checkEdges(t *testing.T, c *graphs.Computation, text string) {
	all := make(graphs.Cut, c.NumProcesses())
	for p := range all {
		all[p] = int32(c.Len(p))
	}
	known := make([]graphs.Cut, c.NumEvents()+2)
	for _, e := range c.Topological(make(graphs.Cut, len(all)), all) {
		cut := make(graphs.Cut, len(all))
		if c.Position(e) > 1 {
			cut = known[e-1].Clone()
		}
		for _, f := range c.Preds(e) {
			cut = cut.Join(known[f])
		}
		cut[c.Process(e)]++
		known[e] = cut
	}
	checked := 0
	for _, m := range regexp.MustCompile(`([^\s/]+?)\]? ({"[^}]*})`).FindAllStringSubmatch(text, -1) {
		var clock map[string]int32
		if json.Unmarshal([]byte(m[2]), &clock) != nil {
			continue
		}
		host := m[1]
		if clock[host] == 0 {
			host += "]"
		}
		p, ok := c.ProcessNumber(host)
		if !ok {
			continue
		}
		checked++
		got := known[c.Event(p, int(clock[host]))]
		for q, name := range c.Processes() {
			if got[q] < clock[name] {
				t.Errorf("%s: %v, but the log has %v", host, got, clock)
			}
		}
	}
	if checked != c.NumEvents() {
		t.Errorf("%d of %d events checked", checked, c.NumEvents())
	}
}

// TestTLC reads the three executions in one file.
func TestTLC(t *testing.T) {
	sections := strings.Split(string(graphtest.Uncompressed(t, logs+"ewd998.log.gz")), "\n=== ")
	if len(sections) != 3 {
		t.Fatal(len(sections))
	}
	all, err := read(logs+"ewd998.log.gz", Options{Options: trace.Options{Names: true}})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 {
		t.Fatalf("%d executions", len(all))
	}
	for i, e := range all {
		c := e.Computation
		if e.Name != fmt.Sprint(i+1) || e.Layout != "TLC" {
			t.Errorf("%q, layout %s", e.Name, e.Layout)
		}
		for p, host := range c.Processes() {
			if want := strings.Count(sections[i], "/\\ Host = "+host+"\n"); c.Len(p) != want {
				t.Errorf("%s has %d events, want %d", host, c.Len(p), want)
			}
			for name, kind := range map[string]graphs.Kind{"active": graphs.Bool, "color": graphs.String, "counter": graphs.Number} {
				if v := c.Variable(p, name); v == nil || v.Kind != kind || v.Len() != c.Len(p) {
					t.Errorf("%s@%s is %+v", name, host, v)
				}
			}
		}
	}
	c := all[0].Computation
	n2, _ := c.ProcessNumber("n2")
	color := c.Variable(n2, "color")
	if color.Value(-1).Text() != "white" || color.Value(0).Text() != "black" {
		t.Errorf("color of n2 is %v, then %v", color.Value(-1), color.Value(0))
	}
	if counter := c.Variable(n2, "counter"); counter.Value(0).Int64() != -1 {
		t.Errorf("counter of n2 is %v", counter.Value(0))
	}
	if active := c.Variable(n2, "active"); !active.Value(-1).Bool() {
		t.Error("n2 is not active at first")
	}
	if label := c.Label(c.Event(n2, 1)); !strings.HasPrefix(label, "RecvMsg line 133") {
		t.Error(label)
	}
}

func TestLayouts(t *testing.T) {
	for layout, text := range map[string]string{
		"TSViz":    "1234567890123 start\na {\"a\":1}\n1234567890124 go on x=1\nb {\"b\":1,\"a\":1}\n",
		"ShiViz":   "start\na {\"a\":1}\ngo on x=1\nb {\"b\":1,\"a\":1}\n",
		"GoVector": "a {\"a\":1}\nstart\nb {\"b\":1,\"a\":1}\ngo on x=1\n",
		"TLC": "State 2: <start line 1>\n/\\ Host = a\n/\\ Clock = \"{\\\"a\\\":1}\"\n\n" +
			"State 3: <go>\n/\\ Host = b\n/\\ x = (a :> 0 @@ b :> 1)\n/\\ Clock = \"{\\\"a\\\":1, \\\"b\\\":1}\"\n",
		"actor": "[INFO] [akka://X/user/a] {\"a\":1} start\n[INFO] [akka://X/user/b] {\"a\" : 1, \"b\" : 1} go on x=1\n",
		"plain": "a {\"a\":1} start\nb {\"b\":1,\"a\":1} go on x=1\n",
	} {
		for _, end := range []string{"\n", "\r\n"} {
			t.Run(layout+fmt.Sprintf("%q", end), func(t *testing.T) {
				all, err := readText(t, strings.ReplaceAll(text, "\n", end), Options{Options: trace.Options{Names: true}})
				if err != nil {
					t.Fatal(err)
				}
				c := all[0].Computation
				if all[0].Layout != layout || c.NumEvents() != 2 || c.NumEdges() != 1 {
					t.Fatalf("layout %s, %d events, %d edges", all[0].Layout, c.NumEvents(), c.NumEdges())
				}
				if !strings.HasPrefix(c.Label(1), "start") || !strings.HasPrefix(c.Label(2), "go") {
					t.Errorf("labels %q and %q", c.Label(1), c.Label(2))
				}
				if x := c.Variable(1, "x"); x == nil || x.Kind != graphs.Number || x.Value(0).Int64() != 1 {
					t.Errorf("x is %+v", x)
				}
				if layout == "TSViz" && c.Time(1) != "1234567890123" {
					t.Errorf("time %q", c.Time(1))
				}
			})
		}
	}
}

func TestUploadFile(t *testing.T) {
	const text = `(?<event>\w+) (?<level>\w+) (?<host>\S+) (?<clock>{.*})
^== (?<trace>.*) ==$
boot INFO a {"a":1}
== second ==
boot INFO a {"a":1}
crash FATAL b {"b":1,"a":1}
== third ==
== second ==
boot INFO a {"a":1}
`
	all, err := readText(t, text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range all {
		got = append(got, fmt.Sprint(e.Name, " ", e.Computation.NumEvents()))
	}
	if want := []string{"1 1", "second 2", "3 1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if v := all[1].Computation.Variable(1, "level"); v == nil || v.Value(0).Text() != "FATAL" {
		t.Errorf("level of b is %+v", v)
	}
}

func TestVariables(t *testing.T) {
	const text = `a {"a":1}
term=3 role=leader ok=TRUE (load=0.5) name="x y" again=1 again=2
b {"b":1}
term=4, ok=false mixed=1 path=/a=b 007=x zip=007
a {"a":2}
mixed=true term=5
`
	c := readOne(t, text, Options{})
	for _, want := range []struct {
		process int
		name    string
		values  string
	}{
		{0, "term", "0 3 5"}, {1, "term", "0 4"}, {0, "role", `"" "leader"`}, {0, "ok", "false true"},
		{0, "load", "0 0.5"}, {0, "name", `"" "x y"`}, {0, "again", "0 2"},
		{0, "mixed", `"" "true"`}, {1, "mixed", `"" "1"`}, {1, "path", `"" "/a"`}, {1, "zip", `"" "007"`},
	} {
		v := c.Variable(want.process, want.name)
		if v == nil {
			t.Errorf("no %s", want.name)
			continue
		}
		values := v.Init.String()
		for i := range v.Len() {
			values += " " + v.Value(i).String()
		}
		if values != want.values {
			t.Errorf("%s@%d: %s, want %s", want.name, want.process, values, want.values)
		}
	}
	if c.Variable(1, "007") != nil {
		t.Error("a number is a name")
	}
}

func TestAssign(t *testing.T) {
	c := readOne(t, "a {\"a\":1}\nbecame leader at term 7, x=1\n", Options{
		Options: trace.Options{Variables: map[string]bool{"term": true}},
		Assign:  []string{`term (?<term>\d+)`, `became (?<role>\w+)`},
	})
	if v := c.Variable(0, "term"); v == nil || v.Value(0).Int64() != 7 {
		t.Errorf("term is %+v", v)
	}
	if v := c.Variable(0, "role"); v == nil || v.Len() != 0 || v.Kind != graphs.String {
		t.Errorf("role is %+v", v)
	}
	if c.Variable(0, "x") != nil {
		t.Error("x is assigned although expressions are given")
	}
}

func TestRefused(t *testing.T) {
	for _, test := range []struct {
		text string
		opts Options
		want string
	}{
		{"nothing here\n", Options{}, "x.log: no event with a vector clock in any layout known"},
		{"a {\"a\":1}\nx\na {\"a\":3}\ny\n", Options{}, `x.log:3:3: an event of "a" has 3 as its own entry, but there is none with 2`},
		{"a {\"a\":1}\nx\na {\"a\":1}\ny\n", Options{}, `x.log:3:3: two events of "a" have 1 as their own entry`},
		{"a {\"a\":1}\nx\na {\"b\":1}\ny\n", Options{}, `x.log:3:3: the clock of an event of "a" has no entry of its own`},
		{"a {\"a\":1, \"c\":1}\nx\n", Options{}, `x.log:1:3: the clock has an entry for an unknown process "c": this is the log of "a" alone; give the directory that holds the logs of all hosts`},
		{"run 1\ne\na {\"a\":1}\nrun 2\nx\na {\"a\":1}\ny\nb {\"b\":1}\n", Options{}, `x.log:6:3: two events of "a" have 1 as their own entry; the log seems to hold 2 executions: give --delimiter '^run (?<trace>\d+)$', which separates them`},
		{"run 1\ne\na {\"a\":1}\ntick 1\ne\na {\"a\":2}\ntick 2\nrun 2\nx\na {\"a\":1}\n", Options{}, `x.log:10:3: two events of "a" have 1 as their own entry; the log seems to hold 2 executions: give --delimiter '^run (?<trace>\d+)$', which separates them`},
		{"x\na {\"a\":1}\n-- [b] --\nx\na {\"a\":1}\n", Options{}, `x.log:5:3: two events of "a" have 1 as their own entry; the log seems to hold 2 executions: give --delimiter '^-- (?<trace>.*) --$', which separates them`},
		{"a {\"a\":1, \"b\":2}\nx\nb {\"b\":1}\ny\n", Options{}, `x.log:1:3: the clock is ahead: process "b" has 1 event, not 2`},
		{"a {\"a\":1, \"b\":-2}\nx\nb {\"b\":1}\ny\n", Options{}, `x.log:1:3: the clock has -2 for "b"`},
		{"a {\"a\":1}\nx\na {\"a\":2}\ny\nb {\"b\":1,\"a\":2}\nz\nb {\"b\":2,\"a\":1}\nz\n", Options{}, `x.log:7:3: the clock of process "b" runs backwards: its entry for "a" was 2 and is now 1`},
		{"a {\"a\":1,\"b\":1}\nx\nb {\"b\":1,\"a\":1}\ny\n", Options{}, `x.log:3:3: cycle of happened-before: a:1 → b:1 → a:1`},
		{"a {\"a\":1}\nx\né {\"é\":one}\ny\n", Options{}, `x.log:3:3: "{\"é\":one}" is not a vector clock`},
		{"a {\"a\":1}\nx\n", Options{Regexp: "("}, "x.log: the regular expression \"(\""},
		{"a {\"a\":1}\nx\n", Options{Regexp: "(?<host>.*)"}, `x.log: the regular expression "(?<host>.*)" has no group (?<clock>…)`},
		{"a {\"a\":1}\nx\n", Options{Delimiter: "("}, "x.log: the regular expression \"(\" between executions"},
		{"a {\"a\":1}\nx\n", Options{Assign: []string{"("}}, "x.log: the regular expression \"(\" for assignments"},
		{"a {\"a\":1}\nx\n", Options{Assign: []string{"x"}}, "x.log: the regular expression \"x\" for assignments has no named group"},
		{"a {\"a\":1}\nx\n", Options{Regexp: "X(?<host>.*)(?<clock>.*)"}, "x.log: no event: the layout given expression finds none"},
	} {
		_, err := readText(t, test.text, test.opts)
		var e *trace.Error
		if !errors.As(err, &e) || !strings.HasPrefix(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q %+v:\ngot  %v\nwant %s", test.text, test.opts, err, test.want)
		}
	}
}

// Random texts that are clocks, or almost, are read as encoding/json reads them.
func TestClockTwin(t *testing.T) {
	r, clocks := rand.New(rand.NewPCG(1, 1)), 0
	pieces := []string{"{", "}", `"`, `"a"`, `"b c"`, ":", ",", " ", "0", "01", "7", "12", "-3", "1e2", "999999999999999999", "9223372036854775808", `"\u0061"`, "\"\x1f\"", `"é"`, "null", "\n"}
	for range 50_000 {
		text := ""
		for i := range r.IntN(4) {
			text += []string{"", ","}[min(i, 1)] + pieces[2+r.IntN(3)] + ":" + pieces[8+r.IntN(3)]
		}
		text = "{" + text + "}"
		for range r.IntN(3) {
			i := r.IntN(len(text) + 1)
			text = text[:i] + pieces[r.IntN(len(pieces))] + text[min(len(text), i+r.IntN(2)):]
		}
		text = strings.ToValidUTF8(text, "\uFFFD") // as in a log that is scanned
		var want map[string]int64
		err := json.Unmarshal([]byte(text), &want)
		got, ok := scanClock(text)
		if ok != (err == nil && want != nil) || ok && !maps.Equal(got, want) {
			t.Fatalf("%s: %v, %t, and by encoding/json %v, %v", text, got, ok, want, err)
		}
		if ok {
			clocks++
		}
	}
	if clocks < 5_000 {
		t.Errorf("%d texts were clocks", clocks)
	}
}

// TestDirectory reads a log for each process.
func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.log": "a {\"a\":1}\nx\na {\"a\":2,\"b\":1}\ny\n",
		"b.log": "b {\"b\":1}\nx\n",
		".hide": "a {\"a\":1}\nx\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	all, err := read(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c := all[0].Computation; len(all) != 1 || c.NumEvents() != 3 || c.NumEdges() != 1 {
		t.Errorf("%d executions, %d events, %d edges", len(all), c.NumEvents(), c.NumEdges())
	}
}

func TestOwnEntry(t *testing.T) {
	for _, test := range []struct{ text, host, want string }{
		{"(n1 :> TRUE @@ n2 :> FALSE)", "n2", "FALSE"},
		{`("n1" :> "a @@ b" @@ "n2" :> <<1, (x :> 2)>>)`, "n1", `"a @@ b"`},
		{`("n1" :> "a" @@ "n2" :> <<1, (x :> 2 @@ y :> 3)>>)`, "n2", `<<1, (x :> 2 @@ y :> 3)>>`},
		{"[n1 |-> 1, n2 |-> [a |-> 2, b |-> 3]]", "n2", "[a |-> 2, b |-> 3]"},
		{"(n1 :> TRUE)", "n3", "(n1 :> TRUE)"},
		{"(1 + 2)", "n3", "(1 + 2)"},
		{"{n1, n2}", "n1", "{n1, n2}"},
		{`(n1 :> "`, "n1", `(n1 :> "`},
	} {
		if got := ownEntry(test.text, test.host); got != test.want {
			t.Errorf("%s for %s: %s, want %s", test.text, test.host, got, test.want)
		}
	}
}

func FuzzShiviz(f *testing.F) {
	for _, name := range []string{"RpcClientServer.log", "simple-reliable-broadcast.log"} {
		text, err := os.ReadFile(logs + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("State 1: <Init>\n/\\ x = (a :> 1 @@ b :> 2)\n\nState 2: <A>\n/\\ Host = a\n/\\ Clock = \"{\\\"a\\\":1}\"\n/\\ x = (a :> 2\n  @@ b :> TRUE)\n"))
	f.Add([]byte("run 1\ne\na {\"a\":1}\n=== x ===\ne\na {\"a\":1}\n"))
	f.Add([]byte("start\na {\"a\":1}\ngo on x=1\nb {\"b\":1,\"a\":1}\n"))
	file := filepath.Join(f.TempDir(), "x.log")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		all, err := read(file, Options{Options: trace.Options{Names: true}})
		var e *trace.Error
		if err != nil && (!errors.As(err, &e) || strings.ContainsAny(e.Msg, "\r\n")) {
			t.Fatalf("%q", err)
		}
		for _, x := range all {
			var b strings.Builder
			if err := native.Write(&b, x.Computation, nil); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "x.jsonl")
			if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
				t.Fatal(err)
			}
			c, err := native.ReadFile(context.Background(), file, trace.Options{})
			if err != nil {
				t.Fatalf("%v\n%s", err, b.String())
			}
			if c.NumEvents() != x.Computation.NumEvents() || c.NumEdges() != x.Computation.NumEdges() {
				t.Fatalf("%d events and %d edges, natively %d and %d", x.Computation.NumEvents(), x.Computation.NumEdges(), c.NumEvents(), c.NumEdges())
			}
		}
	})
}
