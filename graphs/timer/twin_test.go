package timer_test

import (
	"context"
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
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/mapped"
	"github.com/pota-project/pota/graphs/trace/native"
)

var background = context.Background()

// A line is an event of a process, with what it says of the timers x and y.
type line struct {
	process, at int
	id          string
	timers      map[string]start
}

// start is how long a timer runs, negative for one that is canceled.
type start struct {
	in    int
	until bool // the trace says the time when it ends
}

// lines returns random lines of up to three processes. Clocks may be set back.
func lines(r *rand.Rand) []line {
	var all []line
	now := make([]int, 1+r.IntN(3))
	for i := range 1 + r.IntN(8) {
		p := r.IntN(len(now))
		now[p] = max(0, now[p]+r.IntN(5)-r.IntN(2)*r.IntN(3))
		l := line{process: p, at: now[p], timers: make(map[string]start)}
		if r.IntN(3) == 0 {
			l.id = "e" + strconv.Itoa(i)
		}
		for _, name := range []string{"x", "y"} {
			switch r.IntN(6) {
			case 0, 1:
				l.timers[name] = start{in: r.IntN(6), until: r.IntN(2) == 0}
			case 2:
				l.timers[name] = start{in: -1}
			}
		}
		all = append(all, l)
	}
	return all
}

// want returns the events of all processes as a definition has them: a timer ends before the first later
// line of its process that is later than the timer is due, if no line up to there names it.
func want(all []line) string {
	var b strings.Builder
	for p := range 3 {
		var mine []line
		for _, l := range all {
			if l.process == p {
				mine = append(mine, l)
			}
		}
		ends := make([][]end, len(mine)+1) // before each line, and at the end
		for i, l := range mine {
			for name, s := range l.timers {
				if s.in < 0 {
					continue
				}
				due := l.at + s.in
				j := i + 1
				for j < len(mine) && mine[j].at <= due {
					j++
				}
				named := func(l line) bool { _, ok := l.timers[name]; return ok }
				if !slices.ContainsFunc(mine[i+1:j], named) {
					ends[j] = append(ends[j], end{due, i, name})
				}
			}
		}
		for i := range ends {
			slices.SortFunc(ends[i], func(a, b end) int {
				return strings.Compare(fmt.Sprintf("%4d %4d %s", a.due, a.start, a.name), fmt.Sprintf("%4d %4d %s", b.due, b.start, b.name))
			})
			for _, e := range ends[i] {
				fmt.Fprintf(&b, "%s.%s %d timer %[2]s %[2]s=0\n", id(mine, e.start), e.name, e.due)
			}
			if i == len(mine) {
				continue
			}
			fmt.Fprintf(&b, "%s %d ", id(mine, i), mine[i].at)
			for _, name := range []string{"x", "y"} {
				if s, ok := mine[i].timers[name]; ok {
					fmt.Fprintf(&b, " %s=%d", name, s.in+2)
				}
			}
			fmt.Fprintln(&b)
		}
	}
	return b.String()
}

// end is a timer that ends: when, the line that started it, and its name.
type end struct {
	due, start int
	name       string
}

// id returns the id of the i-th event of a process, ends of timers not counted.
func id(mine []line, i int) string {
	if mine[i].id != "" {
		return mine[i].id
	}
	return fmt.Sprintf("P%d:%d", mine[i].process, i+1)
}

// describe writes the events of a computation as want does.
func describe(c *graphs.Computation) string {
	var b strings.Builder
	for p := range 3 {
		p, ok := c.ProcessNumber("P" + strconv.Itoa(p))
		if !ok {
			continue
		}
		for k := 1; k <= c.Len(p); k++ {
			e := c.Event(p, k)
			fmt.Fprintf(&b, "%s %s %s", c.ID(e), c.Time(e), c.Label(e))
			for _, name := range []string{"x", "y"} {
				v := c.Variable(p, name)
				if v == nil {
					continue
				}
				if i := slices.Index(v.Events(), e); i >= 0 {
					fmt.Fprintf(&b, " %s=%v", name, v.Value(i))
				}
			}
			fmt.Fprintln(&b)
		}
	}
	return b.String()
}

