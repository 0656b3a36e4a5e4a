//go:build unix

package soak

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/pota-project/pota/scripts/soak/internal/cases"
)

// samples are what cases are made of.
type samples struct {
	traces           []sample
	mappings, orders [][]byte
	models           []model
	results          [][][]byte // the results of detect, each in the parts that merge joins
	formulas         []string
}

// A model is a program in Promela, and properties of it.
type model struct {
	text     []byte
	formulas []string
}

// A sample is a trace, and what formulas about it may mention.
type sample struct {
	text      []byte
	mapping   []byte      // nil for none
	proofs    []byte      // certificates of some verdicts on it; nil for none
	read      bool        // by the program, as it is, or as the mapping says
	variables [3][]string // numbers, truth values and strings, each as "variable"@"process"
	processes []string    // in quotes
}

// simple is what native traces that are made here mention.
var simple = sample{
	read: true, variables: [3][]string{{"x@P0", "x@P1"}, {"cs@P0", "cs@P1"}, {`s@P0`}},
	processes: []string{"P0", "P1"},
}

// sampleOf reads a trace by the program itself, with the mapping that lies beside it, if
// there is one.
// The defaults stand where the program cannot read the trace.
func sampleOf(path string, text []byte) sample {
	s := simple
	s.text = text
	args := []string{"convert", "--timeout", "5s", "--execution", "1", path}
	for _, stem := range []string{strings.TrimSuffix(path, filepath.Ext(path)),
		filepath.Dir(path)} {
		mapping := stem + ".json"
		if m, err := os.ReadFile(mapping); err == nil && mapping != path {
			s.mapping = m
			args = append(args, "--map", mapping)
			break
		}
	}
	// A trace that the program refuses is a sample, too, though formulas about it mention nothing
	// of it.
	native, err := exec.Command(*cases.Binary, args...).Output()
	if s.read = err == nil; !s.read {
		return s
	}
	s.variables, s.processes = [3][]string{}, nil
	// Names are noted once, and only so many: traces may have millions.
	known, shared := make(map[string]bool), make(map[string]bool)
	note := func(list *[]string, name string) {
		if !known[name] && len(*list) < 50 {
			known[name] = true
			*list = append(*list, name)
		}
	}
	for line := range bytes.Lines(native) {
		var of struct {
			Process           string
			Init, Set, Shared map[string]any
		}
		_ = json.Unmarshal(line, &of) // a line that cannot be read mentions nothing
		process := strconv.Quote(of.Process)
		if of.Process != "" {
			note(&s.processes, process)
		}
		for _, set := range []map[string]any{of.Init, of.Set, of.Shared} {
			for _, name := range slices.Sorted(maps.Keys(set)) {
				kind := 0
				switch set[name].(type) {
				case bool:
					kind = 1
				case string:
					kind = 2
				}
				if of.Shared != nil {
					shared[name] = true
				}
				if !shared[name] {
					note(&s.variables[kind], strconv.Quote(name)+"@"+process)
				} else if words.MatchString(name) {
					note(&s.variables[kind], name)
				}
			}
		}
	}
	return s
}

// certify has the program write certificates of random formulas on the text of s.
func (s *sample) certify(g *generator, dir string) {
	trace := filepath.Join(dir, "trace")
	properties := filepath.Join(dir, "properties")
	proofs := filepath.Join(dir, "proofs")
	var formulas strings.Builder
	// Formulas of increasing depth, as shallow ones have certificates more often.
	for i := range 4 {
		fmt.Fprintf(&formulas, "p%d: %s\n", i, g.random(s, 1+i))
	}
	if err := errors.Join(os.WriteFile(trace, s.text, 0o666),
		os.WriteFile(properties, []byte(formulas.String()), 0o666)); err != nil {
		cases.Fail(err)
	}
	_ = os.Remove(proofs) // there may be none
	// Where the program fails, there are no certificates.
	_ = exec.Command(*cases.Binary, "detect", "--quiet", "--timeout", "2s", "--execution", "1",
		"--certificate", proofs, "-f", properties, trace).Run()
	s.proofs, _ = os.ReadFile(proofs)
}

var words = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// maxSample bounds the bytes that are taken of a file.
const maxSample = 200 << 10

