package mapped

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

func TestCanonical(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`{"b":1,"a":[ 1.0 , 1e2, -0, -0.0, 0.5, 9223372036854775808 ]}`, `{"a":[1,100,0,0,0.5,9.223372036854776e+18],"b":1}`},
		{`{"\u0062":"\u0061\/\u00e9","a":"\"\\\n\u0001\u2028"}`, `{"a":"\"\\\n\u0001` + "\u2028" + `","b":"a/é"}`},
		{`{"b":{},"a":[],"c":null,"B":true}`, `{"B":true,"a":[],"b":{},"c":null}`},
		{`"\ud83d\ude00 \ud83d x \ude00"`, "\"😀 \uFFFD x \uFFFD\""},
		{"\"\xff\"", "\"\uFFFD\""},
		{`1e999`, `1e999`},
		{`{"l":1,"k":1,"j":1,"i":1,"h":1,"g":1,"f":1,"e":1,"d":1,"c":1,"b":1,"a":1,"n":1,"m":1,"q":1,"p":1,"o":1}`, `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1,"n":1,"o":1,"p":1,"q":1}`},
	} {
		s := scan([]byte(test.text), 0, len(test.text))
		v := s.value()
		if got := string(v.canonical(nil, s.Text)); s.Err != nil || got != test.want {
			t.Errorf("%s: %s, want %s", test.text, got, test.want)
		}
	}
}

