package jsonstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pota-project/pota/graphs/graphtest"

	"github.com/pota-project/pota/graphs/trace"
)

func readerOf(text io.Reader) *Reader {
	r := newReader(context.Background(), new(trace.Options))
	r.reset("f", text)
	return r
}

// tree reads a value of any kind, and notes the place of each in texts, strings that
// stand for places.
func tree(r *Reader, places *[]Place) any {
	*places = append(*places, r.Next())
	switch r.Kind() {
	case '{':
		m := make(map[string]any)
		r.Object(func(key []byte) {
			name := string(key)
			m[name] = tree(r, places)
		})
		return m
	case '[':
		a := []any{}
		r.Array(func() { a = append(a, tree(r, places)) })
		return a
	case '"':
		return r.String()
	case 't', 'f':
		return r.Bool()
	case 'n':
		r.Skip()
		return nil
	}
	text, _ := r.Number()
	return json.Number(text)
}

// A maker writes random JSON, and records where each value begins that is not a null member.
type maker struct {
	r      *rand.Rand
	b      strings.Builder
	line   int
	column int
	places []Place
}

func (m *maker) write(s string) {
	for _, c := range s {
		m.column++
		if c == '\n' {
			m.line++
			m.column = 1
		}
	}
	m.b.WriteString(s)
}

func (m *maker) space() {
	m.write([]string{"", "", " ", "\n", "\r\n\t"}[m.r.IntN(5)])
}

func (m *maker) value(depth int) {
	m.places = append(m.places, Place{"f", m.line, m.column})
	n := m.r.IntN(3)
	switch k := m.r.IntN(8); {
	case k < 2 && depth > 0:
		m.write("{")
		for i := range n {
			if i > 0 {
				m.write(",")
			}
			m.space()
			m.write(fmt.Sprintf("\"k%dé\\u00e9\"", i))
			m.space()
			m.write(":")
			m.space()
			if m.r.IntN(4) == 0 {
				m.write("null")
			} else {
				m.value(depth - 1)
			}
			m.space()
		}
		m.write("}")
	case k < 4 && depth > 0:
		m.write("[")
		for i := range n {
			if i > 0 {
				m.write(",")
			}
			m.space()
			m.value(depth - 1)
			m.space()
		}
		m.write("]")
	default:
		m.write([]string{`"é😀"`, `"a, b: [\n\\\""`, "12", "-0.5e3", "true", "false", `""`, `"` + strings.Repeat("x", m.r.IntN(300)) + `"`}[m.r.IntN(8)])
	}
}

// without drops members that are null.
func without(x any) any {
	switch x := x.(type) {
	case map[string]any:
		for k, v := range x {
			if v == nil {
				delete(x, k)
			} else {
				x[k] = without(v)
			}
		}
	case []any:
		for i := range x {
			x[i] = without(x[i])
		}
	}
	return x
}

// TestReader compares values with encoding/json, and places with the recorded ones, for reads of
// any size.
func TestReader(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 82))
	for round := range graphtest.Rounds(t, 600) {
		m := &maker{r: r, line: 1, column: 1}
		var want []any
		for range 1 + r.IntN(3) {
			from := m.b.Len()
			m.value(5)
			dec := json.NewDecoder(strings.NewReader(m.b.String()[from:]))
			dec.UseNumber()
			var x any
			if err := dec.Decode(&x); err != nil {
				t.Fatal(err, m.b.String())
			}
			want = append(want, without(x))
			m.write("\n")
		}
		var in io.Reader = strings.NewReader(m.b.String())
		if round%2 == 0 {
			in = iotest.OneByteReader(in)
		}
		reader := readerOf(in)
		var got []any
		var places []Place
		for reader.More() {
			got = append(got, tree(reader, &places))
			if err := reader.Err(); err != nil {
				t.Fatalf("%v\n%s", err, m.b.String())
			}
		}
		a, b := fmt.Sprintf("%#v", got), fmt.Sprintf("%#v", want)
		if a != b || !slices.Equal(places, m.places) {
			t.Fatalf("got\n%s %v\nwant\n%s %v\n%s", a, places, b, m.places, m.b.String())
		}
	}
}

// TestLong skips more than is kept, and finds the place after it.
func TestLong(t *testing.T) {
	long := strings.Repeat(`{"a":["`+strings.Repeat("é", 500)+"\"]},\n", 2000)
	r := readerOf(strings.NewReader("{\"skip\":[" + long + "1],\n\"x\":\"é\", \"y\":5}"))
	r.Object(func(key []byte) {
		if string(key) == "skip" {
			r.Skip()
		} else {
			_ = r.String()
		}
	})
	if got := fmt.Sprint(r.Err()); got != "f:2002:14: a string is expected here, not a number (at /y)" {
		t.Error(got)
	}
	if cap(r.text.kept) > 1<<20 {
		t.Errorf("%d bytes kept", cap(r.text.kept))
	}
}

