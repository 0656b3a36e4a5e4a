package mapped

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
)

// services are three services of one execution, each with a format of its own.
var services = map[string]string{
	"gateway.1.log": `{"time":"2026-01-05T10:00:00Z","msg":"send","req":7}` + "\n",
	"gateway.log":   `{"time":"2026-01-05T10:00:02Z","msg":"receive","req":8,"state":"done"}` + "\n",
	"lock.log":      "2026-01-05 10:00:01.000 receive req 7\n2026-01-05 10:00:01.500 send req 8 holder=web\n",
	"audit.log":     "ts=1767607203 msg=receive req=9\n",
	"audit.txt":     "nothing\n",
}

const sources = `{
	"messages": [{"send": {"when": {"/msg": "send"}, "key": ["/req"]}, "receive": {"when": {"/msg": "receive"}, "key": ["/req"], "unsent": true}}],
	"label": "/msg",
	"variables": {"state": "/state", "req": {"at": "/req", "decode": "value"}},
	"initial": {"state": "new"},
	"sources": [
		{"files": "gateway*.log", "process": {"constant": "gateway"}, "time": "/time"},
		{"files": "lock.log", "process": {"constant": "lock"}, "line": "^(?<ts>\\S+ \\S+) (?<msg>\\w+) req (?<req>\\d+)(?: holder=(?<holder>.*))?",
		 "time": {"fields": ["/ts"], "layout": "2006-01-02 15:04:05.000"}, "variables": {"holder": "/holder"}},
		{"files": "audit.log", "process": {"file": "*.log"}, "line": "logfmt", "time": "/ts"}
	]
}`

