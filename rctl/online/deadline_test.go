package online

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/clocks"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	known "github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// A stamped event has a time in seconds.
type stamped struct {
	process, at int
	op, req     string
	h           bool
	from        int // the event that it receives from, -1 for none
}

// stampedStream returns events of three processes in the order of their times, which clocks show with an error
// of 0 to skew, if that does not make one run backwards. There is a step between two at least.
func stampedStream(r *rand.Rand, skew, step int) []stamped {
	var all []stamped
	now := 0
	shown := [3]int{-1, -1, -1}
	for n := 3 + r.IntN(8); len(all) < n; {
		now += step + r.IntN(3)
		e := stamped{
			process: r.IntN(3),
			op:      string("abc"[r.IntN(3)]),
			req:     string("xy"[r.IntN(2)]),
			h:       r.IntN(2) == 0,
			from:    -1,
		}
		e.at = max(now-r.IntN(skew+1), shown[e.process])
		shown[e.process] = e.at
		if from := r.IntN(len(all) + 1); from < len(all) && all[from].process != e.process && r.IntN(3) == 0 {
			e.from = from
		}
		all = append(all, e)
	}
	return all
}

// stampedLine returns what event i of some tells.
func stampedLine(all []stamped, i int) *stream.Line {
	e := &all[i]
	l := &stream.Line{
		Process: fmt.Appendf(nil, "P%d", e.process),
		ID:      fmt.Append(nil, i),
		Time:    fmt.Append(nil, e.at),
		Values: []stream.Assignment{
			{Name: []byte("op"), Value: graphs.Str(e.op)},
			{Name: []byte("req"), Value: graphs.Str(e.req)},
			{Name: []byte("h"), Value: graphs.Boolean(e.h)},
		},
	}
	if e.from >= 0 {
		l.After = [][]byte{fmt.Append(nil, e.from)}
	}
	return l
}

