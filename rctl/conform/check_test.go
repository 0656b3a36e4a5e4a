package conform_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/scenario"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl/conform"
)

// read returns the computation of lines in the native format.
func read(tb testing.TB, lines ...string) *graphs.Computation {
	tb.Helper()
	c, err := native.Read(context.Background(), trace.From("t.jsonl", strings.NewReader(strings.Join(lines, "\n"))), trace.Options{Names: true, Places: true})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// spec returns a diagram.
func spec(tb testing.TB, lines ...string) *conform.Spec {
	tb.Helper()
	s, err := parse("sequenceDiagram\n" + strings.Join(lines, "\n"))
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func parse(text string) (*conform.Spec, error) {
	return conform.Read(context.Background(), trace.From("d.mmd", strings.NewReader(text)), 0)
}

// pingPong is a trace: A asks B twice, and B answers.
var pingPong = []string{
	`{"process":"A","init":{"n":0}}`,
	`{"process":"B"}`,
	`{"process":"A","send":"ask 1","set":{"req":"r1","n":1}}`,
	`{"process":"B","recv":"ask 1","send":"ok 1"}`,
	`{"process":"A","recv":"ok 1","set":{"req":"r1"}}`,
	`{"process":"A","send":"ask 2","set":{"req":"r2","n":2}}`,
	`{"process":"B","recv":"ask 2","send":"ok 2"}`,
	`{"process":"A","recv":"ok 2","set":{"req":"r2"},"label":"done"}`,
	`{"process":"A","send":"bye"}`,
	`{"process":"B","recv":"bye"}`,
	`{"process":"A","label":"rests"}`,
}

func TestCheck(t *testing.T) {
	for name, test := range map[string]struct {
		diagram []string
		opts    conform.Options
		want    string // the expected record: the verdict, and parts of its details
	}{
		"conforms":      {[]string{"A->>B: ask 1", "B-->>A: ok 1", "A->>B: ask 2", "B-->>A: ok 2"}, conform.Options{}, "conforms"},
		"patterns":      {[]string{"loop", "A->>B: /^ask/", "B-->>A: /^ok/", "end"}, conform.Options{}, "conforms"},
		"any label":     {[]string{"loop", "A->>B:", "opt", "B->>A: ", "end", "end"}, conform.Options{}, "conforms"},
		"aliases":       {[]string{"participant X as A", "participant Y as B*", "loop 2 times", "X->>Y: /^ask/", "end"}, conform.Options{}, "conforms"},
		"order":         {[]string{"A->>B: ask 2", "A->>B: ask 1"}, conform.Options{}, `violated|out of order: A sends "ask 1" to B|before A->>B: ask 2 (d.mmd:2)`},
		"missing":       {[]string{"A->>B: ask 1", "C->>B: none", "A->>B: ask 2", "participant C as A"}, conform.Options{}, "violated|missing: C->>B: none (d.mmd:3)"},
		"too many":      {[]string{"A->>B: /^ask/"}, conform.Options{}, `violated|too many: A sends "ask 2" to B (A:3, t.jsonl:6)`},
		"unfinished":    {[]string{"A->>B: ask 1", "B->>A: ok 1", "A->>B: /^more$/"}, conform.Options{}, "unfinished|goes on with A->>B: /^more$/"},
		"action":        {[]string{"A->>B: bye", "A->>A: rests"}, conform.Options{}, "conforms"},
		"lost":          {[]string{"A-xB: bye"}, conform.Options{}, "error: d.mmd: no message"},
		"strict":        {[]string{"A->>B: ask 1"}, conform.Options{Strict: true}, `violated|too many: B sends "ok 1" to A`},
		"luck":          {[]string{"A->>B: ask 1", "B->>A: ok 1", "A->>A: rests", "B->>B: never"}, conform.Options{Vertical: true}, "unfinished"},
		"vertical":      {[]string{"participant B", "A->>B: ask 2", "A->>A: rests", "B->>A: ok 2"}, conform.Options{Vertical: true}, "violated"},
		"note":          {[]string{"A->>B: ask 1", "Note over A: n == 1", "A->>B: ask 2", "Note over A: n = 2"}, conform.Options{}, "conforms"},
		"false note":    {[]string{"A->>B: ask 1", "Note over A: n == 3", "A->>B: ask 2"}, conform.Options{}, "violated|does not hold: Note over A: n == 3 (d.mmd:3)"},
		"note at last":  {[]string{"A->>B: ask 1", "A->>B: ask 2", "Note over A: n == 3"}, conform.Options{}, "violated|does not hold: Note over A: n == 3 (d.mmd:4)"},
		"prose":         {[]string{"Note over A: thinks!", "A->>B: ask 1", "Note over A,B: all is well"}, conform.Options{}, "conforms"},
		"unknown name":  {[]string{"A->>B: ask 1", "Note over A: m == 3"}, conform.Options{}, "error: d.mmd:3:1: the note asserts something about variables that A has not"},
		"other process": {[]string{"A->>B: ask 1", "Note over A: n@A == 1 && n == 1 || x@B == 2"}, conform.Options{}, "error:"},
		"lifeline":      {[]string{"A->>Bb: ask 1"}, conform.Options{}, `error: d.mmd: no process or service is called "Bb" (did you mean B?)`},
		"label":         {[]string{"A->>B: ask 1", "opt", "A->>B: asks 2", "end"}, conform.Options{}, `error: d.mmd:4:1: nothing in the trace is A->>B: asks 2 (d.mmd:4) (did you mean "ask 2"?)`},
		"label cut off": {[]string{"A->>B: ask 1", "A->>B: asks 2"}, conform.Options{Prefix: true}, `error: d.mmd:3:1: nothing in the trace is A->>B: asks 2 (d.mmd:3) (did you mean "ask 2"?)`},
		"nobody":        {[]string{"A->>B: ask 1", "B->>A: ok 1", "A->>B: ask 2", "B->>A: ok 2", "opt", "A->>Z: help", "end"}, conform.Options{}, `error: d.mmd: no process or service is called "Z"`},
		"nearly nobody": {[]string{"A->>B: ask 1", "opt", "A->>Bb: help", "end"}, conform.Options{}, `error: d.mmd: no process or service is called "Bb" (did you mean B?)`},
		"no arrow":      {[]string{"participant Z", "A->>B: ask 1"}, conform.Options{}, `error: d.mmd: no process or service is called "Z"`},
		"not taken":     {[]string{"A->>B: ask 1", "B->>A: ok 1", "A->>B: ask 2", "alt", "B->>A: ok 2", "else", "B->>A: sorry", "end"}, conform.Options{}, "conforms|vacuous: nothing in the trace is B->>A: sorry (d.mmd:8)"},
		"nothing":       {[]string{"A->>B: xyz"}, conform.Options{}, "error: d.mmd: no message of the trace is in the diagram: between its lifelines there is "},
		"each":          {[]string{"A->>B: /^ask/", "B->>A: /^ok/"}, conform.Options{Each: "req", First: 3}, "conforms|all 2 values of req"},
		"each fails":    {[]string{"A->>B: ask 1", "B->>A: ok 1", "opt", "A->>B: ask 2", "end"}, conform.Options{Each: "req", First: 3}, `violated|violated 1 of 2 values of req: "r2"|"r2": missing: A->>B: ask 1 (d.mmd:2); instead, A sends "ask 2" to B`},
		"each where":    {[]string{"A->>B: /^ask/", "B->>A: /^ok/"}, conform.Options{Each: `r in values(req where req == "r2")`}, "conforms|all 1 value of req"},
		"each pair":     {[]string{"A->>B: /^ask/", "B->>A: /^ok/"}, conform.Options{Each: "(r, m) in values(req, n)", First: 3}, `unfinished|("r1", 1): 2 of 2 steps`},
		"each nothing":  {[]string{"A->>B: ask 1"}, conform.Options{Each: `r in values(req where n == 7)`}, "error: d.mmd: there is no value in r in values(req where n == 7)"},
		"each unknown":  {[]string{"A->>B: ask 1"}, conform.Options{Each: `r in values(req where n == "x")`}, `error: d.mmd: forall r in values(req where n == "x"): 1:32: `},
		"each of none":  {[]string{"A->>B: ask 1"}, conform.Options{Each: "key"}, "error: d.mmd: no event of the trace assigns key"},
		"not the ends":  {[]string{"A->>A: rests"}, conform.Options{Each: "req"}, "error: d.mmd: no event that sends or receives a message of the diagram assigns req"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := spec(t, test.diagram...).Check(context.Background(), read(t, pingPong...), test.opts)
			got := ""
			if err != nil {
				got = "error: " + err.Error()
			} else {
				got = r.Verdict.String() + "\n" + strings.Join(r.Details(), "\n")
				for _, text := range r.Notes {
					got += "\nvacuous: " + text
				}
			}
			first, parts, _ := strings.Cut(test.want, "|")
			if !strings.HasPrefix(got, first) {
				t.Fatalf("%s\nwant %s", got, test.want)
			}
			for part := range strings.SplitSeq(parts, "|") {
				if !strings.Contains(got, part) {
					t.Errorf("%s\nwant %s", got, part)
				}
			}
		})
	}
}

func TestParse(t *testing.T) {
	var many []string
	for i := range 64 {
		many = append(many, fmt.Sprintf("A%d->>A%d: x", i, max(i-1, 0)))
	}
	if _, err := parse("sequenceDiagram\n" + strings.Join(many[:63], "\n")); err != nil {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"A->>B: /(/":                                       "d.mmd:2:1: the label is no regular expression",
		"A<<->>B: x":                                       "d.mmd:2:1: an arrow with two heads",
		"participant A":                                    "d.mmd:1:1: a diagram without an arrow specifies nothing",
		"A->>B: x\nNote over A: x == (":                    "d.mmd:3:1: the note has a comparison, but is no assertion",
		"A->>B: x\nNote over A: EF x == 1":                 "d.mmd:3:1: the note has a comparison, but is no assertion",
		strings.Join(many[:64], "\n"):                      "d.mmd:1:1: 64 participants: a specification has at most 63",
		"loop 40 times\nloop 26 times\nA->>B: x\nend\nend": "d.mmd:3:1: loops go round at most 1000 times",
		"loop 99999999999999999999 times\nA->>B: x\nend":   "d.mmd:2:1: loops go round at most 1000 times",
	} {
		_, err := parse("sequenceDiagram\n" + text)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestParseEach(t *testing.T) {
	for text, ok := range map[string]bool{
		"req": true, "http.status": true, "r in values(req)": true, ` r in values( "a b" ) `: true,
		"(k, c) in values(key, client)": true, "r in values(req where n >= 1)": true,
		"": false, "a, b": false, "r in value(req)": false, "r, s in values(req)": false, "e in events(req == 1)": false,
		"i": true, "i in A, B": false, "r in values(req": false, "r in values(req) && x": false,
	} {
		if f, err := conform.ParseEach(text); ok != (err == nil) {
			t.Errorf("%q: %v, %v", text, f, err)
		}
	}
	// Errors refer to the formula that they show.
	for text, want := range map[string]string{
		"r in values(req where n == )": "forall r in values(req where n == ): AG true: 1:35: there is nothing between == and )",
		"i in {A, B}":                  "i in {A, B} is no range over values",
	} {
		if _, err := conform.ParseEach(text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestMutants changes a trace that conforms, and expects the right name for each mistake.
func TestMutants(t *testing.T) {
	r := rand.New(rand.NewPCG(37, 2))
	names := []string{"A", "B", "C", "D"}
	for range 300 {
		// Each label occurs once, so that each mistake has one name.
		n := 3 + r.IntN(5)
		ends := make([][2]string, n)
		var diagram []string
		for i := range ends {
			from := r.IntN(4)
			ends[i] = [2]string{names[from], names[(from+1+r.IntN(3))%4]}
			diagram = append(diagram, fmt.Sprintf("%s->>%s: m%d", ends[i][0], ends[i][1], i))
		}
		diagram = append(diagram, "participant A", "participant B", "participant C", "participant D")
		line := func(process, what string, i int) string {
			return fmt.Sprintf(`{"process":%q,%q:"m%d"}`, process, what, i)
		}
		trace := func(change func(i int) []string) []string {
			lines := []string{`{"process":"A"}`, `{"process":"B"}`, `{"process":"C"}`, `{"process":"D"}`}
			for i, e := range ends {
				changed := []string(nil)
				if change != nil {
					changed = change(i)
				}
				if changed == nil {
					changed = []string{line(e[0], "send", i), line(e[1], "recv", i)}
				}
				lines = append(lines, changed...)
			}
			return lines
		}
		check := func(what string, lines []string, want string) {
			t.Helper()
			got, err := spec(t, diagram...).Check(context.Background(), read(t, lines...), conform.Options{})
			if err != nil {
				t.Fatal(err)
			}
			text := got.Verdict.String() + "\n" + strings.Join(got.Details(), "\n")
			if ok, _ := regexp.MatchString(want, text); !ok {
				t.Fatalf("%s: %s\nwant %s\n%s\n%s", what, text, want, strings.Join(diagram, "\n"), strings.Join(lines, "\n"))
			}
		}
		check("nothing", trace(nil), "^conforms\n$")

		k := r.IntN(n)
		from, to := ends[k][0], ends[k][1]
		arrow := fmt.Sprintf("%s->>%s: m%d ", from, to, k)
		only := func(lines ...string) func(int) []string {
			return func(i int) []string {
				if i == k {
					return lines
				}
				return nil
			}
		}
		missing := "(?s)^(violated.*missing:|unfinished.*goes on with).*" + arrow
		check("dropped", trace(only([]string{}...)), missing)
		check("lost", trace(only(line(from, "send", k))), missing)
		other := names[0]
		for other == from || other == to {
			other = names[r.IntN(4)]
		}
		check("sent to another process", trace(only(line(from, "send", k), line(other, "recv", k))), missing)
		// The second one has another id, but the same label.
		twice := func(process, what, id string) string {
			return fmt.Sprintf(`{"process":%q,%q:%q,"label":"m%d"}`, process, what, id, k)
		}
		check("doubled", trace(only(twice(from, "send", "x"), twice(to, "recv", "x"), twice(from, "send", "y"), twice(to, "recv", "y"))),
			fmt.Sprintf(`(?s)^violated.*too many: %s sends "m%d" to %s`, from, k, to))

		if k+1 == n || ends[k+1][0] != from {
			continue
		}
		swapped := func(i int) []string {
			switch i {
			case k:
				return []string{line(from, "send", k+1), line(from, "send", k), line(to, "recv", k)}
			case k + 1:
				return []string{line(ends[k+1][1], "recv", k+1)}
			}
			return nil
		}
		check("swapped", trace(swapped), fmt.Sprintf(`(?s)^violated.*out of order: %s sends "m%d" to %s .* before %s`, from, k+1, ends[k+1][1], arrow))
	}
}

// TestSpans compares the spans of a taxi application with a drawn diagram: services are lifelines,
// and arrows are calls.
func TestSpans(t *testing.T) {
	text, err := os.ReadFile("../../testdata/conform/dispatch.mmd")
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"../../testdata/traces/otlp/hotrod-4dispatch.otlp.jsonl.gz",
		"../../../shared/traces/otlp-hotrod/hotrod-4dispatch.otlp.jsonl",
	} {
		if _, err := os.Stat(path); err != nil {
			t.Logf("SKIPPED, as there is no trace: %v", err)
			continue
		}
		executions, err := format.Read(context.Background(), path, format.Options{Input: format.Auto, Options: trace.Options{Names: true}})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range executions {
			r, err := drawn.Check(context.Background(), e.Computation, conform.Options{})
			if err != nil || r.Verdict != scenario.Conforms {
				t.Errorf("%s: %v, %v %q", e.Name, err, r.Verdict, r.Details())
			}
		}
		// The other way round, it is an error of the trace, and without the clock of a service, it
		// is luck.
		wrong := strings.Replace(string(text), "D->>R: FindDriverIDs\n    R-->>D: ids of drivers\n", "", 1)
		wrong += "    D->>R: FindDriverIDs\n    R-->>D: ids of drivers\n"
		late, err := parse(wrong)
		if err != nil {
			t.Fatal(err)
		}
		r, err := late.Check(context.Background(), executions[0].Computation, conform.Options{})
		if err != nil || r.Verdict != scenario.Violated || !strings.Contains(r.Details()[1], "out of order: ") {
			t.Errorf("%v, %v %q", err, r.Verdict, r.Details())
		}
	}
}
