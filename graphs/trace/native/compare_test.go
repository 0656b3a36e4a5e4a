package native

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
	"github.com/pota-project/pota/graphs/trace"
)

// TestTwin compares Read with the twin on random traces, as they are and
// mutilated.
func TestTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	file := filepath.Join(t.TempDir(), "trace.jsonl")
	accepted, refused := 0, 0
	n := graphtest.Rounds(t, 200)
	for range n {
		text := randomTrace(r)
		for k := range 6 {
			if k > 0 {
				text = mutilate(r, text)
			}
			if compare(t, file, text) {
				accepted++
			} else {
				refused++
			}
		}
	}
	if accepted < n || refused < n {
		t.Errorf("%d accepted and %d refused", accepted, refused)
	}
}

// compare reads a text in both ways and reports whether both accept it.
func compare(t testing.TB, file string, text []byte) bool {
	t.Helper()
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	want, wantErr := readTwin(text)
	got, err := ReadFile(background, file, trace.Options{Names: true})
	switch {
	case err != nil && !oneLine(err):
		t.Fatalf("%q is no error of a trace\n%s", err, text)
	case (err == nil) != (wantErr == nil):
		t.Fatalf("got %v, want %v\n%s", err, wantErr, text)
	case err != nil:
		return false
	}
	if w, g := describe(want), describe(got); w != g {
		t.Fatalf("%s\n%s", text, differ(w, g))
	}
	return true
}