// failing fails after some text.
type failing struct{ text io.Reader }

func (f failing) Read(p []byte) (int, error) {
	n, err := f.text.Read(p)
	if err == io.EOF {
		err = &trace.Error{File: "f", Msg: "it is gone"}
	}
	return n, err
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":`:                    "f:1:6: the JSON text ends too soon (at /a)",
		`{"a":1,}`:                 `f:1:7: invalid character ',' at start of value`,
		`{"a":1]`:                  "f:1:7: invalid character ']' after object value (expecting ',' or '}')",
		`{"a":1,"a":2}`:            `f:1:8: the key "a" is given twice`,
		`{"é/~":{"b":tru}}`:        "f:1:16: invalid character '}' in literal true (expecting 'e') (at /é~1~0/b)",
		`{"a\n":{"b":01}}`:         `f:1:14: invalid character '1' after object value (expecting ',' or '}') (at /a\n)`,
		"{\"a\":\"\x01\"}":         `f:1:7: invalid character '\x01' in string (expecting non-control character) (at /a)`,
		strings.Repeat("[", 20000): "f:1:10001: exceeded max depth (at " + strings.Repeat("/0", 100) + "…)",
	} {
		r := readerOf(strings.NewReader(text))
		tree(r, new([]Place))
		err := r.Err()
		var e *trace.Error
		if !errors.As(err, &e) || err.Error() != want {
			t.Errorf("%.40s:\ngot  %v\nwant %s", text, err, want)
		}
		if CutOff(err) != strings.Contains(want, "too soon") {
			t.Errorf("%.40s: cut off: %t", text, CutOff(err))
		}
	}
	r := readerOf(failing{strings.NewReader(`{"a":`)})
	if tree(r, new([]Place)); fmt.Sprint(r.Err()) != "f: it is gone" {
		t.Error(r.Err())
	}
}

func TestEach(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"b": "\ufeff[1]", "a": `{"x":"y"}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	source, err := trace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	err = Each(context.Background(), source, new(trace.Options), func(r *Reader) error {
		got += fmt.Sprintf("%s %v;", filepath.Base(r.name), tree(r, new([]Place)))
		return r.Err()
	})
	if got != "a map[x:y];b [1];" || err != nil {
		t.Error(got, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if source, err = trace.Open(dir); err != nil {
		t.Fatal(err)
	}
	if err := Each(ctx, source, new(trace.Options), nil); err != context.Canceled {
		t.Error(err)
	}
}

// A string longer than a line may be is refused at its beginning, before it takes much memory; the
// text around it does not count.
func TestTooLong(t *testing.T) {
	const most = 1 << 20
	for _, test := range []struct {
		before, length int
		want           string
	}{
		{5000, most, ""},
		{5000, most + 1, ":2:3: a value must not have more than 1 MiB; --max-line allows more"},
		{0, 64 * most, ":2:3: a value must not have more than 1 MiB; --max-line allows more"},
	} {
		path := filepath.Join(t.TempDir(), "a")
		text := "[" + strings.Repeat(`"x",`, test.before) + "\n  \"" + strings.Repeat("a", test.length-2) + "\"]"
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		source, err := trace.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		kept := 0
		err = Each(context.Background(), source, &trace.Options{MaxLine: most}, func(r *Reader) error {
			r.Array(func() { r.Bytes() })
			kept = cap(r.text.kept)
			return r.Err()
		})
		got := ""
		if err != nil {
			got = strings.TrimPrefix(err.Error(), path)
		}
		if got != test.want || kept > 8*most {
			t.Errorf("%d: %s, with %d bytes kept, want %s", test.length, got, kept, test.want)
		}
	}
}

// Reading ends with its context, even within a value, which takes memory as it grows.
func TestCanceledInValue(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	read := 0
	endless := readerFunc(func(p []byte) (int, error) {
		if read += len(p); read > 1<<20 {
			cancel()
		}
		return copy(p, bytes.Repeat([]byte("a"), len(p))), nil
	})
	err := Each(ctx, trace.From("a", io.MultiReader(strings.NewReader(`"`), endless)), &trace.Options{}, func(r *Reader) error {
		r.Bytes()
		return r.Err()
	})
	if err != context.Canceled || read > 8<<20 {
		t.Errorf("%v after %d bytes", err, read)
	}
}

func TestPaths(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":{"b":[{"c":{"d":1}}]},"e":1}`: "a a.b a.b[].c e",
		`[[{"a":1}],{"b":`:                  "[].b [][].a",
		"{}\n[]\n{\"a\":1}\n{\"b\":1}":      "a",
		`{"a":1,"b" 5`:                      "a",
		`x`:                                 "",
		`{"a":1,"a":2}`:                     "a",
	} {
		if got := strings.Join(slices.Sorted(maps.Keys(Paths([]byte(text), 4))), " "); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
