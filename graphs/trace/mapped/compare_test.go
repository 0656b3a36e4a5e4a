package mapped

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// scratch is where tests write logs.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "mapped"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(scratch)
	os.Exit(code)
}

func readFile(t testing.TB, path string, m *Mapping, opts trace.Options) (*graphs.Computation, error) {
	t.Helper()
	source, err := trace.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return m.Read(context.Background(), source, opts)
}

func readText(t testing.TB, text string, m *Mapping, opts trace.Options) (*graphs.Computation, error) {
	t.Helper()
	path := filepath.Join(scratch, "x.log")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return readFile(t, path, m, opts)
}

// describe writes down all that a computation says.
func describe(c *graphs.Computation) string {
	var b strings.Builder
	for p, name := range c.Processes() {
		fmt.Fprintf(&b, "%s:", name)
		for k := 1; k <= c.Len(p); k++ {
			e := c.Event(p, k)
			fmt.Fprintf(&b, " %q %s", c.Label(e), c.Time(e))
		}
		b.WriteByte('\n')
	}
	var lines []string
	for _, v := range c.Variables() {
		s := fmt.Sprintf("%s@%s %s %s:", v.Name, c.Processes()[v.Process], v.Kind, v.Init)
		cut := c.Initial().Clone()
		for k := 1; k <= c.Len(v.Process); k++ {
			cut[v.Process] = int32(k)
			s += " " + v.At(c, cut).String()
		}
		lines = append(lines, s)
	}
	sort.Strings(lines)
	b.WriteString(strings.Join(lines, "\n") + "\n")
	lines = nil
	for _, m := range c.Messages() {
		to := ""
		switch {
		case m.Recv != graphs.Bottom:
			to = fmt.Sprintf("%s:%d", c.Processes()[c.Process(m.Recv)], c.Position(m.Recv))
		case m.To >= 0:
			to = c.Processes()[m.To]
		}
		lines = append(lines, fmt.Sprintf("%s:%d > %s", c.Processes()[c.Process(m.Send)], c.Position(m.Send), to))
	}
	sort.Strings(lines)
	b.WriteString(strings.Join(lines, "\n") + "\n")
	for p := range c.Processes() {
		before := c.LastBefore(p)
		for q := range c.Processes() {
			for k := 1; k <= c.Len(q); k++ {
				fmt.Fprintf(&b, "%d ", before[c.Event(q, k)])
			}
		}
	}
	return b.String()
}

// describe writes down the same.
func (l *twinLog) describe() string {
	var b strings.Builder
	for _, p := range l.processes {
		fmt.Fprintf(&b, "%s:", p)
		for _, e := range l.byProcess[p] {
			fmt.Fprintf(&b, " %q %s", e.label, e.time)
		}
		b.WriteByte('\n')
	}
	lines := l.describeVariables()
	sort.Strings(lines)
	b.WriteString(strings.Join(lines, "\n") + "\n")
	lines = nil
	for _, s := range l.sends {
		to := ""
		switch {
		case s.recv != nil:
			to = fmt.Sprintf("%s:%d", s.recv.process, s.recv.position)
		case s.to != "":
			to = l.receiver(s)
		}
		lines = append(lines, fmt.Sprintf("%s:%d > %s", s.event.process, s.event.position, to))
	}
	sort.Strings(lines)
	b.WriteString(strings.Join(lines, "\n") + "\n")
	for _, p := range l.processes {
		for _, q := range l.processes {
			for _, e := range l.byProcess[q] {
				fmt.Fprintf(&b, "%d ", l.lastBefore(p, e))
			}
		}
	}
	return b.String()
}

// lastBefore returns the position of the last event of p that happened before e.
func (l *twinLog) lastBefore(p string, e *twinEvent) int {
	seen := make(map[*twinEvent]bool)
	last := 0
	var visit func(e *twinEvent)
	visit = func(e *twinEvent) {
		if seen[e] {
			return
		}
		seen[e] = true
		if e.process == p {
			last = max(last, e.position)
		}
		for _, f := range l.edges[e] {
			visit(f)
		}
	}
	visit(e)
	return last
}

func twinKind(v any) graphs.Kind {
	switch v.(type) {
	case bool:
		return graphs.Bool
	case graphs.Value:
		return graphs.Number
	}
	return graphs.String
}

