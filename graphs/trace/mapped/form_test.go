package mapped

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-logfmt/logfmt"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
)

// native writes what a mapping reads of a text, or its error.
func asNative(t testing.TB, mapping, text string) string {
	t.Helper()
	m, err := Parse("m.json", []byte(mapping))
	if err != nil {
		t.Fatal(err)
	}
	c, err := readText(t, text, m, trace.Options{Names: true})
	if err != nil {
		_, msg, _ := strings.Cut(err.Error(), "x.log")
		return msg
	}
	var b strings.Builder
	if err := native.Write(&b, c, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// rest is what mappings of all forms have in common.
const rest = `"process":"/host","label":"/msg","time":"/at",
	"messages":[{"send":{"when":{"/msg":"send*"},"key":["/id"],"to":"/to"},"receive":{"when":{"/msg":"recv*"},"key":["/id"],"unsent":true}}],
	"variables":{"x":{"at":"/x","decode":"value"},"s":"/to","deep":{"at":"/json/a/0","decode":"value"}},"initial":{"x":1}}`

// columnsOf are the fields that random records have.
var columnsOf = []string{"host", "at", "msg", "id", "to", "x", "json"}

// records returns random records; some fields are empty.
func records(r *rand.Rand, n int) [][]string {
	one := func(choices ...string) string { return choices[r.IntN(len(choices))] }
	all := make([][]string, n)
	for i := range all {
		all[i] = []string{
			one("a", "b", "ü c", `d"`), one("1.5", "2026-01-02T03:04:05Z"), one("send it", "recv", "other, one", `with "quotes" \ and =`, ""),
			one("1", "2", "m 3"), one("a", "b", "nobody", ""), one("1", "-2.5", "true", "text", "1e3", "01", ""), one("", "{}", `{"a":[7]}`, `{"a": ["x\"y"], "b":{}}`, "[1]", `{"a":`, "no"),
		}
	}
	return all
}

// place is that of an error, which is not the same in all forms.
var place = regexp.MustCompile(`^:\d+:\d+: `)

// The same records as JSON, logfmt, CSV and text that an expression reads are the same
// computation.
func TestForms(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 82))
	for range graphtest.Rounds(t, 300) {
		all := records(r, 1+r.IntN(12))
		var asJSON, asLogfmt, asText strings.Builder
		var asCSV bytes.Buffer
		w := csv.NewWriter(&asCSV)
		w.UseCRLF = r.IntN(2) == 0
		sheet := []string{`"csv"`, `"csv;"`, `"csv\t"`}[r.IntN(3)]
		w.Comma = rune(strings.NewReplacer(`\t`, "\t", `csv"`, "csv,").Replace(sheet)[4])
		if err := w.Write(columnsOf); err != nil {
			t.Fatal(err)
		}
		e := logfmt.NewEncoder(&asLogfmt)
		for _, record := range all {
			object := make(map[string]string)
			for i, name := range columnsOf {
				object[name] = record[i]
				if err := e.EncodeKeyval(name, record[i]); err != nil {
					t.Fatal(err)
				}
			}
			text, err := json.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&asJSON, "%s\n", text)
			fmt.Fprintf(&asText, "[%s]\r\n", strings.Join(record, "|"))
			if err := errors.Join(w.Write(record), e.EndRecord()); err != nil {
				t.Fatal(err)
			}
		}
		w.Flush()
		want := asNative(t, "{"+rest, asJSON.String())
		for form, text := range map[string]string{`"logfmt"`: asLogfmt.String(), sheet: asCSV.String(),
			`["^no$(?<no>)", "^\\[` + strings.ReplaceAll("(?<host>.*)|(?<at>.*)|(?<msg>.*)|(?<id>.*)|(?<to>.*)|(?<x>.*)|(?<json>.*)", "|", `\\|`) + `\\]$"]`: asText.String()} {
			got := asNative(t, `{"line":`+form+","+rest, text)
			if place.MatchString(got) {
				got, want = place.ReplaceAllString(got, ""), place.ReplaceAllString(want, "")
			}
			if got != want {
				t.Fatalf("%s\n%s\ngives\n%s\nas JSON\n%s\ngives\n%s", form, text, got, asJSON.String(), want)
			}
		}
	}
}