func TestTLA(t *testing.T) {
	for text, want := range map[string]string{
		"TRUE": "true", "FALSE": "false", "-12": "-12", "0": "0", "007": `"007"`, `"a"`: `"a"`, `"a\"b\\\n"`: `"a\"b\\\n"`,
		`"a" @@ "b"`: `"\"a\" @@ \"b\""`, "<<>>": `"<<>>"`, "defaultInitValue": "", `"`: `"\""`, "": `""`, `"\`: `"\"\\"`, `"a\"`: `"\"a\\\""`,
		`((1) :> (2))`: `"((1) :> (2))"`, "-": `"-"`, "1..3": `"1..3"`, `"\t\r\f"`: `"\t\r\f"`,
	} {
		v, ok := parseTLA([]byte(text))
		got := ""
		if ok {
			got = v.String()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// small reads a log with a mapping that has a process /p and more.
func small(t *testing.T, mapping string, lines ...string) *graphs.Computation {
	t.Helper()
	m, err := Parse("m.json", []byte(`{"process":"/p",`+mapping+`}`))
	if err != nil {
		t.Fatal(err)
	}
	c, err := readText(t, strings.Join(lines, "\n"), m, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestReceiver(t *testing.T) {
	const messages = `"messages":[{"send":{"when":{"/s":1},"key":["/s"],"to":%s},"receive":{"when":{"/s":2},"key":["/s"]}}]`
	for _, test := range []struct {
		name, to string
		want     int32
	}{
		{`"/to"`, "b(2)", 1},
		{`"/to"`, "b", -1},
		{`"/to"`, "*", -1}, // a star in the log means itself
		{`"/none"`, "b(2)", -1},
		{`{"fields":["/to"],"format":"*(%s)"}`, "2", 1},
		{`{"fields":["/to"],"format":"*%s*"}`, "2", -1}, // two match
		{`{"fields":["/to"],"format":"*%s*"}`, "3", -1},
	} {
		c := small(t, fmt.Sprintf(messages, test.name), `{"p":"a","s":1,"to":"`+test.to+`"}`, `{"p":"b(2)"}`, `{"p":"b(2)1"}`)
		if got := c.Messages()[0].To; got != test.want {
			t.Errorf("%s %s: %d, want %d", test.name, test.to, got, test.want)
		}
	}
}

func TestPointers(t *testing.T) {
	for pointer, want := range map[string]string{
		"/a/0": "zero", "/a/01": "", "/a/-": "", "/a/2": "", "/o/01": "one", "/o/": "empty", "/~1~0": "odd", "/a/1/x": "in", "/o/é": "é",
	} {
		c := small(t, `"variables":{"v":"`+pointer+`"}`, `{"p":1,"a":["zero",{"x":"in"}],"o":{"01":"one","":"empty","\u00e9":"é"},"/~":"odd"}`)
		got := ""
		if v := c.Variable(0, "v"); v != nil {
			got = v.At(c, c.Final()).Text()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", pointer, got, want)
		}
	}
}

func TestConditions(t *testing.T) {
	for _, test := range []struct{ condition, value, want string }{
		{`1`, "1.0", "yes"}, {`1.0`, "1e0", "yes"}, {`1`, `"1"`, "no"}, {`"1"`, "1", "no"}, {`-0`, "0", "yes"}, {`0`, "-0", "yes"},
		{`"a*c"`, `"abc"`, "yes"}, {`"a*c"`, `"ac"`, "yes"}, {`"a*c"`, `"acd"`, "no"}, {`"*b*b*"`, `"abab"`, "yes"}, {`"*"`, "1", "yes"}, {`"*"`, "{}", "yes"}, {`"*"`, "null", "no"}, {`{"not":"*"}`, "false", "no"},
		{`"é"`, `"\u00e9"`, "yes"}, {`null`, "null", "yes"}, {`{"not":null}`, "null", "no"}, {`{"not":[1,"a*"]}`, `"b"`, "yes"},
		{`[true,{"not":{"not":2}}]`, "2", "yes"}, {`false`, "true", "no"}, {`{"not":true}`, "[]", "yes"},
	} {
		c := small(t, `"variables":{"v":[{"when":{"/v":`+test.condition+`},"value":"yes"},{"value":"no"}]}`, `{"p":1,"v":`+test.value+`}`)
		if got := c.Variable(0, "v").Value(0).Text(); got != test.want {
			t.Errorf("%s on %s: %s", test.condition, test.value, got)
		}
	}
}

// TestRepeated checks that an event assigns what its line says, though the variable has that value.
func TestRepeated(t *testing.T) {
	for _, clock := range []string{"", `"clock":"/vc",`} {
		c := small(t, clock+`"variables":{"v":"/v","w":"/w"},"initial":{"w":1}`,
			`{"p":1,"vc":{"1":1},"v":1,"w":1}`, `{"p":1,"vc":{"1":2},"v":1.0,"w":1}`, `{"p":1,"vc":{"1":3},"v":2,"w":2}`, `{"p":1,"vc":{"1":4},"v":2}`)
		if v, w := c.Variable(0, "v"), c.Variable(0, "w"); v.Len() != 4 || w.Len() != 3 || w.Event(2) != c.Event(0, 3) {
			t.Errorf("%q: %d and %d assignments", clock, v.Len(), w.Len())
		}
	}
}

// TestChunks reads a log of several chunks, with a line longer than one, an error in
// its last line, and one that begins with a byte order mark.
func TestChunks(t *testing.T) {
	var b strings.Builder
	b.WriteString("\xef\xbb\xbf")
	for i := range 20000 {
		fmt.Fprintf(&b, `{"p":"p%d","v":%d,"pad":"%s"}`+"\n", i%7, i, strings.Repeat("x", i%100))
		if i == 9999 {
			fmt.Fprintf(&b, `{"p":"p0","v":0,"pad":"%s"}`+"\n", strings.Repeat("y", 1<<20))
		}
	}
	m, err := Parse("m.json", []byte(`{"process":"/p","variables":{"v":"/v"}}`))
	if err != nil {
		t.Fatal(err)
	}
	c, err := readText(t, b.String(), m, trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v := c.Variable(1, "v").At(c, c.Final()); c.NumEvents() != 20001 || v.Int64() != 19993 {
		t.Errorf("%d events, %s", c.NumEvents(), v)
	}
	_, err = readText(t, b.String()+`{"p":1,"v":1`, m, trace.Options{})
	if want := filepath.Join(scratch, "x.log") + `:20002:13: the line ends where "," or "}" was expected`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = readText(t, b.String()+`{"v":1}`, m, trace.Options{})
	if want := filepath.Join(scratch, "x.log") + `:20002:1: the process is missing: the line has no /p`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestTime(t *testing.T) {
	for text, want := range map[string]string{
		"12": "12", "-1.5e3": "-1.5e3", "2024-05-01T12:00:00.123Z": `"2024-05-01T12:00:00.123Z"`, "2024-05-01T12:00:00.1+02:00": `"2024-05-01T12:00:00.1+02:00"`,
		"2024-05-01T12:00:00.123+0200": `"2024-05-01T12:00:00.123+02:00"`, "2024-05-01 12:00:00.5Z": `"2024-05-01T12:00:00.5Z"`,
		"2024-05-01 12:00:00": "", "12 ": "", "": "", "01": "", "-": "",
	} {
		if got := string(timeText([]byte(text))); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestDecodeTime reads a time as a number of seconds.
func TestDecodeTime(t *testing.T) {
	c := small(t, `"variables":{"until":{"at":"/until","decode":"time"}}`, `{"p":1,"until":"1970-01-01T00:00:01.5Z"}`)
	if got := c.Variable(0, "until").Value(0).Float64(); got != 1.5 {
		t.Errorf("%v", got)
	}
}