// readSamples reads the traces, mappings and formulas below a directory.
func readSamples(dir string) (*samples, error) {
	s := &samples{
		orders: [][]byte{[]byte(`{"edge":["e1","f1"]}` + "\n" + `{"by":"revision"}` + "\n"),
			[]byte(`{"by":"x","process":"P1"}` + "\n")},
		formulas: []string{
			"EF(2 <= x <= 4 && y != 2)", "AG(forall i != j: !(cs@i && cs@j))",
			"AG(EF(exists i: x@i == 1))", "A[!x@P1 W y@P2 == 1]", "EF((count i: x@i) >= 2)",
			"AG(transit(P0, P1) <= 1)", "EF((sum i: x@i) > 3)", "E[x == 0 U y == 1]",
			"AG(x == 1 -> AF(y == 1))", "EG(!cs@P0)", "AX(true)", "EF(forall i: x@i == 3)",
		},
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		// Samples are cut off: large ones would make all cases slow.
		text = plain(text)
		text = text[:min(len(text), maxSample)]
		switch filepath.Ext(path) {
		case ".go", ".svg", ".png", ".err":
			return nil
		case ".pml":
			// There may be no properties.
			properties, _ := os.ReadFile(strings.TrimSuffix(path, ".pml") + ".properties")
			s.models = append(s.models, model{text, formulasOf(properties)})
			return nil
		case ".properties":
			s.formulas = append(s.formulas, formulasOf(text)...)
			return nil
		}
		// Mappings for the formats of examples are samples of mappings, too.
		if filepath.Base(filepath.Dir(path)) == "homemade" && filepath.Ext(path) == ".json" {
			s.mappings = append(s.mappings, text)
		}
		s.traces = append(s.traces, sampleOf(path, text))
		return nil
	})
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "pota-soak-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	// Certificates and results are made once, from a seed of their own, so that the cases of a
	// seed do not depend on them.
	g := &generator{Rand: rand.New(rand.NewPCG(1, 1)), samples: s}
	for i := range s.traces {
		if t := &s.traces[i]; t.read && t.mapping == nil && i%3 == 0 {
			t.certify(g, work)
		}
	}
	s.readResults(work)
	return s, nil
}

// formulasOf returns the formulas in a file of properties.
func formulasOf(text []byte) (all []string) {
	for line := range strings.Lines(string(text)) {
		if _, f, ok := strings.Cut(strings.TrimSpace(line), ": "); ok && line[0] != '#' {
			all = append(all, f)
		}
	}
	return all
}

// readResults has the program decide a formula on the shards of some traces.
func (s *samples) readResults(dir string) {
	// -- ends the flags, for names that begin with a dash.
	args := []string{"detect", "--json", "--timeout", "2s", "--", "AG(true)"}
	for i, t := range s.traces {
		if path := filepath.Join(dir, fmt.Sprint("part", i)); t.read && t.mapping == nil &&
			len(t.text) < maxSample && len(args) < 20 {
			cases.Fail(os.WriteFile(path, t.text, 0o666))
			args = append(args, path)
		}
	}
	// Results of one shard, of two, and of three.
	for n := range 3 {
		var parts [][]byte
		for i := range n + 1 {
			text, _ := exec.Command(*cases.Binary, slices.Insert(slices.Clone(args), 1, "--shard",
				fmt.Sprintf("%d/%d", i, n+1))...).Output()
			parts = append(parts, text)
		}
		s.results = append(s.results, parts)
	}
}

// plain decompresses a text that is compressed.
func plain(text []byte) []byte {
	var r io.Reader
	if z, err := gzip.NewReader(bytes.NewReader(text)); err == nil {
		r = z
	} else if z, err := zstd.NewReader(bytes.NewReader(text)); err == nil {
		defer z.Close()
		r = z
	}
	if all, err := io.ReadAll(io.LimitReader(r, maxSample)); err == nil {
		return all
	}
	return text
}

// A generator draws cases.
type generator struct {
	*rand.Rand
	samples *samples
}