// whole returns the execution.
func whole(t *testing.T, all []stamped, begins [3]bool) *graphs.Computation {
	t.Helper()
	var b graphs.Builder
	for p := range 3 {
		b.Init(b.Variable(b.Process(fmt.Sprint("P", p)), "h"), graphs.Boolean(begins[p]))
	}
	var handles []graphs.Handle
	for i, e := range all {
		h := b.Event(e.process)
		b.SetTime(h, fmt.Sprint(e.at))
		b.SetID(h, fmt.Append(nil, i))
		b.Set(b.Variable(e.process, "op"), h, graphs.Str(e.op))
		b.Set(b.Variable(e.process, "req"), h, graphs.Str(e.req))
		b.Set(b.Variable(e.process, "h"), h, graphs.Boolean(e.h))
		if e.from >= 0 {
			b.Order(handles[e.from], h)
		}
		handles = append(handles, h)
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A boundedFormula is one with its parts, by the definition.
type boundedFormula struct {
	text   string
	bound  int
	strict bool
	req    bool
	p, q   func(e *stamped) (is, changes bool) // changes: it is a state of P0 or P1, and is true or false after e
	begins [2]int                              // the process with the state at first, -1 for none
}

// randomBounded draws a formula.
func randomBounded(r *rand.Rand) boundedFormula {
	f := boundedFormula{bound: r.IntN(8), strict: r.IntN(3) == 0, begins: [2]int{-1, -1}}
	f.req = r.IntN(2) == 0
	var texts [2]string
	side := func(i int, op string) func(e *stamped) (bool, bool) {
		if !f.req && r.IntN(3) > 0 {
			p := r.IntN(2)
			f.begins[i] = p
			texts[i] = fmt.Sprintf("h@P%d", p)
			return func(e *stamped) (bool, bool) { return e.h, e.process == p }
		}
		at := r.IntN(6)
		if i == 0 && !f.req {
			at = r.IntN(3)
		}
		texts[i] = fmt.Sprintf("once(op == %q", op)
		if f.req {
			texts[i] += " && req == r"
		}
		if texts[i] += ")"; at < 3 {
			texts[i] += fmt.Sprint("@P", at)
		}
		return func(e *stamped) (bool, bool) { return e.op == op && (at >= 3 || at == e.process), false }
	}
	f.p = side(0, "a")
	f.q = side(1, "b")
	f.text = fmt.Sprintf("AG(%s -> AF[%s %ds] %s)", texts[0], map[bool]string{true: "<", false: "<="}[f.strict], max(f.bound, 1), texts[1])
	if f.bound = max(f.bound, 1); f.req {
		f.text = "forall r in values(req): " + f.text
	}
	return f
}

// fails reports whether some obligation is not met, of some events alone: by the definition at each second. Only
// those count with deadlines below a watermark.
func (f *boundedFormula) fails(all []stamped, in []bool, begins [3]bool, watermark int) bool {
	for _, req := range []string{"x", "y"} {
		// What is true at each time, from the first event on.
		const end = 100
		var p, q [end]bool
		var rises [end]bool
		var starts [2]bool
		first := end
		for i := range all {
			if in[i] {
				first = min(first, all[i].at)
			}
		}
		if first == end {
			continue
		}
		for i, is := range []*[end]bool{&p, &q} {
			now := f.begins[i] >= 0 && begins[f.begins[i]]
			starts[i] = now
			for at := first; at < end; at++ {
				for k := range all {
					e := &all[k]
					if !in[k] || e.at != at || f.req && e.req != req {
						continue
					}
					to, changes := []func(*stamped) (bool, bool){f.p, f.q}[i](e)
					if f.begins[i] >= 0 && changes || f.begins[i] < 0 && to {
						now = to
					}
				}
				is[at] = now
				if i == 0 {
					rises[at] = now && (at == first || !p[at-1])
				}
			}
		}
		for at := first; at < end; at++ {
			last := at + f.bound
			if f.strict {
				last--
			}
			// What is true at first counts from the first event, whatever that does.
			if at == first && starts[0] {
				rises[at] = !starts[1]
			}
			met := false
			for k := at; k <= last && k < end; k++ {
				met = met || q[k]
			}
			if rises[at] && !met && at+f.bound < watermark {
				return true
			}
		}
		if !f.req {
			break
		}
	}
	return false
}

// TestDeadlines compares answers with the definition at each prefix of streams, and at the end with pota detect.
func TestDeadlines(t *testing.T) {
	finals := [2]int{}
	rounds := graphtest.RoundsUpTo(t, 1600, 5000)
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 357))
		all := stampedStream(r, 0, 1)
		form := randomBounded(r)
		f, err := syntax.Parse(form.text)
		if err != nil {
			t.Fatal(err)
		}
		m := New([]*syntax.Formula{f}, Options{})
		if len(m.following) != 1 {
			t.Fatalf("%s is not decided by deadlines", form.text)
		}
		var begins [3]bool
		add := func(l *stream.Line) {
			if err := m.Add(l); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		for p := range begins {
			begins[p] = r.IntN(4) == 0
			add(&stream.Line{
				Kind:    stream.Declaration,
				Process: fmt.Appendf(nil, "P%d", p),
				Values:  []stream.Assignment{{Name: []byte("h"), Value: graphs.Boolean(begins[p])}},
			})
		}
		fail := func(format string, args ...any) {
			t.Helper()
			var lines []string
			for i, e := range all {
				lines = append(lines, fmt.Sprintf("%d: P%d at %d %s(%s) h=%v from %d", i, e.process, e.at, e.op, e.req, e.h, e.from))
			}
			t.Fatalf("seed %d: %s, at first %v\n%s\n%s", seed, form.text, begins, strings.Join(lines, "\n"), fmt.Sprintf(format, args...))
		}
		in := make([]bool, len(all))
		closed := [3]bool{}
		left := [3][]int{}
		for i, e := range all {
			left[e.process] = append(left[e.process], i)
		}
		var final *Answer
		for {
			var open []int
			for p := range left {
				if !closed[p] {
					open = append(open, p)
				}
			}
			if len(open) == 0 || len(open) < 3 && r.IntN(9) == 0 {
				break
			}
			p := open[r.IntN(len(open))]
			if len(left[p]) == 0 {
				closed[p] = true
				add(&stream.Line{Kind: stream.Closing, Process: fmt.Appendf(nil, "P%d", p)})
			} else {
				i := left[p][0]
				left[p] = left[p][1:]
				add(stampedLine(all, i))
				in[i] = true
			}
			answers, err := m.Decide(context.Background())
			if err != nil {
				fail("%v", err)
			}
			// What waits for its past has not been shown.
			admitted := admittedOf(all, in)
			watermark, some := 1000, 0
			for p := range closed {
				shown := -1
				for i := range all {
					if admitted[i] && all[i].process == p {
						shown = all[i].at
					}
				}
				over := closed[p] && !slices.ContainsFunc(left[p], func(int) bool { return true })
				for i := range all {
					over = over && (all[i].process != p || admitted[i])
				}
				if some = max(some, shown); !over {
					watermark = min(watermark, shown)
				}
			}
			want := form.fails(all, admitted, begins, min(watermark, some))
			if final == nil && len(answers) > 0 {
				final = &answers[0]
				finals[0]++
			}
			if got := final != nil; got != want || got && final.Verdict != rctl.Fails {
				fail("%v: %v, want %v", in, answers, want)
			}
			if got := m.following[0].of.(*deadline).late.Count; got > 0 {
				fail("%d are late", got)
			}
		}
		// A stream may end early.
		var rest []stamped
		for i, e := range all {
			if in[i] {
				rest = append(rest, e)
			}
		}
		if slices.ContainsFunc(rest, func(e stamped) bool { return e.from >= 0 && !in[e.from] }) {
			continue
		}
		for i := range rest {
			if from := rest[i].from; from >= 0 {
				n := 0
				for k := range from {
					if in[k] {
						n++
					}
				}
				rest[i].from = n
			}
		}
		answers, err := m.End(context.Background())
		if err != nil {
			fail("%v", err)
		}
		if final == nil && len(answers) > 0 {
			final = &answers[0]
			finals[1]++
		}
		if len(rest) == 0 {
			continue
		}
		c, g, err := rctl.Resolve(t.Context(), whole(t, rest, begins), f)
		if err != nil {
			fail("%v", err)
		}
		want, err := rctl.Check(t.Context(), c, g, rctl.Options{})
		if err != nil || final == nil || final.Verdict != want.Verdict {
			fail("%v at the end, want %v (%v)", final, want, err)
		}
		if final.Verdict == rctl.Fails && final.Reason == "" {
			fail("no obligation is named")
		}
	}
	if finals[0] < rounds/10 || finals[1] < rounds/10 {
		t.Errorf("%v of %d were final", finals, rounds)
	}
}