// write writes files into a new directory.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// parse parses a mapping that is right.
func parse(t *testing.T, text string) *Mapping {
	t.Helper()
	m, err := Parse("m.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// notes returns options that note remarks.
func notes(all *[]string) trace.Options {
	note := func(e *trace.Error) { *all = append(*all, filepath.Base(e.File)+": "+e.Msg) }
	return trace.Options{Names: true, Note: note, Idle: note}
}

// TestSources reads three formats with one mapping: numbers in one format meet texts in another, and
// parts of a rotated log are of one source.
func TestSources(t *testing.T) {
	dir := write(t, services)
	var noted []string
	c, err := readFile(t, dir, parse(t, sources), notes(&noted))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := native.Write(&b, c, nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"process":"gateway","set":{"req":7},"send":"7","label":"send","time":"2026-01-05T10:00:00Z"}`,
		`{"process":"gateway","set":{"req":8,"state":"done"},"recv":"8","label":"receive","time":"2026-01-05T10:00:02Z"}`,
		`{"process":"lock","set":{"req":7},"recv":"7","label":"receive","time":"2026-01-05T10:00:01Z"}`,
		`{"process":"lock","set":{"req":8,"holder":"web"},"send":"8","label":"send","time":"2026-01-05T10:00:01.5Z"}`,
		`{"process":"audit","set":{"req":9},"label":"receive","time":1767607203}`,
	} {
		if !strings.Contains(b.String(), want+"\n") {
			t.Errorf("there is no %s in\n%s", want, b.String())
		}
	}
	want := "[" + filepath.Base(dir) + ": not read, as the mapping m.json is for files of other names: audit.txt]"
	if got := fmt.Sprint(noted); got != want {
		t.Errorf("notes %s, want %s", got, want)
	}
}

// TestSourcesGrow reads the same files line by line.
func TestSourcesGrow(t *testing.T) {
	known, err := NewKnown(parse(t, sources), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, name := range []string{"gateway.1.log", "gateway.log", "lock.log", "audit.log", "audit.txt"} {
		err = known.NewScanner(name).Scan([]byte(services[name]), func(_ int, l *stream.Line) error {
			if l.Kind == stream.Event {
				got = append(got, fmt.Sprintf("%s %s %s", l.Process, l.Send, l.Recv))
			}
			return nil
		})
		if known.Takes(name) != (err == nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
	const want = `gateway [0:"7"] []; gateway [] [0:"8"]; lock [] [0:"7"]; lock [0:"8"] []; audit [] [0:"9"]`
	if got := strings.Join(got, "; "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	const missing = "audit.txt:1: no source of the mapping m.json is for files of this name"
	if err == nil || err.Error() != missing {
		t.Errorf("%v, want %s", err, missing)
	}
}

// TestSourcesOneFile reads a file of one of the sources.
func TestSourcesOneFile(t *testing.T) {
	dir := write(t, services)
	for name, want := range map[string]string{
		"lock.log":  "",
		"audit.txt": "audit.txt: no line is an event of the mapping m.json",
	} {
		_, err := readFile(t, filepath.Join(dir, name), parse(t, sources), trace.Options{})
		if got := strings.TrimPrefix(fmt.Sprint(err), dir+string(filepath.Separator)); got != want && err != nil {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestKinds: the ends of a kind of message may be in several sources and entries.
func TestKinds(t *testing.T) {
	dir := write(t, map[string]string{"a.log": `{"sent":1}` + "\n" + `{"got":1}` + "\n", "b.log": "id=1 way=in\nid=1 way=out\n"})
	c, err := readFile(t, dir, parse(t, `{"process": {"file": "*.log"}, "sources": [
		{"files": "a.log", "messages": [
			{"kind": "request", "send": {"when": {"/sent": "*"}, "key": ["/sent"]}},
			{"kind": "answer", "receive": {"when": {"/got": "*"}, "key": ["/got"]}}]},
		{"files": "b.log", "line": "logfmt", "messages": [
			{"kind": "answer", "send": {"when": {"/way": "out"}, "key": ["/id"]}},
			{"kind": "request", "receive": {"when": {"/way": "in"}, "key": ["/id"]}}]}]}`), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.NumMessages() != 2 || c.NumEdges() != 2 {
		t.Errorf("%d messages and %d edges, want 2 and 2", c.NumMessages(), c.NumEdges())
	}
}

func TestRefusedSources(t *testing.T) {
	for text, want := range map[string]string{
		`{"sources":[]}`:                                                                           `m.json:1:12: sources must not be empty`,
		`{"sources":[{"files":"a"}]}`:                                                              `m.json:1:13: "process" is missing: a mapping must say what the process of an event is`,
		`{"process":"/p","sources":[{"initial":{"x":1}}]}`:                                         `m.json:1:29: unknown key "initial" in a source (known are clock, clock_id, events, files, label, line, messages, process, skip, texts, time, variables, writes)`,
		`{"process":"/p","sources":[{"clock":"/c"},{}]}`:                                           `m.json:1:1: all sources must have a clock, or none: events with one and events without cannot be ordered`,
		`{"process":"/p","sources":[{"line":"^(?<x>.*)","label":"/y"}]}`:                           `m.json:1:56: "/y": the expression for a line has no group "y" (did you mean "x"?)`,
		`{"process":"/p","sources":[{"messages":[{"send":{"when":{"/s":"*"},"key":["/s"]}}]},{}]}`: `m.json:1:41: messages must have "send" and "receive"`,
		`{"process":"/p","messages":[{"each":"/","send":{"where":{"/s":"*"},"key":["/s"]}}]}`:      `m.json:1:37: "/": an array within the line is expected, as in "/list"`,
		`{"process":"/p","skip":"x"}`:                                                              `m.json:1:24: skip is true, or how much of a file may be skipped, as in "5%"`,
		`{"process":"/p","label":[]}`:                                                              `m.json:1:25: a label must not be empty`,
	} {
		_, err := Parse("m.json", []byte(text))
		if got := fmt.Sprint(err); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
		}
	}
}

// TestEach refuses other values in place of an array, in lines of JSON and in texts.
func TestEach(t *testing.T) {
	const messages = `"process":"/p","messages":[{"each":"/list","send":{"where":{"/s":"*"},"key":["/s"]},"receive":{"where":{"/r":"*"},"key":["/r"]}}]}`
	for _, test := range []struct{ mapping, line, want string }{
		{"{", `{"p":"a","list":7}`, `x.log:1:17: /list is a number where "each" expects an array`},
		{"{", `{"p":"a","list":{"s":1}}`, `x.log:1:17: /list is an object where "each" expects an array`},
		{"{", `{"p":"a","list":null}`, ""},
		{"{", `{"p":"a"}`, ""},
		{`{"line":"logfmt",`, `p=a list=[{"s":1}]`, `x.log:1:12: a quote within a value: a value with quotes must be in quotes`},
		{`{"line":"logfmt",`, `p=a list="[{\"s\":1}]"`, ""},
		{`{"line":"logfmt",`, `p=a list=s1`, `x.log:1:10: /list is a string where "each" expects an array`},
	} {
		_, err := readText(t, test.line+"\n", parse(t, test.mapping+messages), trace.Options{})
		got := ""
		if err != nil {
			got = strings.TrimPrefix(err.Error(), scratch+string(filepath.Separator))
		}
		if !strings.HasPrefix(got, test.want) || test.want == "" && got != "" {
			t.Errorf("%s:\ngot  %s\nwant %s", test.line, got, test.want)
		}
	}
}

// TestSkipBound refuses a file of which more than 1 % is skipped, and counts skipped lines for each
// file. A file that grows may skip the first of a hundred lines.
func TestSkipBound(t *testing.T) {
	const mapping = `{"line":"^(?<host>\\w+): (?<x>.*)","process":"/host","skip":true}`
	lines := strings.Repeat("a: 1\n", 99)
	for _, test := range []struct{ text, want string }{
		{"at x\n" + lines, "x.log: skipped 1 of 100 lines of this file, which do not fit, this one first: the line does not match the expression of the mapping"},
		{"at x\n" + lines + "at y\n", `x.log:1:1: 2 of 101 lines of this file do not fit, more than 1 %, this one first: the line does not match the expression of the mapping; "skip": "2%" in the mapping, or --skip-lines, skips so many`},
	} {
		var noted []string
		_, err := readText(t, test.text, parse(t, mapping), notes(&noted))
		got := strings.Join(noted, "\n")
		if err != nil {
			got = strings.TrimPrefix(err.Error(), scratch+string(filepath.Separator))
		}
		if got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
	known, err := NewKnown(parse(t, mapping), trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := known.NewScanner("x.log")
	take := func(int, *stream.Line) error { return nil }
	if err := s.Scan([]byte("at x\n"+lines), take); err != nil {
		t.Fatal(err)
	}
	const want = `x.log:101:1: the line does not match the expression of the mapping; more than 1 % of the lines do not fit; "skip" in the mapping, or --skip-lines, skips lines that do not fit`
	if err := s.Scan([]byte("at y\n"), take); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if err := context.Cause(t.Context()); err != nil || s.Skipped != 1 {
		t.Errorf("%v; %d lines skipped, want 1", err, s.Skipped)
	}
}

// TestAlternatives takes the first time and label that a line has; a label of several fields has those
// that are there.
func TestAlternatives(t *testing.T) {
	m := parse(t, `{"process":"/p","time":["/j/time",{"fields":["/ts"],"layout":"15:04"},"/ts"],
		"label":[{"fields":["/a","/b"],"format":"%s %s"},"/msg"]}`)
	const text = `{"p":"a","j":{"time":5},"a":"x","b":"y"}
{"p":"a","ts":"12:30","b":"y"}
{"p":"a","ts":7,"msg":"z"}
{"p":"a"}
`
	c, err := readText(t, text, m, trace.Options{Names: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"x y|5", ` y|"0000-01-01T12:30:00Z"`, "z|7", "|"}
	for i, want := range want {
		e := c.Event(0, i+1)
		if got := c.Label(e) + "|" + c.Time(e); got != want {
			t.Errorf("event %d: %s, want %s", i+1, got, want)
		}
	}
}

// TestIdle reports the parts of a mapping that find nothing, and shared parts only once.
func TestIdle(t *testing.T) {
	dir := write(t, map[string]string{"a.log": `{"v":1}` + "\n", "b.log": "v=2\n"})
	var noted []string
	_, err := readFile(t, dir, parse(t, `{"process":{"file":"*.log"},"time":"/v","label":"/v","variables":{"v":"/v","w":{"value":1,"when":{"/v":"x"}}},
		"messages":[{"send":{"when":{"/v":"s"},"key":["/v"]},"receive":{"when":{"/v":2},"key":["/v"],"unsent":true},"lost":{"when":{"/v":"l"},"key":["/v"]}}],
		"sources":[{"files":"a.log"},{"files":"b.log","line":"logfmt"},{"files":"c.log"}]}`), notes(&noted))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`m.json: nothing assigns the variable "w"`,
		"m.json: no event has a send like this",
		"m.json: no event has a receive like this",
		"m.json: no line of the files of this source is an event",
	}
	if got := strings.Join(noted, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}