// randomTrace writes a random computation in a random form: lines of different
// processes in another order, keys too, white space and escapes, clocks, late
// declarations.
func randomTrace(r *rand.Rand) []byte {
	var b bytes.Buffer
	var c *graphs.Computation
	for {
		c = graphtest.Random(r, graphtest.DefaultConfig)
		b.Reset()
		if Write(&b, c, nil) == nil {
			break
		}
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if r.IntN(2) == 0 && len(c.Syncs()) == 0 && len(c.Edges()) == 0 {
		lines = addClocks(r, c, lines)
	}
	if r.IntN(2) == 0 {
		lines = shuffle(r, lines)
	}
	if r.IntN(4) == 0 {
		lines = slices.DeleteFunc(lines, func(s string) bool { return strings.Contains(s, `"init":{}`) })
	}
	var out strings.Builder
	end := []string{"\n", "\r\n", "\n\n", " \n"}[r.IntN(4)]
	for _, line := range lines {
		out.WriteString(reform(r, line))
		out.WriteString(end)
	}
	if r.IntN(4) == 0 {
		return []byte(strings.TrimSpace(out.String()))
	}
	return []byte(out.String())
}

// shuffle moves lines about; the lines of each process stay in order.
func shuffle(r *rand.Rand, lines []string) []string {
	header := 0
	if strings.HasPrefix(lines[0], `{"pota"`) {
		header = 1
	}
	queues := make(map[string][]string)
	var keys []string
	for i, line := range lines[header:] {
		var l struct{ Process *string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			panic(err)
		}
		key := fmt.Sprint(i)
		if l.Process != nil {
			key = "process " + *l.Process
		}
		if queues[key] == nil {
			keys = append(keys, key)
		}
		queues[key] = append(queues[key], line)
	}
	out := lines[:header:header]
	for len(keys) > 0 {
		i := r.IntN(len(keys))
		q := queues[keys[i]]
		out = append(out, q[0])
		queues[keys[i]] = q[1:]
		if len(q) == 1 {
			keys = slices.Delete(keys, i, i+1)
		}
	}
	return out
}

// addClocks gives some events clocks with some of the true entries.
func addClocks(r *rand.Rand, c *graphs.Computation, lines []string) []string {
	past := closure(c)
	next := make([]int, c.NumProcesses())
	last := make(map[[2]int]int)
	full := r.IntN(2) == 0
	for i, line := range lines {
		var l struct {
			Process *string
			Init    any
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			panic(err)
		}
		if l.Process == nil || l.Init != nil {
			continue
		}
		p, _ := c.ProcessNumber(*l.Process)
		next[p]++
		if !full && r.IntN(3) == 0 {
			continue
		}
		count := make([]int, c.NumProcesses())
		for _, e := range past[c.Event(p, next[p])-1] {
			count[c.Process(e)] = max(count[c.Process(e)], c.Position(e))
		}
		count[p] = next[p]
		var entries []string
		for q, k := range count {
			if !full && q != p {
				if r.IntN(3) == 0 {
					continue
				}
				k = last[[2]int{p, q}] + r.IntN(k-last[[2]int{p, q}]+1)
			}
			last[[2]int{p, q}] = k
			entries = append(entries, fmt.Sprintf("%s:%d", graphs.Str(c.Processes()[q]), k))
		}
		lines[i] = strings.TrimSuffix(line, "}") + `,"clock":{` + strings.Join(entries, ",") + "}}"
	}
	if full && r.IntN(2) == 0 {
		for i, line := range lines {
			if a := strings.Index(line, `,"after":`); a >= 0 && strings.HasPrefix(line[a+9:], `"`) {
				rest := line[a+10:]
				lines[i] = line[:a] + rest[strings.Index(rest, `"`)+1:]
			}
		}
	}
	return lines
}

// reform writes a line with its keys in another order, and with other white space
// and escapes.
func reform(r *rand.Rand, line string) string {
	if r.IntN(3) == 0 {
		return line
	}
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	value, err := decode(d)
	if err != nil {
		panic(err)
	}
	var b strings.Builder
	rewrite(r, &b, value)
	return b.String()
}

func rewrite(r *rand.Rand, b *strings.Builder, value any) {
	space := func() { b.WriteString([]string{"", "", "", " ", "\t"}[r.IntN(5)]) }
	space()
	switch value := value.(type) {
	case []twinMember:
		r.Shuffle(len(value), func(i, j int) { value[i], value[j] = value[j], value[i] })
		b.WriteByte('{')
		for i, m := range value {
			if i > 0 {
				b.WriteByte(',')
			}
			rewrite(r, b, m.key)
			b.WriteByte(':')
			rewrite(r, b, m.value)
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, v := range value {
			if i > 0 {
				b.WriteByte(',')
			}
			rewrite(r, b, v)
		}
		b.WriteByte(']')
	case string:
		b.WriteByte('"')
		for _, c := range value {
			switch {
			case r.IntN(10) == 0 && c < 0x10000:
				fmt.Fprintf(b, `\u%04x`, c)
			case c < 0x20 || c == '"' || c == '\\':
				fmt.Fprintf(b, `\u%04X`, c)
			default:
				b.WriteRune(c)
			}
		}
		b.WriteByte('"')
	default:
		fmt.Fprint(b, value)
	}
	space()
}

// mutilate changes a text a little.
func mutilate(r *rand.Rand, text []byte) []byte {
	text = slices.Clone(text)
	if len(text) == 0 {
		return []byte("{}")
	}
	lines := strings.SplitAfter(string(text), "\n")
	i, j := r.IntN(len(lines)), r.IntN(len(lines))
	switch r.IntN(10) {
	case 0:
		text[r.IntN(len(text))] = byte(r.IntN(256))
	case 1:
		text[r.IntN(len(text))] = `{}[]":,\0123456789eE+-.u `[r.IntN(25)]
	case 2:
		return text[:r.IntN(len(text))]
	case 3:
		lines = slices.Insert(lines, i, lines[j])
	case 4:
		lines = slices.Delete(lines, i, i+1)
	case 5:
		lines[i], lines[j] = lines[j], lines[i]
	case 6:
		words := strings.Split(string(text), `"`)
		words[r.IntN(len(words))] = words[r.IntN(len(words))]
		return []byte(strings.Join(words, `"`))
	case 7:
		from := r.IntN(len(text))
		return slices.Delete(text, from, min(len(text), from+1+r.IntN(4)))
	case 8:
		extra := []string{
			`{"process":"P0"}`, `{"process":"P1","id":"P0:1"}`, `{"shared":{"x":0}}`, `{"process":"P0","set":{"x":"1"}}`,
			`{"pota":1}`, `{"edge":["⊥","⊤"]}`, `{"process":"P0","init":{"x":1}}`, `{"process":"P2","sync":["s1","s2"]}`,
			`{"process":"P0","clock":{"P0":2,"P1":1}}`, `{"process":"P1","recv":"m1"}`, `{"process":"P1","send":"m1","to":"P0"}`,
			`{"process":"P1","after":["e1","P0:2"]}`, `{"shared":{"turn":1}}`, `{"process":"P0","set":{"turn":1.0,"x":1e3}}`,
		}
		lines = slices.Insert(lines, i, extra[r.IntN(len(extra))]+"\n")
	default:
		digits := []byte(lines[i])
		for k, b := range digits {
			if b >= '0' && b <= '9' && r.IntN(4) == 0 {
				digits[k] = byte('0' + r.IntN(10))
			}
		}
		lines[i] = string(digits)
	}
	if r.IntN(10) != 2 {
		text = []byte(strings.Join(lines, ""))
	}
	return text
}