// nativeText writes lines in the native format.
func nativeText(all []line) string {
	var b strings.Builder
	for _, l := range all {
		fmt.Fprintf(&b, `{"process":"P%d","time":%d`, l.process, l.at)
		if l.id != "" {
			fmt.Fprintf(&b, `,"id":%q`, l.id)
		}
		var sets, timers []string
		for _, name := range []string{"x", "y"} {
			s, ok := l.timers[name]
			if !ok {
				continue
			}
			sets = append(sets, fmt.Sprintf("%q:%d", name, s.in+2))
			how := fmt.Sprintf(`"in":"%ds"`, s.in)
			if s.until {
				how = fmt.Sprintf(`"at":%d`, l.at+s.in)
			}
			end := fmt.Sprintf(`{%s,"set":{"%s":0}}`, how, name)
			if s.in < 0 {
				end = "null"
			}
			timers = append(timers, fmt.Sprintf("%q:%s", name, end))
		}
		if sets != nil {
			fmt.Fprintf(&b, `,"set":{%s},"timer":{%s}`, strings.Join(sets, ","), strings.Join(timers, ","))
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// mapping reads what logText writes.
const mapping = `{"process":"/p","time":"/t","variables":{
 "x":[{"when":{"/x/ttl":"*"},"at":"/x/v","ttl":"/x/ttl"},{"at":"/x/v","until":"/x/until","then":0}],
 "y":[{"when":{"/y/ttl":"*"},"at":"/y/v","ttl":"/y/ttl"},{"at":"/y/v","until":"/y/until","then":0}]}}`

// logText writes lines as a log, for mapping.
func logText(all []line) string {
	var b strings.Builder
	for _, l := range all {
		fmt.Fprintf(&b, `{"p":"P%d","t":%d`, l.process, l.at)
		for _, name := range []string{"x", "y"} {
			s, ok := l.timers[name]
			switch {
			case !ok:
			case s.in < 0:
				fmt.Fprintf(&b, `,"%s":{"v":%d}`, name, s.in+2)
			case s.until:
				fmt.Fprintf(&b, `,"%s":{"v":%d,"until":%d}`, name, s.in+2, l.at+s.in)
			default:
				fmt.Fprintf(&b, `,"%s":{"v":%d,"ttl":"%[3]ds"}`, name, s.in+2, s.in)
			}
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// streamed returns the computation of a stream that gets the lines that read passes on.
func streamed(t *testing.T, read func(take func(l *stream.Line) error) error) *graphs.Computation {
	t.Helper()
	s := stream.New(stream.Options{})
	s.SetView(stream.View{Whole: true, Everything: true, AnyChannel: true})
	if err := read(s.Add); err != nil {
		t.Fatal(err)
	}
	if err := s.End(); err != nil {
		t.Fatal(err)
	}
	w, err := s.Window(s.Marks()[s.Mark()], false)
	if err != nil {
		t.Fatal(err)
	}
	return w.Computation
}

// All readers end timers according to the definition, and written traces read back.
func TestTwin(t *testing.T) {
	m, err := mapped.Parse("m.json", []byte(mapping))
	if err != nil {
		t.Fatal(err)
	}
	opts := trace.Options{Names: true}
	file := filepath.Join(t.TempDir(), "trace")
	open := func(text string) *trace.Source {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		source, err := trace.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		return source
	}
	ends := 0
	for seed := range uint64(graphtest.Rounds(t, 500)) {
		all := lines(rand.New(rand.NewPCG(seed, 1)))
		check := func(how string, got *graphs.Computation, err error, want string) {
			t.Helper()
			if err != nil {
				t.Fatalf("seed %d, %s: %v\n%s", seed, how, err, nativeText(all))
			}
			if g := describe(got); g != want {
				t.Fatalf("seed %d, %s\n%s\ngot\n%s\nwant\n%s", seed, how, nativeText(all), g, want)
			}
		}
		text, expected := nativeText(all), want(all)
		ends += strings.Count(expected, "timer")
		c, err := native.Read(background, open(text), opts)
		check("native", c, err, expected)
		check("stream", streamed(t, func(take func(*stream.Line) error) error {
			var s native.Scanner
			return s.Scan([]byte(text), func(_ int, l *stream.Line) error { return take(l) })
		}), nil, expected)

		var b strings.Builder
		if err := native.Write(&b, c, nil); err != nil {
			t.Fatal(err)
		}
		again, err := native.Read(background, open(b.String()), opts)
		check("written "+b.String(), again, err, expected)
		if c.NumTimers() != again.NumTimers() {
			t.Fatalf("seed %d: %d timers, and %d written", seed, c.NumTimers(), again.NumTimers())
		}

		for i := range all {
			all[i].id = "" // mappings know none
		}
		expected = want(all)
		c, err = m.Read(background, open(logText(all)), opts)
		check("mapped", c, err, expected)
		known, err := mapped.NewKnown(m, opts)
		if err != nil {
			t.Fatal(err)
		}
		check("mapped stream", streamed(t, func(take func(*stream.Line) error) error {
			s := known.NewScanner("log")
			return s.Scan([]byte(logText(all)), func(_ int, l *stream.Line) error { return take(l) })
		}), nil, expected)
	}
	if ends == 0 {
		t.Error("no timer ended")
	}
}