func (l *twinLog) describeVariables() []string {
	kinds := make(map[string]graphs.Kind)
	note := func(name string, v any) {
		k := twinKind(v)
		if old, ok := kinds[name]; ok && old != k {
			k = graphs.String
		}
		kinds[name] = k
	}
	for _, e := range l.events {
		for _, s := range e.sets {
			note(s.name, s.value)
		}
	}
	initial, _ := l.mapping["initial"].(map[string]any)
	constants := make(map[string]any)
	for name, v := range initial {
		constants[name], _ = twinValue(v, false)
		note(name, constants[name])
	}
	value := func(name string, v any) graphs.Value {
		switch x := v.(type) {
		case bool:
			if kinds[name] == graphs.String {
				return graphs.Str(fmt.Sprint(x))
			}
			return graphs.Boolean(x)
		case graphs.Value:
			if kinds[name] == graphs.String {
				return graphs.Str(x.String())
			}
			return x
		}
		return graphs.Str(v.(string))
	}
	var lines []string
	for _, p := range l.processes {
		names := make(map[string]bool)
		for name := range constants {
			names[name] = true
		}
		for _, e := range l.byProcess[p] {
			for _, s := range e.sets {
				names[s.name] = true
			}
		}
		for name := range names {
			first, now := graphs.Zero(kinds[name]), graphs.Value{}
			if v, ok := constants[name]; ok {
				first = value(name, v)
				now = first
			}
			assigned := false
			var history []graphs.Value
			for _, e := range l.byProcess[p] {
				before := now
				for _, s := range e.sets {
					switch {
					case s.name != name:
					case s.prev:
						if before.Kind == graphs.NoKind && now.Kind == graphs.NoKind && !assigned {
							first = value(name, s.value)
							now, before = first, first
						}
					case s.add && now.Kind != graphs.NoKind:
						now = now.Add(value(name, s.value))
						assigned = true
					default:
						now = value(name, s.value)
						assigned = true
					}
				}
				if before.Kind == graphs.NoKind && now.Kind != graphs.NoKind && l.mapping["initial"] == "first" {
					first = now
				}
				history = append(history, now)
			}
			s := fmt.Sprintf("%s@%s %s %s:", name, p, kinds[name], first)
			for _, v := range history {
				if v.Kind == graphs.NoKind {
					v = first
				}
				s += " " + v.String()
			}
			lines = append(lines, s)
		}
	}
	return lines
}

// addsToStrings reports whether a number is added to a variable that is a string
// elsewhere, which the twin does not check.
func (l *twinLog) addsToStrings() bool {
	kinds := make(map[string]map[graphs.Kind]bool)
	adds := make(map[string]bool)
	note := func(name string, v any) {
		if kinds[name] == nil {
			kinds[name] = make(map[graphs.Kind]bool)
		}
		kinds[name][twinKind(v)] = true
	}
	for _, e := range l.events {
		for _, s := range e.sets {
			note(s.name, s.value)
			adds[s.name] = adds[s.name] || s.add
		}
	}
	if initial, ok := l.mapping["initial"].(map[string]any); ok {
		for name, v := range initial {
			x, _ := twinValue(v, false)
			note(name, x)
		}
	}
	for name := range adds {
		if adds[name] && (len(kinds[name]) > 1 || !kinds[name][graphs.Number]) {
			return true
		}
	}
	return false
}