// of returns one of several.
func of[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

// often is true n times of a hundred.
func (g *generator) often(n int) bool { return g.IntN(100) < n }

// power returns a number up to a power of ten, of any magnitude.
// Sizes are drawn by magnitude, so that 10 is as likely as 100,000.
func (g *generator) power(most int) int {
	n := 1
	for range g.IntN(most + 1) {
		n *= 10
	}
	return 1 + g.IntN(n)
}

// pieces are inserted into text.
// Control characters, mistakes in UTF-8, commands of terminals and CI systems, and texts at the
// limits of types.
var pieces = []string{
	"\x1b[31m", "\u009b2J", "\x00", "\x7f", "\u202e", "\u2066", "\u2028", "\ufeff", "\xff", "\xc3",
	"\xed\xa0\x80", "\n::error::x\n", "##[error]x", "\r", "\\u0000", "\\ud800", "\\u202e",
	`"`, `\`, "{", "}", "[", "]", ",", ":", "null", "true", "-0", "1e999", "9223372036854775808", "-9223372036854775809", "0.1e-400", "{}", "[]", `""`, `"a":1,`, "\t", " ", "%0A", "]]>", "<!--", "```",
	"/", "..", "*", "-->", "alt x\n", "end\n", "=== x ===\n", "$(", "&&", "->", "==", "forall i: ", "999999999999999999999",
}

// mutated changes a text in a few places.
func (g *generator) mutated(text []byte) []byte {
	text = bytes.Clone(text)
	for range 1 + g.IntN(2) {
		if len(text) == 0 {
			return []byte(of(g, pieces...))
		}
		from := g.IntN(len(text))
		to := min(len(text), from+g.power(4))
		span := bytes.Clone(text[from:to])
		switch g.IntN(10) {
		case 0:
			text[from] = byte(g.IntN(256))
		case 1:
			text = splice(text, from, to, nil)
		case 2:
			text = splice(text, from, from, span)
		case 3:
			text = splice(text, from, from, []byte(of(g, pieces...)))
		case 4:
			text = text[:from]
		case 5: // a line elsewhere
			lines := bytes.SplitAfter(text, []byte("\n"))
			i, j := g.IntN(len(lines)), g.IntN(len(lines))
			lines[i], lines[j] = lines[j], lines[i]
			text = bytes.Join(lines, nil)
		case 6: // many times
			text = splice(text, from, to, bytes.Repeat(span, min(1+g.power(5), 1+(2<<20)/len(span))))
		case 7: // a piece many times
			piece := of(g, pieces...)
			text = splice(text, from, from, []byte(strings.Repeat(piece, min(g.power(6), (2<<20)/len(piece)))))
		case 8: // a piece of another trace
			other := of(g, g.samples.traces...).text
			if len(other) > 0 {
				at := g.IntN(len(other))
				text = splice(text, from, to, other[at:min(len(other), at+g.power(4))])
			}
		case 9: // a number
			if at := regexp.MustCompile(`[0-9]+`).FindIndex(text[from:]); at != nil {
				text = splice(text, from+at[0], from+at[1], []byte(of(g, "0", "1", "-1", "2147483648", "4294967296", "18446744073709551616", "1e308", "0.5")))
			}
		}
	}
	return text
}

// splice replaces text[from:to].
func splice(text []byte, from, to int, with []byte) []byte {
	return append(append(bytes.Clone(text[:from]), with...), text[to:]...)
}

// native makes a trace of the native format: a sound one, but for its size and shape.
func (g *generator) native() []byte {
	var b bytes.Buffer
	processes, events, variables := g.power(4), g.power(5), g.power(1+g.IntN(2)*3)
	if g.often(5) {
		variables = g.power(6)
	}
	b.WriteString(`{"pota":1}` + "\n")
	for p := range processes {
		fmt.Fprintf(&b, `{"process":"P%d","init":{"x":0,"cs":false,"s":""}}`+"\n", p)
	}
	var under []int
	for e := range events {
		p := g.IntN(processes)
		fmt.Fprintf(&b, `{"process":"P%d"`, p)
		switch {
		case g.often(40):
			fmt.Fprintf(&b, `,"set":{"x":%d,"cs":%t}`, g.IntN(4), g.often(30))
		case g.often(50):
			fmt.Fprintf(&b, `,"send":"m%d"`, e)
			under = append(under, e)
		case len(under) > 0:
			fmt.Fprintf(&b, `,"recv":"m%d"`, under[0])
			under = under[1:]
		}
		b.WriteString("}\n")
		if b.Len() > 4<<20 {
			break
		}
	}
	if variables > 1 {
		b.WriteString(`{"process":"P0","set":{"v":1`)
		for v := range variables {
			fmt.Fprintf(&b, `,"v%d":%d`, v, v)
		}
		b.WriteString("}}\n")
	}
	return b.Bytes()
}

// trace makes a trace.
func (g *generator) trace() sample {
	s := of(g, g.samples.traces...)
	for !s.read && g.often(80) {
		s = of(g, g.samples.traces...)
	}
	if g.often(40) {
		s = simple
		s.text = g.native()
	}
	if g.often(30) {
		s.text = g.mutated(s.text)
	}
	return s
}

// packed compresses a text, at times, and cuts it off, at times.
func (g *generator) packed(text []byte) []byte {
	var b bytes.Buffer
	switch g.IntN(10) {
	case 0:
		z := gzip.NewWriter(&b)
		_, _ = z.Write(text) // a bytes.Buffer takes everything, here and below
		if g.often(25) {     // a long line, which compresses well
			for range g.power(3) {
				_, _ = z.Write(bytes.Repeat([]byte(of(g, "x", " ", "[", `{"a":`)), 1<<18))
			}
		}
		_ = z.Close()
	case 1:
		z, _ := zstd.NewWriter(&b)
		_, _ = z.Write(text)
		_ = z.Close()
	default:
		return text
	}
	if g.often(20) {
		return g.mutated(b.Bytes())
	}
	return b.Bytes()
}

// formula makes a formula over what a trace mentions.
func (g *generator) formula(known *sample) string {
	var f string
	switch {
	case g.often(10):
		f = of(g, g.samples.formulas...)
	case g.often(8):
		f = g.long(known)
	default:
		f = g.random(known, 1+g.IntN(5))
	}
	if g.often(8) {
		f = string(g.mutated([]byte(f)))
	}
	return f
}

// random makes a formula of a depth: temporal operators, connectives, quantifiers and aggregates.
func (g *generator) random(known *sample, depth int) string {
	if depth == 0 {
		return g.atom(known)
	}
	sub := func() string { return g.random(known, depth-1-g.IntN(depth)) }
	switch g.IntN(12) {
	case 0, 1, 2:
		return of(g, "AG", "EF", "AF", "EG", "AX", "EX", "!") + "(" + sub() + ")"
	case 3:
		return of(g, "A", "E") + "[" + sub() + of(g, " U ", " W ", " R ") + sub() + "]"
	case 4, 5, 6:
		op := of(g, " && ", " || ", " -> ", " <-> ")
		parts := []string{"(" + sub() + ")"}
		for range 1 + g.IntN(4) {
			parts = append(parts, "("+sub()+")")
		}
		return strings.Join(parts, op)
	case 7:
		i, two := of(g, " i", " i in \"P*\"", " i having "+g.name(known)), false
		if g.often(40) {
			i, two = of(g, " i != j", " i, j")+" having "+g.name(known), true
		}
		return of(g, "EF", "AG") + "(" + of(g, "forall", "exists") + i + ": (" + g.indexed(known, two) + of(g, " && ", " || ", " -> ") + g.indexed(known, two) + "))"
	case 8:
		i := of(g, " i: ", " i having "+g.name(known)+": ")
		value := "(count" + i + g.indexed(known, false) + ")"
		if g.often(50) {
			value = "(" + of(g, "sum", "min", "max") + i + g.name(known) + "@i)"
		}
		return of(g, "EF", "AG") + "(" + value + of(g, " >= ", " == ", " < ") + fmt.Sprint(g.IntN(5)) + ")"
	}
	return of(g, "AG", "EF", "AF", "EG") + "(" + sub() + ")"
}

// numeric returns a variable that holds numbers, nearly always.
func (g *generator) numeric(known *sample) string {
	if len(known.variables[0]) == 0 || g.often(1) {
		return of(g, "x", "1", "length")
	}
	return of(g, known.variables[0]...)
}

// name returns the name of a variable without its process.
func (g *generator) name(known *sample) string {
	name, _, _ := strings.Cut(g.numeric(known), "@")
	return name
}

// indexed makes a formula about the process i, and perhaps j.
func (g *generator) indexed(known *sample, j bool) string {
	if j && g.often(50) {
		return fmt.Sprintf("%s@i %s %s@j", g.name(known), of(g, "==", "<", "!="), g.name(known))
	}
	return fmt.Sprintf("%s@i %s %d", g.name(known), of(g, "==", "<", "!="), g.IntN(4))
}

// atom makes a comparison, or names a truth value.
func (g *generator) atom(known *sample) string {
	switch n := g.IntN(10); {
	case n < 2 && len(known.variables[1]) > 0:
		return of(g, known.variables[1]...)
	case n < 4 && len(known.variables[2]) > 0:
		return of(g, known.variables[2]...) + of(g, " == ", " != ") + of(g, `"x"`, `"\u202e"`, `"leader"`)
	case n == 4:
		return fmt.Sprintf("%s + %s %s %d", g.numeric(known), g.numeric(known), of(g, "<=", "==", ">"), g.IntN(9)-2)
	case n == 5:
		return of(g, "true", "false", "transit("+of(g, known.processes...)+", "+of(g, known.processes...)+") <= 1")
	}
	return fmt.Sprintf("%s %s %d", g.numeric(known), of(g, "==", "!=", "<", "<=", ">", ">="), g.IntN(5)-1)
}

// long makes a formula that is long in one way.
func (g *generator) long(known *sample) string {
	n := g.power(5)
	atom := g.atom(known)
	switch g.IntN(7) {
	case 0:
		return strings.Repeat("(", n) + atom + strings.Repeat(")", n)
	case 1:
		return strings.Repeat("!", n) + "(" + atom + ")"
	case 2:
		return strings.Repeat(of(g, "AG ", "EF ", "AG EF ", "AX "), n) + "(" + atom + ")"
	case 3:
		return atom + strings.Repeat(of(g, " && ", " || ", " <-> ", " -> ")+atom, n)
	case 4:
		return "x" + strings.Repeat(of(g, " < x", " + x", " * 2"), n) + " == 1"
	case 5:
		return strings.Repeat("forall i: exists j: ", min(n, 2000)) + "x@i == 1"
	}
	var parts []string
	for range min(n, 2000) {
		parts = append(parts, g.atom(known))
	}
	return of(g, "EF", "AG") + "(" + strings.Join(parts, of(g, " && ", " || ")) + ")"
}

// draw makes a case.
func (g *generator) draw() *testCase {
	c := &testCase{files: make(map[string][]byte)}
	// Most names are plain. Others have what a terminal or a log would obey.
	name := of(g, "trace", "trace", "trace", "trace.jsonl", "a\x1b[31m\u009b\n::error::x", "##[error] x\u202e\xff.log")
	trace := g.trace()
	if g.often(8) { // a directory
		for i := range 1 + g.IntN(5) {
			c.files[fmt.Sprintf("%s/%d", name, i)] = g.packed(trace.text)
			trace = g.trace()
		}
	} else {
		c.files[name] = g.packed(trace.text)
	}
	formula := g.formula(&trace)
	// The system takes neither such arguments nor zero bytes.
	if len(formula) > 100_000 || strings.ContainsRune(formula, 0) {
		formula = "EF(true)"
	}
	write := func() {
		if g.often(60) {
			c.args = append(c.args, "-o", output)
		}
	}
	add := func(percent int, args ...string) {
		if g.often(percent) {
			c.args = append(c.args, args...)
		}
	}
	read := true
	// Each command has its own flags, most of them rare, and some values that must be refused. The
	// trace comes last, except where the command wants something behind it.
	switch g.IntN(18) {
	case 0, 1, 2, 3:
		c.args = []string{"detect"}
		add(100, "--format", of(g, "text", "json", "junit", "sarif", "github"))
		add(40, "--witness")
		add(15, "--verbose")
		add(10, "--no-projection")
		add(10, "--cross-check")
		add(10, "--engine", of(g, "slice", "ends", "intervals", "flow", "sat", "ist", "explicit", "local", "spin", "nosuch"))
		add(10, "--jobs", of(g, "1", "2", "0", "1000"))
		add(10, "--certificate", output)
		add(5, "--shard", of(g, "0/1", "0/2", "1/2", "2/2", "x"))
		add(8, "--stream")
		if g.often(5) {
			c.args = append(c.args[:1], "--skew-sweep")
		}
		if g.often(25) {
			var b strings.Builder
			for i := range 1 + g.IntN(4) {
				fmt.Fprintf(&b, "%s%d: %s\n", of(g, "p", "p\x1b[1m", "::error::p"), i, g.formula(&trace))
			}
			c.files["properties"] = []byte(b.String())
			c.args = append(c.args, "-f", "properties")
		} else {
			c.args = append(c.args, "--", formula)
		}
	case 4:
		c.args = []string{"slice", "--format", of(g, "dot", "svg", "html", "json")}
		write()
		add(100, "--", formula)
	case 5:
		c.args = []string{"translate", "--to", of(g, "promela", "smv")}
		write()
		add(20, "--no-slices")
		add(100, "--", formula)
	case 6:
		c.args = []string{"stats"}
		add(50, "--json")
	case 7:
		c.args = []string{"convert"}
		write()
	case 8:
		c.args = []string{"draw", "--format", of(g, "svg", "html", "dot")}
		write()
		add(20, "--max-events", of(g, "0", "10", "1000000", "-1"))
		add(100, "--")
		c.args = append(c.args, name)
		add(50, formula)
		read = false
	case 9:
		c.args = []string{"lint"}
		add(50, "--json")
		add(100, "--")
		c.args = append(c.args, name)
		add(30, formula)
		read = false
	case 10:
		c.args = []string{"classify"}
		add(50, "--json")
		add(100, "--", formula)
	case 11:
		c.args = []string{"cross-check"}
		add(50, "--json")
		add(100, "--", formula)
	case 12:
		c.args = []string{"verify"}
		add(50, "--json")
		add(30, "--explain")
		// Look for a trace with certificates; not for ever.
		for range 100 {
			if trace.proofs == nil {
				trace = of(g, g.samples.traces...)
			}
		}
		proofs := trace.proofs
		if g.often(70) {
			proofs = g.mutated(proofs)
		}
		if g.often(30) {
			trace.text = g.mutated(trace.text)
		}
		c.files = map[string][]byte{name: trace.text, "proofs": proofs}
		add(100, "--", "proofs")
	case 13:
		c.args = []string{"serve"}
		add(50, "--formula", formula)
		add(10, "--port", of(g, "0", "-1", "x"))
		add(100, "--")
	case 14:
		c.args = []string{"check"}
		add(50, "--json")
		add(40, "--witness")
		add(20, "--verbose")
		add(15, "--cross-check")
		add(15, "--engine", of(g, "crucial", "whole", "spin", "nosuch"))
		add(20, "--trace", output)
		model := of(g, g.samples.models...)
		formula := g.about(model)
		text := model.text
		if g.often(40) {
			text = g.mutated(text)
		}
		c.files = map[string][]byte{name: text}
		c.args = append(c.args, "--", name, formula)
		read = false
	// A watch that is not told to end is ended by a signal below.
	case 15:
		c.args = []string{"watch"}
		add(50, "--json")
		add(80, "--to-end")
		add(30, "--until-final")
		add(30, "--declared")
		add(20, "--window", of(g, "0", "1", "100", "-1"))
		add(20, "--deadline", of(g, "0s", "1ms", "-1s"))
		add(20, "--execution-key", of(g, "session", "process", "id", "x"))
		add(10, "--idle", of(g, "1ms", "1s", "-1s"))
		c.files["properties"] = []byte("p: " + formula + "\n")
		add(100, "-f", "properties", "--")
	case 16:
		c.args = []string{"merge", "--format", of(g, "text", "json", "junit", "sarif", "github")}
		add(20, "--quiet")
		add(20, "--verbose")
		add(100, "--")
		c.files = make(map[string][]byte)
		for i, text := range of(g, g.samples.results...) {
			if g.often(20) {
				text = g.mutated(text)
			}
			if part := fmt.Sprint(name, i); g.often(90) {
				c.files[part] = text
				c.args = append(c.args, part)
			}
		}
		read = false
	case 17:
		c.args = []string{of(g, "map", "map", "map", "simulate", "help", "completion", "formats", string(g.mutated([]byte("detect"))))}
		switch c.args[0] {
		case "map":
			write()
			add(90, "--guess")
		case "simulate":
			if g.often(50) {
				c.files = map[string][]byte{"model.pml": g.mutated(of(g, g.samples.models...).text)}
				c.args = append(c.args, "--events", fmt.Sprint(g.power(5)), "--seed", fmt.Sprint(g.IntN(100)), "model.pml")
				read = false
				break
			}
			c.args = append(c.args, "--processes", of(g, "2", "3", "5", "100", "-1"), "--events", fmt.Sprint(g.power(7)), of(g, "mutex", "raft", "random", "nosuch\x1b[1m"))
			write()
			read = false
		default:
			c.args = append(c.args, string(g.mutated([]byte("detect"))))
			// These are no commands: anything may stand here that the system can pass.
			for i, a := range c.args {
				c.args[i] = strings.ReplaceAll(a[:min(len(a), 1000)], "\x00", "")
			}
			return c
		}
	}
	if read {
		add(100, name)
	}
	g.flags(c)
	// A trace that needs a mapping gets it mostly, and sometimes a damaged one.
	if trace.mapping != nil && read && g.often(80) && !c.has("--map") && c.args[0] != "map" && c.args[0] != "watch" {
		c.files["mapping"] = trace.mapping
		if g.often(20) {
			c.files["mapping"] = g.mutated(trace.mapping)
		}
		c.args = slices.Insert(c.args, 1, "--map", "mapping")
	}
	if c.args[0] == "serve" || c.args[0] == "watch" && !c.has("--to-end") { // which end only so
		c.signal = g.ending()
		c.delay = time.Duration(g.power(3)) * time.Millisecond
	}
	if c.args[0] == "serve" || c.args[0] == "watch" {
		c.limit = 0
	}
	return c
}

// about makes a formula about a model.
func (g *generator) about(m model) string {
	if len(m.formulas) > 0 && g.often(60) {
		return of(g, m.formulas...)
	}
	// Words of the model are its processes, labels, variables and keywords: enough to meet
	// existing ones often.
	words := regexp.MustCompile(`[A-Za-z_]\w*`).FindAllString(string(m.text), -1)
	word := func() string { return of(g, append(words, "x")...) }
	atom := func() string {
		switch g.IntN(4) {
		case 0:
			return fmt.Sprintf(`at@"%s:%d" == "%s"`, word(), g.IntN(3), word())
		case 1:
			return fmt.Sprintf("len(%s)%s%d", word(), of(g, " == ", " < "), g.IntN(3))
		case 2:
			return word()
		}
		return fmt.Sprintf("%s%s%d", word(), of(g, " == ", " != ", " <= ", " > "), g.IntN(4))
	}
	f := of(g, "AG", "EF", "AF", "EG", "AG EF ") + "(" + atom() + of(g, " && ", " || ", " -> ") + atom() + ")"
	if g.often(10) {
		f = strings.ReplaceAll(string(g.mutated([]byte(f))), "\x00", "")
	}
	return f
}

// ending returns a signal that ends a program. Signals that are ignored here, as by nohup, the
// program ignores, too.
func (g *generator) ending() syscall.Signal {
	if s := of(g, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP); !signal.Ignored(s) {
		return s
	}
	return syscall.SIGTERM
}

// flags adds flags for reading, and limits.
func (g *generator) flags(c *testCase) {
	insert := func(args ...string) { c.args = append(append([]string{c.args[0]}, args...), c.args[1:]...) }
	if !slices.Contains([]string{"simulate", "check", "watch", "merge"}, c.args[0]) {
		// Twenty of thirty cases have no flag for reading.
		switch g.IntN(30) {
		case 0:
			c.files["mapping"] = g.mutated(of(g, g.samples.mappings...))
			insert("--map", "mapping")
		case 1:
			c.files["order"] = g.mutated(of(g, g.samples.orders...))
			insert("--order", "order")
		case 2:
			insert("--input", of(g, "native", "otlp", "stdouttrace", "jaeger", "zipkin", "gotrace", "spin", "mermaid", "shiviz", "etcd-raft"))
		case 3:
			insert("--allow-truncated")
		case 4:
			insert("--skew", of(g, "0s", "1ms", "100h", "-1s"))
		case 5, 6, 7, 8:
			insert("--execution", of(g, "1", "1", "1", "2", "x"))
		case 10:
			insert("--map", of(g, "zookeeper", "hadoop", "hdfs", "raft-log", "hashicorp-raft", "ccf", "nosuch"))
			if g.often(50) {
				insert("--skip-lines")
			}
		case 9:
			insert("--regexp", of(g, `(?<host>\S*) (?<clock>{.*})\n(?<event>.*)`, `(?<event>.*)`, `(`, `(.*)*x`))
		}
	}
	// All limits are small, so that they are met often.
	c.limit = of(g, 200*time.Millisecond, time.Second, 2*time.Second, 4*time.Second)
	c.memory = of(g, int64(64<<20), 128<<20, 256<<20, 1<<30)
	if g.often(5) {
		c.signal = of(g, g.ending(), g.ending(), syscall.SIGKILL)
		c.delay = time.Duration(g.IntN(300)) * time.Millisecond
	}
}