// admittedOf returns which events are in, with all of their pasts.
func admittedOf(all []stamped, in []bool) []bool {
	admitted := make([]bool, len(all))
	for i, e := range all {
		admitted[i] = in[i] && (e.from < 0 || admitted[e.from])
		for k := range i {
			admitted[i] = admitted[i] && (all[k].process != e.process || admitted[k])
		}
	}
	return admitted
}

// TestDeadlinesSkew: what is decided where clocks agree within a bound is what pota detect says. Only where messages
// tell more of the clocks, an answer may be unknown that is a verdict there.
func TestDeadlinesSkew(t *testing.T) {
	decided, open, short := 0, 0, 0
	rounds := graphtest.RoundsUpTo(t, 800, 5000)
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 358))
		skew := time.Duration(r.IntN(4))
		all := stampedStream(r, int(skew), 0)
		form := randomBounded(r)
		f, err := syntax.Parse(form.text)
		if err != nil {
			t.Fatal(err)
		}
		c := whole(t, all, [3]bool{})
		readings, err := clocks.Read(t.Context(), c, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		model, err := readings.Skew(max(skew*time.Second, readings.Least()))
		if err != nil {
			t.Fatal(err)
		}
		m := New([]*syntax.Formula{f}, Options{Skew: skew * time.Second})
		for p := range 3 {
			l := stream.Line{Kind: stream.Declaration, Process: fmt.Appendf(nil, "P%d", p)}
			l.Values = []stream.Assignment{{Name: []byte("h"), Value: graphs.Boolean(false)}}
			if err := m.Add(&l); err != nil {
				t.Fatal(err)
			}
		}
		var left [3][]int
		for i, e := range all {
			left[e.process] = append(left[e.process], i)
		}
		for range all {
			p := r.IntN(3)
			for len(left[p]) == 0 {
				p = (p + 1) % 3
			}
			if err := m.Add(stampedLine(all, left[p][0])); err != nil {
				t.Fatal(err)
			}
			left[p] = left[p][1:]
			if _, err := m.Decide(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := m.End(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := m.Answer(0)
		// A verdict must not depend on what clocks leave open.
		var verdicts []rctl.Verdict
		for _, favour := range []bool{false, true} {
			g, err := rctl.ResolveWith(t.Context(), c, f, known.Times{Model: model, InFavour: favour})
			if err != nil {
				t.Fatal(err)
			}
			v, err := rctl.Check(t.Context(), g.Computation, g.Formula, rctl.Options{})
			if err != nil {
				t.Fatal(err)
			}
			verdicts = append(verdicts, v.Verdict)
		}
		want := verdicts[0]
		if verdicts[1] != want {
			open++
			want = rctl.Unknown
		} else {
			decided++
		}
		if got.Verdict == rctl.Unknown && want != rctl.Unknown && skew > 0 {
			short++
			continue
		}
		if got.Verdict != want {
			t.Fatalf("seed %d: %s, %d, %v: %v, want %v", seed, form.text, skew, all, got, want)
		}
	}
	if short > rounds/200 {
		t.Errorf("%d are unknown, and pota detect decides them", short)
	}
	if decided < rounds/3 || open < rounds/40 {
		t.Errorf("%d were decided, %d open", decided, open)
	}
}

// After a failure lines change nothing, whichever they are.
func TestDeadlineGivenUp(t *testing.T) {
	line := func(kind stream.Kind, process, name string, value bool, at string) stream.Line {
		l := stream.Line{Kind: kind, Process: []byte(process), Time: []byte(at)}
		if name != "" {
			l.Values = []stream.Assignment{{Name: []byte(name), Value: graphs.Boolean(value)}}
		}
		return l
	}
	for text, lines := range map[string][]stream.Line{
		"a declaration": {
			line(stream.Declaration, "A", "x", false, ""),
			line(stream.Event, "A", "x", true, ""),
			line(stream.Declaration, "B", "y", false, ""),
			line(stream.Event, "B", "y", true, "3"),
		},
		"a process without events closes": {
			line(stream.Declaration, "A", "x", true, ""),
			line(stream.Event, "B", "", false, "3"),
			line(stream.Event, "B", "y", true, ""),
			line(stream.Closing, "A", "", false, ""),
		},
	} {
		m := New([]*syntax.Formula{parsed(t, "AG(x@A -> AF[<= 5s] y@B)")}, Options{})
		for i := range lines {
			if err := m.Add(&lines[i]); err != nil {
				t.Fatal(text, err)
			}
			if _, err := m.Decide(t.Context()); err != nil {
				t.Fatal(text, err)
			}
		}
		if _, err := m.End(t.Context()); err != nil || m.Answer(0).Verdict != rctl.Unknown || m.Answer(0).Reason == "" {
			t.Error(text, m.Answer(0), err)
		}
	}
}