// compare reads a log with the reader and the twin; it reports whether it was right.
func compare(t *testing.T, mapping, text string) bool {
	t.Helper()
	m, err := Parse("x.json", []byte(mapping))
	if err != nil {
		t.Fatalf("%v\n%s", err, mapping)
	}
	c, err := readText(t, text, m, trace.Options{Names: true})
	l, wrong := readTwin(mapping, text)
	if wrong == nil && l.addsToStrings() {
		wrong = errTwin
	}
	var e *trace.Error
	if errors.As(err, &e) && e.Msg == "a name that the mapping needs is there twice" {
		return false // the twin takes the last
	}
	if err != nil && e == nil || (err == nil) != (wrong == nil) {
		t.Fatalf("error %v, twin %v\n%s\n%s", err, wrong, mapping, text)
	}
	if err != nil {
		return false
	}
	if got, want := describe(c), l.describe(); got != want {
		t.Fatalf("got\n%s\nwant\n%s\nmapping\n%s\nlog\n%s", got, want, mapping, text)
	}
	return true
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// randomMapping returns a mapping for the logs of randomLog.
func randomMapping(r *rand.Rand, clocks bool) string {
	keys := []string{pick(r, `"process":"/p"`, `"process":{"fields":["/p"],"format":"n%s"}`, `"process":{"fields":["/a/p~01","/p"],"format":"%s(%s)"}`)}
	if clocks {
		keys = append(keys, `"clock":"/vc"`)
	}
	maybe := func(key ...string) {
		if r.IntN(4) > 0 {
			keys = append(keys, pick(r, key...))
		}
	}
	maybe(`"events":{"/n":{"not":null}}`, `"events":{"/n":["s*","r*","*l","x"]}`, `"events":[{"/n":"s*"},{"/n":"r*"},{"/b":[true,1.0]}]`)
	maybe(`"label":"/n"`, `"label":{"fields":["/n","/b"],"format":"%s-%s%%"}`)
	maybe(`"time":"/t"`)
	unsent := pick(r, "true", "true", "false")
	maybe(`"messages":[{"send":{"when":{"/n":"s*"},"key":["/k"],"to":`+pick(r, `"/to"`, `{"fields":["/to"],"format":"*%s*"}`)+`},"receive":{"when":{"/n":"r*"},"key":["/k"],"unsent":`+unsent+`}`+pick(r, "", `,"lost":{"when":{"/n":"l"},"key":["/k"]}`)+`}]`,
		`"messages":[{"each":"/els","when":{"/b":{"not":false}},"send":{"where":{"/w":"s"},"key":["/i","/v"]},"receive":{"where":{"/w":["r","q*"]},"key":["/i","/v"],"unsent":`+unsent+`}}]`)
	variables := []string{`"v":"/v"`, `"n":"/n"`, `"o":{"at":"/els/1"}`, `"tla":{"at":"/tla","decode":"tla"}`,
		`"c":[{"when":{"/n":"s*"},"add":1},{"when":{"/n":"r*"},"add":-0.5},{"when":{"/b":true},"value":7}]`}
	r.Shuffle(len(variables), func(i, j int) { variables[i], variables[j] = variables[j], variables[i] })
	variables = variables[:r.IntN(len(variables)+1)]
	if len(variables) > 0 {
		keys = append(keys, `"variables":{`+strings.Join(variables, ",")+`}`)
	}
	writes := r.IntN(2) == 0
	if writes {
		keys = append(keys, `"writes":[{"each":"/els","where":{"/w":["s","w"]},"name":"/x","rename":{"y":"z"},"index":"/i","own":"/o","value":"/v","previous":"/u"`+pick(r, "", `,"decode":"tla"`)+`}]`)
	}
	if r.IntN(3) == 0 {
		keys = append(keys, `"initial":"first"`)
	} else if writes {
		maybe(`"initial":{"x":1,"v":true,"z":"a"}`)
	}
	return "{" + strings.Join(keys, ", ") + "}"
}

// randomLog returns a log, mostly one that is right.
func randomLog(r *rand.Rand, clocks bool, wrong bool) string {
	n := 1 + r.IntN(4)
	names := []string{"1", `"b"`, `"c d"`, `"é"`}[:n]
	vc := make([][]int, n)
	for p := range vc {
		vc[p] = make([]int, n)
	}
	type flight struct {
		key string
		vc  []int
	}
	var pending []flight
	var lines []string
	value := func() string {
		return pick(r, "1", "-2", "1.0", "2.5", "1e1", "true", "false", `"a"`, `"a\tb"`, "null", "[1, 2]", `{"b":1,"a":[ ]}`, `"TRUE"`, `"3"`, `"\"q\""`, `"defaultInitValue"`)
	}
	same := pick(r, `1`, `"a"`, `true`)
	element := func(w, v string) string {
		return fmt.Sprintf(`{"w":%q,"x":%q,"i":%s,"o":%s,"v":%s,"u":%s}`, w, pick(r, "x", "y", "v"), pick(r, "[]", "[1]", `["1"]`, `[2,"a"]`, "null", "1"), pick(r, "1", `"1"`, "null"), v, pick(r, "null", v, same))
	}
	for range r.IntN(12) {
		p := r.IntN(n)
		vc[p][p]++
		name, key, els := pick(r, "x", "yl"), "", []string{}
		switch k := r.IntN(4); {
		case k == 0:
			name = pick(r, "send", "s")
			key = pick(r, "1", `"1"`, `{"a":1,"b":[2]}`)
			pending = append(pending, flight{key, slices.Clone(vc[p])})
			els = append(els, element("s", key))
		case k == 1 && len(pending) > 0:
			i := r.IntN(len(pending))
			name = pick(r, "recv", "r")
			key = pending[i].key
			for q, c := range pending[i].vc {
				if q != p {
					vc[p][q] = max(vc[p][q], c)
				}
			}
			if key[0] == '{' && r.IntN(2) == 0 {
				key = `{ "b" : [2.0], "a":1 }`
			}
			els = append(els, element("r", key))
			if r.IntN(6) > 0 {
				pending = slices.Delete(pending, i, i+1)
			}
		case k == 2 && len(pending) > 0 && r.IntN(3) == 0:
			name = "l"
			key = pending[0].key
			pending = pending[1:]
		}
		for range r.IntN(3) {
			els = append(els, element(pick(r, "w", "q"), pick(r, same, value())))
		}
		fields := []string{`"p":` + names[p], fmt.Sprintf(`"n":%q`, name), `"a":{"p~1":0,"p1":"z"}`, `"els":[` + strings.Join(els, ",") + `]`}
		if key != "" {
			fields = append(fields, `"k":`+key)
		} else if r.IntN(2) == 0 {
			fields = append(fields, `"k":1`)
		}
		if clocks {
			fields = append(fields, `"vc":`+clockText(r, names, vc[p]))
		}
		fields = append(fields, `"v":`+pick(r, same, same, value()), `"b":`+pick(r, "true", "false", "1", `"é"`), `"to":`+pick(r, append(names, `"zz"`, "null")...),
			`"t":`+pick(r, "1.5", `"2024-01-01T00:00:00Z"`, `"12"`, "null"), `"tla":`+pick(r, `"TRUE"`, `"1"`, `"<<1, 2>>"`, `"\"s\""`, `"defaultInitValue"`, "3"))
		r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
		lines = append(lines, "{"+strings.Join(fields, pick(r, ",", ", "))+"}"+pick(r, "", "\r"))
		if r.IntN(5) == 0 {
			lines = append(lines, pick(r, "", "  ", `{"other":[1,{"p":2}]}`, `{"n":null}`))
		}
	}
	if clocks && r.IntN(2) == 0 {
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	}
	text := strings.Join(lines, "\n")
	if wrong && len(text) > 0 {
		i := r.IntN(len(text))
		text = text[:i] + pick(r, "", `"`, "1", "}", "é", "\n", "-", "null") + text[i+r.IntN(2):]
	}
	return text
}

func clockText(r *rand.Rand, names []string, vc []int) string {
	var entries []string
	pairs := r.IntN(2) == 0
	for q, count := range vc {
		switch {
		case count == 0 && r.IntN(2) == 0:
		case pairs:
			entries = append(entries, fmt.Sprintf("[%s,%d]", pick(r, names[q], "["+names[q]+"]"), count))
		default:
			entries = append(entries, fmt.Sprintf("%q:%d", strings.Trim(names[q], `"`), count))
		}
	}
	if pairs {
		return "[" + strings.Join(entries, ",") + "]"
	}
	return "{" + strings.Join(entries, ",") + "}"
}

// TestTwin compares the reader with the twin on random mappings and logs.
func TestTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	right, n := 0, graphtest.Rounds(t, 1000)
	for i := range n {
		clocks := i%2 == 0
		mapping := randomMapping(r, clocks)
		text := randomLog(r, clocks, i%5 == 0)
		if compare(t, mapping, text) {
			right++
		}
	}
	t.Logf("%d of %d logs are right", right, n)
	if right < n/4 {
		t.Errorf("only %d of %d logs are right", right, n)
	}
}

// TestTwinShipped compares them on real logs.
func TestTwinShipped(t *testing.T) {
	for _, test := range []struct{ mapping, log string }{
		{"ewd998", "ewd998-chan/EWD998ChanTrace.ndjson"},
		{"ccf", "ccf/example.ndjson"},
	} {
		mapping, err := os.ReadFile("mappings/" + test.mapping + ".json")
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(traces + test.log)
		if err != nil {
			t.Fatal(err)
		}
		if !compare(t, string(mapping), string(text)) {
			t.Errorf("%s is refused", test.log)
		}
	}
}