// A line in logfmt has the keys and values that the library finds in it.
func TestLogfmt(t *testing.T) {
	r := rand.New(rand.NewPCG(83, 84))
	parts := []string{"a", "b=", "=", `"`, `\`, " ", "  ", "é", "c=1", `d="x y"`, `e="\n\"é\u00e9"`, "\t", `="`, "f", "\xff", `\"`}
	accepted := 0
	rounds := graphtest.Rounds(t, 20000)
	for range rounds {
		var line []byte
		for range r.IntN(9) {
			line = append(line, parts[r.IntN(len(parts))]...)
		}
		type pair struct{ key, value string }
		var want []pair
		d := logfmt.NewDecoder(bytes.NewReader(line))
		for d.ScanRecord() {
			for d.ScanKeyval() {
				want = append(want, pair{string(d.Key()), string(d.Value())})
			}
		}
		m := &source{}
		f := newFrame(&m.nodes)
		for _, p := range want {
			f.slotOf("/"+p.key, []string{p.key})
		}
		w := walker{line: f, seen: make([]int, m.nodes)}
		f.root.form = &form{kind: byLogfmt}
		w.text = line
		ok := w.lineOf(0, len(line))
		if err := d.Err(); err != nil {
			if ok && !bytes.Contains(line, []byte("=")) && utf8.Valid(line) {
				t.Fatalf("%q is accepted, but %v", line, err)
			}
			continue
		}
		keys := make(map[string]bool)
		twice := false
		for _, p := range want {
			twice = twice || keys[p.key]
			keys[p.key] = true
		}
		if ok == twice {
			t.Fatalf("%q: %t, %v", line, ok, w.Err)
		}
		if twice {
			continue
		}
		accepted++
		for _, p := range want {
			v := w.rows[f.slotOf("/"+p.key, []string{p.key})]
			if got := string(v.decode(nil, w.text)); got != strings.ToValidUTF8(p.value, "\uFFFD") {
				t.Fatalf("%q: %s is %q, want %q", line, p.key, got, p.value)
			}
		}
	}
	if 20*accepted < rounds {
		t.Errorf("only %d of %d lines are of logfmt", accepted, rounds)
	}
}

// skips is the hint in errors about lines that do not fit.
const skips = `; "skip" in the mapping, or --skip-lines, skips lines that do not fit`

// What lines and mappings of text logs have wrong is said with its place.
func TestRefusedTexts(t *testing.T) {
	for _, test := range []struct{ mapping, text, want string }{
		{`{"line":"(?<host>\\w+): (?<msg>.*)","process":"/host"}`, "a: x\nb y\n", ":2:1: the line does not match the expression of the mapping" + skips},
		{`{"line":["(?<host>\\w+): ","^# (?<msg>.*)"],"process":"/host"}`, "a: x\n?\n", ":2:1: the line matches none of the expressions of the mapping" + skips},
		{`{"line":["(?<host>\\w+): ","^# (?<msg>.*)"],"process":"/host"}`, "a: x\n# y\n", ":2:1: the process is missing: the line has no /host"},
		{`{"line":"logfmt","process":"/host"}`, "host=a\nhost=a x=1 =2\n", ":2:12: a key is expected before = or a quote" + skips},
		{`{"line":"logfmt","process":"/host"}`, "host=a é=x\"\n", ":1:11: a quote within a value: a value with quotes must be in quotes" + skips},
		{`{"line":"logfmt","process":"/host"}`, "host=\"a\n", ":1:8: the line ends inside a string" + skips},
		{`{"line":"logfmt","process":"/host"}`, "host=a host=b\n", ":1:8: a name that the mapping needs occurs twice" + skips},
		{`{"line":"logfmt","process":"/host","variables":{"x":{"at":"/x","decode":"number"}}}`, "host=a x=1\nhost=b x=1ms\n", `:2:10: "1ms" is not a number, as the mapping says that x is`},
		{`{"line":"csv","process":"/host"}`, "host,x\na,1\nb\n", ":3:1: the line has 1 field, but the first line of the file names 2 columns" + skips},
		{`{"line":"csv","process":"/host"}`, "host,x\na,\"1\n2\"\n", ":2:1: a field in quotes goes on over the end of the line" + skips},
		{`{"line":"csv","process":"/host"}`, "host,x\r\na,\"1\r\n", ":2:1: a field in quotes goes on over the end of the line" + skips},
		{`{"line":"csv","process":"/host"}`, "host,x\na,\"1\"2\n", `:2:5: extraneous or missing " in quoted-field` + skips},
		{`{"line":"csv","process":"/host"}`, "host,x,x,host\na,1,1,b\n", ":1:10: a column that the mapping needs is there twice" + skips},
		{`{"line":"csv","process":"/host"}`, "host,x\n\na,b\"1\n", `:3:4: bare " in non-quoted-field` + skips},
		{`{"line":"csv","process":"/host","variables":{"x":{"at":"/x","decode":"number"}}}`, "host,x\na,\"y\"\n", `:2:4: "y" is not a number, as the mapping says that x is`},
		{`{"process":"/host","time":{"fields":["/d","/t"],"format":"%s %s","layout":"060102 150405"}}`, `{"host":"a","d":"081109","t":"2036"}`, `:1:17: "081109 2036" is not a time in the layout of the mapping`},
		{`{"process":{"file":"node-*.txt"}}`, `{"host":"a"}`, `: the name of the file is not of the form "node-*.txt", in which the mapping m.json has the name of the process`},
	} {
		if got := asNative(t, test.mapping, test.text); got != test.want {
			t.Errorf("%s on\n%s\ngot  %s\nwant %s", test.mapping, test.text, got, test.want)
		}
	}
	for _, test := range []struct{ mapping, want string }{
		{`{"line":"(?<a","process":"/a"}`, "m.json:1:9: line is not a regular expression: invalid named capture: `(?<a`"},
		{`{"line":"a(b)","process":"/a"}`, `m.json:1:9: line must have a named group, as in (?<host>\S+), or be "logfmt", "csv"`},
		{`{"line":[],"process":"/a"}`, `m.json:1:9: line must not be empty`},
		{`{"line":"(?<host>.*)","process":"/hots"}`, `m.json:1:33: "/hots": the expression for a line has no group "hots" (did you mean "host"?)`},
		{`{"line":"(?<host>.*)","process":"/host","events":{"/mgs":1}}`, `m.json:1:51: "/mgs": the expression for a line has no group "mgs" (known are host)`},
		{`{"texts":{"/msg":"csv"},"process":"/a"}`, `m.json:1:18: a text must have a named group, as in (?<host>\S+), or be "logfmt"`},
		{`{"texts":{"":"logfmt"},"process":"/a"}`, `m.json:1:11: "": the form of a whole line is "line"`},
		{`{"texts":{"/msg":"to (?<to>.*)"},"process":"/a","variables":{"x":"/msg/from"}}`, `m.json:1:66: "/msg/from": the expression for msg has no group "from" (known are to)`},
		{`{"process":{"file":"*-*.log"}}`, `m.json:1:20: file must be a pattern for names of files with one *, which stands for the name of the process`},
		{`{"process":{"constant":""}}`, `m.json:1:24: a constant must not be empty`},
		{`{"process":{"constant":"a","fields":["/b"]}}`, `m.json:1:13: a "constant" is the whole name`},
		{`{"process":"/a","time":{"fields":["/a"],"layout":"%Y-%m-%d"}}`, `m.json:1:50: a layout shows how 2 January 2006, 15:04:05 is written, as in "2006-01-02 15:04:05,000"`},
		{"{ // no\n\"process\":\"/a\"}", "m.json:1:3: invalid character '/' at start of value"},
	} {
		if _, err := Parse("m.json", []byte(test.mapping)); err == nil || err.Error() != test.want {
			t.Errorf("%s:\ngot  %v\nwant %s", test.mapping, err, test.want)
		}
	}
}

// Long files of CSV are read in several pieces, each file with columns of its own.
func TestLongColumns(t *testing.T) {
	dir := t.TempDir()
	const lines = 60000
	for i, names := range []string{"host,x,text", "text,host,x"} {
		var b strings.Builder
		b.WriteString(names + "\n\n")
		for k := range lines {
			host, text := fmt.Sprintf("n%d", k%3), fmt.Sprintf(`"a ""long"" text, %d"`, k)
			if i == 0 {
				fmt.Fprintf(&b, "%s,%d,%s\n", host, k, text)
			} else {
				fmt.Fprintf(&b, "%s,%s,%d\n", text, host, k)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".csv")), []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	m, err := Parse("m.json", []byte(`{"line":"csv","process":"/host","label":"/text","variables":{"x":{"at":"/x","decode":"number"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	c, err := readFile(t, dir, m, trace.Options{Names: true})
	if err != nil {
		t.Fatal(err)
	}
	if c.NumProcesses() != 3 || c.NumEvents() != 2*lines {
		t.Fatalf("%d processes, %d events", c.NumProcesses(), c.NumEvents())
	}
	for p := range c.Processes() {
		x := c.Variable(p, "x")
		for _, k := range []int{2, 7777, lines / 3, lines/3 + 5000} { // of the process, from 1
			want := int64(((k-1)*3 + p) % lines)
			if got := x.At(c, c.Final()).Int64(); got != int64(lines-3+p) {
				t.Errorf("process %d: x = %d at last", p, got)
			}
			if got, want := c.Label(c.Event(p, k)), fmt.Sprintf(`a "long" text, %d`, want); got != want {
				t.Errorf("process %d, event %d: label %s, want %s", p, k, got, want)
			}
		}
	}
}

// A string that is not of its form has no field, and one key may be written in two ways.
func TestFields(t *testing.T) {
	const bad = `{"texts":{"/msg":"logfmt"},"process":"/host","variables":{"x":"/msg/x","y":"/msg/y","z":"/msg/z/0"}}`
	got := asNative(t, bad, `{"host":"a","msg":"x=1 y=2 z=[5]"}`+"\n"+`{"host":"b","msg":"x=1 y\"2 z=[5]"}`+"\n")
	if want := `{"process":"a","set":{"x":"1","y":"2","z":5}}` + "\n" + `{"process":"b"}` + "\n"; !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got = asNative(t, `{"line":"logfmt",`+rest, `host=a msg=send id=a\b`+"\n"+`host=b msg=recv id="a\\b"`+"\n")
	if !strings.Contains(got, `"send":"a\\b"`) || !strings.Contains(got, `"recv":"a\\b"`) {
		t.Errorf("%s", got)
	}
}

// Messages have the keys of the log as their names, and those with one key have several names.
func TestNamesOfMessages(t *testing.T) {
	send := `host=a msg=send id=r1` + "\n"
	got := asNative(t, `{"line":"logfmt",`+rest, send+send+`host=a msg=send id="r1#2"`+"\n"+send)
	for _, name := range []string{"r1", "r1#2", "r1#2#2", "r1#3"} {
		if strings.Count(got, `"send":"`+name+`"`) != 1 {
			t.Errorf("no message %s, or several: %s", name, got)
		}
	}
}

// A string that has fields is a value, too.
func TestWholeAndPart(t *testing.T) {
	const mapping = `"process":"/host","variables":{"j":"/j","x":"/j/x"}}`
	want := `{"process":"a","set":{"j":"{\"x\": 1}","x":1}}` + "\n"
	if got := asNative(t, "{"+mapping, `{"host":"a","j":"{\"x\": 1}"}`+"\n"); !strings.HasSuffix(got, want) {
		t.Errorf("JSON:\n%s", got)
	}
	if got := asNative(t, `{"line":"logfmt",`+mapping, `host=a j="{\"x\": 1}"`+"\n"); !strings.HasSuffix(got, want) {
		t.Errorf("logfmt:\n%s", got)
	}
}

// Lines that do not fit are skipped where the mapping says so, and noted.
func TestSkip(t *testing.T) {
	for _, test := range []struct{ mapping, text string }{
		{`{"skip":"50%","line":"^(?<host>\\w+): (?<x>.*)","process":"/host","variables":{"x":"/x"}}`, "a: 1\nat x.y\nat z\nb: 2\n"},
		{`{"skip":"50%","process":"/host","variables":{"x":"/x"}}`, "{\"host\":\"a\",\"x\":\"1\"}\nstarted\n{\"host\":\"\n{\"host\":\"b\",\"x\":\"2\"}\n"},
		{`{"skip":"50%","line":"csv","process":"/host","variables":{"x":"/x"}}`, "host,x\na,1\nat\na,b,c\nb,2\n"},
		{`{"skip":"50%","line":"csv","process":"/host","variables":{"x":"/x"}}`, "host,x\n\"no end,1\na,1\n\nb,\"1\nb,2\n"},
	} {
		m, err := Parse("m.json", []byte(test.mapping))
		if err != nil {
			t.Fatal(err)
		}
		var notes []string
		c, err := readText(t, test.text, m, trace.Options{Note: func(e *trace.Error) { notes = append(notes, fmt.Sprint(e.Line, ":", e.Column, ": ", e.Msg)) }})
		if err != nil || c.NumEvents() != 2 || len(notes) != 1 || !strings.Contains(notes[0], "skipped 2 of 4 lines of this file, which do not fit, this one first: ") {
			t.Errorf("%s: %v, %v, %q", test.text, c, err, notes)
		}
	}
}

// Processes are of the names of files; comments in mappings are passed over; texts in
// strings have fields; clocks may be strings.
func TestFileNames(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"node-a.log": "12:00:01 {\"a\":1} set x=1 y=\"b c\"\n", "node-b.log": "12:00:00 {\"a\":1,\"b\":1} x is 5\n", "notes.txt": "nothing\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	m, err := Parse("m.json", []byte(`{
		// lines look like this: 12:00:01 {"a":1} text
		"files": "node-*", "process": {"file": "node-*.log"}, "line": "^(?<at>\\S+) (?<vc>\\{.*?\\}) (?<msg>.*)",
		"time": {"fields": ["/at"], "layout": "15:04:05"}, "clock": "/vc", "texts": {"/msg": ["^set (?<sets>.*)", "x is (?<x>\\d+)"], "/msg/sets": "logfmt"},
		"variables": {"x": [{"at": "/msg/x", "decode": "number", "when": {"/msg/x": "*"}}, {"at": "/msg/sets/x", "decode": "number"}], "y": "/msg/sets/y"}}`))
	if err != nil {
		t.Fatal(err)
	}
	c, err := readFile(t, dir, m, trace.Options{Names: true})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := native.Write(&b, c, nil); err != nil {
		t.Fatal(err)
	}
	want := []string{`{"process":"a","set":{"x":1,"y":"b c"},"time":"0000-01-01T12:00:01Z"}`, `{"process":"b","set":{"x":5},"after":"a:1","time":"0000-01-01T12:00:00Z"}`}
	if lines := strings.Split(b.String(), "\n"); !slices.Contains(lines, want[0]) || !slices.Contains(lines, want[1]) {
		t.Errorf("%s", b.String())
	}
}
