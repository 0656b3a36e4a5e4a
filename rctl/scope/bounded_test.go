package scope_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/clocks"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// The twin of bounds on time tries all true times, and all runs in their order. Each formula comes
// with its meaning as a Go function.

// timed returns a random computation whose events have times, a kind o and a request k, and a
// Boolean v.
func timed(t testing.TB, r *rand.Rand, kind string) *graphs.Computation {
	var b graphs.Builder
	n := 1 + r.IntN(3)
	for p := range n {
		b.Process("P" + strconv.Itoa(p))
		b.Init(b.Variable(p, "v"), graphs.Boolean(r.IntN(3) == 0))
	}
	for i := range 1 + r.IntN(5) {
		p := r.IntN(n)
		h := b.Event(p)
		if i > 0 && r.IntN(2) == 0 {
			if e := graphs.Handle(r.IntN(i)); b.ProcessOf(e) != p {
				b.Order(e, h)
			}
		}
		b.Set(b.Variable(p, "o"), h, graphs.Int(int64(r.IntN(3))))
		b.Set(b.Variable(p, "k"), h, graphs.Int(int64(r.IntN(2))))
		if r.IntN(2) == 0 {
			b.Set(b.Variable(p, "v"), h, graphs.Boolean(r.IntN(2) == 0))
		}
		at := max(0, min(5, i-1+r.IntN(3)))
		text := strconv.Itoa(at)
		if kind == "intervals" {
			text = fmt.Sprintf("[%d,%d]", at, at+r.IntN(3))
		}
		b.SetTime(h, text)
		if i > 0 && r.IntN(8) == 0 {
			if e := graphs.Handle(r.IntN(i)); b.ProcessOf(e) != p {
				b.Sync(e, h)
			}
		}
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A state is the set of events that have happened.
type state struct {
	c    *graphs.Computation
	done map[graphs.Event]bool
}

// A predicate is one in Go.
type predicate func(s state) bool

// value returns what a process has for v.
func (s state) value(p int) bool {
	v := s.c.Variable(p, "v")
	now := v.Init.Bool()
	for i, e := range v.Events() {
		if s.done[e] {
			now = v.Value(i).Bool()
		}
	}
	return now
}

// once reports whether an event of a kind and a request has happened, on process p or, for -1, on
// any.
func (s state) once(o, k, p int) bool {
	for e := range s.done {
		if p >= 0 && s.c.Process(e) != p {
			continue
		}
		if field(s.c, e, "o") == int64(o) && (k < 0 || field(s.c, e, "k") == int64(k)) {
			return true
		}
	}
	return false
}

// field returns what an event assigns to o or k, which all do.
func field(c *graphs.Computation, e graphs.Event, name string) int64 {
	v := c.Variable(c.Process(e), name)
	for i, f := range v.Events() {
		if e == f {
			return v.Value(i).Int64()
		}
	}
	return -1
}

// A line is one run: the states and when each begins. The last state begins with the last event.
type line struct {
	states []state
	at     []int
	end    int
}

// lineOf returns the line of a run.
func lineOf(c *graphs.Computation, steps [][]graphs.Event, times []int) line {
	l := line{states: []state{{c, map[graphs.Event]bool{}}}, at: []int{0}}
	for i, step := range steps {
		if i == 0 {
			l.at[0] = times[0]
		}
		next := state{c, map[graphs.Event]bool{}}
		for e := range l.states[i].done {
			next.done[e] = true
		}
		for _, e := range step {
			next.done[e] = true
		}
		l.states, l.at, l.end = append(l.states, next), append(l.at, times[i]), times[i]
	}
	return l
}

// waits returns how long q took, for each time that p became true.
func (l line) waits(p, q predicate) (all []int) {
	for i := range l.states {
		if !p(l.states[i]) || i > 0 && p(l.states[i-1]) {
			continue
		}
		took := math.MaxInt
		for k := i; k < len(l.states); k++ {
			if q(l.states[k]) {
				took = l.at[k] - l.at[i]
				break
			}
		}
		all = append(all, took)
	}
	return all
}

// lasted returns how long each stretch with p took: all of them, and those that begin and end in
// the trace.
func (l line) lasted(p predicate) (all, inside []int) {
	begin := -1
	for i := 0; i <= len(l.states); i++ {
		within := i < len(l.states) && p(l.states[i])
		if within && begin < 0 {
			begin = i
		}
		if within || begin < 0 {
			continue
		}
		end := l.end
		if i < len(l.states) {
			end = l.at[i]
		}
		all = append(all, end-l.at[begin])
		if begin > 0 && i < len(l.states) {
			inside = append(inside, end-l.at[begin])
		}
		begin = -1
	}
	return all, inside
}

// A sentence is a formula and what it says.
type sentence struct {
	text    string
	decided func(l line) bool
	// waits returns how long q takes after each p, and one that surely does not meet the bound is
	// enough to fail; nil for other sentences
	waits func(l line) []int
	meets func(took int) bool
}

// random returns a random sentence about a computation.
func random(r *rand.Rand, c *graphs.Computation) sentence {
	n := c.NumProcesses()
	p := r.IntN(n)
	d := r.IntN(5)
	k := -1 // any request
	request := ""
	prefix := ""
	if r.IntN(2) == 0 {
		k = int(field(c, graphs.Event(1+r.IntN(c.NumEvents())), "k"))
		prefix = fmt.Sprintf("forall r in values(k where k == %d): ", k)
		request = " && k == r"
	}
	once := func(o int) (string, predicate) {
		if r.IntN(2) == 0 {
			return fmt.Sprintf("once(o == %d%s)", o, request), func(s state) bool { return s.once(o, k, -1) }
		}
		return fmt.Sprintf("once(o == %d%s)@P%d", o, request, p), func(s state) bool { return s.once(o, k, p) }
	}
	variable := func() (string, predicate) {
		own := r.IntN(n)
		if r.IntN(2) == 0 {
			return fmt.Sprintf("v@P%d", own), func(s state) bool { return s.value(own) }
		}
		return fmt.Sprintf("!v@P%d", own), func(s state) bool { return !s.value(own) }
	}
	one := func() (string, predicate) {
		switch r.IntN(4) {
		case 0:
			return variable()
		case 1:
			a, x := once(0)
			b, y := once(1)
			return "(" + a + " && !" + b + ")", func(s state) bool { return x(s) && !y(s) }
		}
		return once(r.IntN(3))
	}
	upper := []string{"<=", "<"}[r.IntN(2)]
	if d == 0 {
		upper = "<="
	}
	meets := func(took int) bool { return took < d || upper == "<=" && took == d }
	switch r.IntN(4) {
	case 0, 1:
		a, x := one()
		b, y := one()
		return sentence{
			text: fmt.Sprintf("%sAG(%s -> AF[%s %ds] %s)", prefix, a, upper, d, b),
			decided: func(l line) bool {
				for _, took := range l.waits(x, y) {
					if !meets(took) {
						return false
					}
				}
				return true
			},
			waits: func(l line) []int { return l.waits(x, y) },
			meets: meets,
		}
	case 2:
		var texts []string
		var all []predicate
		for range 1 + r.IntN(3) {
			a, x := one()
			texts, all = append(texts, a), append(all, x)
		}
		both := func(s state) bool {
			for _, x := range all {
				if !x(s) {
					return false
				}
			}
			return true
		}
		together := func(l line) bool {
			stretches, _ := l.lasted(both)
			for _, took := range stretches {
				if !meets(took) {
					return true
				}
			}
			return false
		}
		joined := strings.Join(texts, " && ")
		switch rel := map[string]string{"<=": ">", "<": ">="}[upper]; {
		case d > 0 && r.IntN(2) == 0:
			return sentence{text: fmt.Sprintf("%sEF[%s %ds](%s)", prefix, rel, d, joined), decided: together}
		case d > 0 && r.IntN(2) == 0:
			return sentence{text: fmt.Sprintf("%s!EF[%s %ds](%s)", prefix, rel, d, joined), decided: func(l line) bool { return !together(l) }}
		}
		return sentence{text: fmt.Sprintf("%s(%s) lasts %s %ds", prefix, joined, upper, d), decided: func(l line) bool { return !together(l) }}
	}
	a, x := variable()
	rel := []string{">=", ">"}[r.IntN(2)]
	if d == 0 {
		rel = ">"
	}
	return sentence{text: fmt.Sprintf("(%s) lasts %s %ds", a, rel, d), decided: func(l line) bool {
		_, inside := l.lasted(x)
		for _, took := range inside {
			if took < d || rel == ">" && took == d {
				return false
			}
		}
		return true
	}}
}

func TestBoundsTwin(t *testing.T) {
	t.Parallel()
	counts := map[string]int{}
	for seed := range uint64(graphtest.RoundsUpTo(t, 6000, 40000)) {
		r := rand.New(rand.NewPCG(seed, 35))
		kind := []string{"believed", "skew", "intervals", "offsets"}[seed%4]
		c := timed(t, r, kind)
		readings, err := clocks.Read(t.Context(), c, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		bound := r.IntN(4)
		var model clocks.Model
		switch kind {
		case "offsets":
			model, err = readings.Offsets(time.Duration(bound) * time.Second)
		case "believed":
			bound = 0
			_, err = readings.Skew(0) // a trace that contradicts itself is measured, but means nothing
		default:
			model, err = readings.Skew(time.Duration(bound) * time.Second)
		}
		if err != nil {
			continue
		}
		ordered := c
		if model != nil {
			if ordered, err = model.Ordered(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		say := random(r, c)
		f, err := syntax.Parse(say.text)
		if err != nil {
			t.Fatalf("%s: %v", say.text, err)
		}

		var margins [2]*syntax.Margin
		var verdicts [2]bool // with all against the formula, and in its favour
		refused := false
		for i := range verdicts {
			times := scope.Times{Model: model, InFavour: i == 1}
			res, err := rctl.ResolveWith(t.Context(), ordered, f, times)
			if at, ok := errors.AsType[*syntax.Error](err); ok && strings.Contains(at.Msg, "order") {
				refused = true
				break
			}
			if err != nil {
				t.Fatalf("seed %d: %s: %v", seed, say.text, err)
			}
			verdicts[i] = syntax.Folded(res.Formula).Op == syntax.OpTrue
			if margins[i] = syntax.MarginOf(res.Formula); margins[i] != nil && margins[i].Holds() != verdicts[i] {
				t.Fatalf("seed %d: %s: %t, but the margin says otherwise", seed, say.text, verdicts[i])
			}
			found, err := bindings.Check(t.Context(), ordered, f, bindings.Options{Times: times})
			if err != nil || found != nil && (found.Verdict == rctl.Holds) != verdicts[i] {
				t.Fatalf("seed %d: %s: %v by binding, %t as a whole: %v", seed, say.text, found, verdicts[i], err)
			}
		}
		if refused {
			counts["refused"]++
			continue
		}
		// What is known stays known where clocks agree better.
		// Bounds are at least 0.
		if better, err := readings.Skew(time.Duration(max(bound-1, 0)) * time.Second); err == nil && bound > 0 && kind != "offsets" {
			closer, err := better.Ordered(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range verdicts {
				res, err := rctl.ResolveWith(t.Context(), closer, f, scope.Times{Model: better, InFavour: i == 1})
				if err != nil {
					t.Fatal(err)
				}
				now := syntax.Folded(res.Formula).Op == syntax.OpTrue
				if v != now && v == (i == 0) {
					t.Fatalf("seed %d, %s: %s: %t at %d s, and %t at a second less", seed, kind, say.text, v, bound, now)
				}
			}
		}
		always, never := true, true
		var least []int // of each p, how long q takes at the least, in the worst order at the best times
		slowest := 0
		eachTime(c, kind, bound, func(x []int) {
			holds := true // in all orders that these times leave
			var worst []int
			graphtest.Timelines(c, x, func(steps [][]graphs.Event, times []int) {
				l := lineOf(c, steps, times)
				holds = holds && say.decided(l)
				if say.waits != nil {
					now := say.waits(l)
					for i, took := range worst {
						now[i] = max(now[i], took)
					}
					worst = now
				}
			})
			always, never = always && holds, never && !holds
			for i, took := range worst {
				if i == len(least) {
					least = append(least, took)
				}
				least[i] = min(least[i], took)
				slowest = max(slowest, took)
			}
		})
		// Where clocks leave one time to each event, nothing depends on them.
		if bound == 0 && (kind == "skew" || kind == "believed") && verdicts[0] != verdicts[1] {
			t.Fatalf("seed %d, %s: %s depends on clocks that are exact", seed, kind, say.text)
		}
		if verdicts[0] != always {
			t.Fatalf("seed %d, %s %d: %s: against %t, but always %t", seed, kind, bound, say.text, verdicts[0], always)
		}
		if !verdicts[1] && !never {
			t.Fatalf("seed %d, %s %d: %s: fails, but not always", seed, kind, bound, say.text)
		}
		if m := margins[0]; verdicts[0] && m != nil && say.waits != nil && !is(m, slowest) {
			t.Fatalf("seed %d, %s %d: %s: slowest %v, want %d", seed, kind, bound, say.text, m.Seconds, slowest)
		}
		if m := margins[1]; !verdicts[1] && m != nil && say.waits != nil && !is(m, slices.Max(least)) {
			t.Fatalf("seed %d, %s %d: %s: slowest at best %v, want %v", seed, kind, bound, say.text, m.Seconds, least)
		}
		surely := !slices.ContainsFunc(least, func(took int) bool { return !say.meets(took) })
		if say.waits != nil && verdicts[1] != surely {
			t.Fatalf("seed %d, %s %d: %s: in favour %t, but q takes at least %v", seed, kind, bound, say.text, verdicts[1], least)
		}
		switch {
		case verdicts[0]:
			counts["holds"]++
		case !verdicts[1]:
			counts["fails"]++
		case never:
			counts["open, but fails"]++
		default:
			counts["open"]++
		}
	}
	for _, of := range []string{"holds", "fails", "open", "refused"} {
		if counts[of] == 0 {
			t.Error("none: ", of)
		}
	}
	t.Log(counts)
}

// is reports whether a margin is so many seconds.
func is(m *syntax.Margin, took int) bool {
	if m.Seconds == nil {
		return took == math.MaxInt
	}
	return m.Seconds.Cmp(big.NewRat(int64(took), 1)) == 0
}

// Of events at one time any may be first, even if clocks are exact: that does not depend on them.
func TestBoundsAtOneTime(t *testing.T) {
	t.Parallel()
	var b graphs.Builder
	b.Process("P")
	b.Process("Q")
	asked, off, on := b.Event(0), b.Event(1), b.Event(1)
	for i, h := range []graphs.Handle{asked, off, on} {
		b.SetTime(h, []string{"5", "5", "9"}[i])
	}
	b.Set(b.Variable(0, "asked"), asked, graphs.Boolean(true))
	up := b.Variable(1, "up")
	b.Init(up, graphs.Boolean(true))
	b.Set(up, off, graphs.Boolean(false))
	b.Set(up, on, graphs.Boolean(true))
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	readings, err := clocks.Read(t.Context(), c, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := readings.Skew(0)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]syntax.Op{
		"AG(asked@P -> AF[<= 3s] up@Q)": syntax.OpFalse,
		"AG(asked@P -> AF[<= 4s] up@Q)": syntax.OpTrue,
	} {
		f, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, times := range []scope.Times{{}, {Model: exact}, {Model: exact, InFavour: true}} {
			res, err := rctl.ResolveWith(t.Context(), c, f, times)
			if err != nil || syntax.Folded(res.Formula).Op != want {
				t.Errorf("%s, %+v: %v, %v", text, times, res.Formula, err)
			}
		}
	}
}

// The clocks of a trace may contradict its messages. What happened before is what counts then.
func TestBoundsAgainstCausality(t *testing.T) {
	t.Parallel()
	var b graphs.Builder
	b.Process("P")
	b.Process("Q")
	done := b.Event(0)
	asked := b.Event(1)
	b.Order(done, asked)
	b.SetTime(done, "9")
	b.SetTime(asked, "1")
	b.Set(b.Variable(0, "o"), done, graphs.Str("done"))
	b.Set(b.Variable(1, "o"), asked, graphs.Str("asked"))
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	f, err := syntax.Parse(`AG(once(o == "asked") -> AF[<= 5s] once(o == "done"))`)
	if err != nil {
		t.Fatal(err)
	}
	res, err := rctl.ResolveWith(t.Context(), c, f, scope.Times{})
	if err != nil || res.Formula.Op != syntax.OpTrue {
		t.Errorf("%v, %v", res.Formula, err)
	}
}

// One condition asks for events by their value and more, and another by their value alone: what the first finds
// takes no place in the lists of the second.
func TestBoundsByValue(t *testing.T) {
	t.Parallel()
	var b graphs.Builder
	b.Process("P")
	req, op := b.Variable(0, "req"), b.Variable(0, "op")
	for i, name := range []string{"r1", "r2", "r2", "r2"} {
		h := b.Event(0)
		b.SetTime(h, strconv.Itoa(10*i))
		b.Set(req, h, graphs.Str(name))
		b.Set(op, h, graphs.Str("recv"))
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	f, err := syntax.Parse(`forall r in values(req): AG(once(op == "recv" && req == r) -> AF[<= 5s] once(req == r))`)
	if err != nil {
		t.Fatal(err)
	}
	res, err := rctl.ResolveWith(t.Context(), c, f, scope.Times{})
	if err != nil || syntax.Folded(res.Formula).Op != syntax.OpTrue {
		t.Errorf("%v, %v", res.Formula, err)
	}
}

// eachTime goes through the true times of a model.
func eachTime(c *graphs.Computation, kind string, bound int, visit func(x []int)) {
	reading := func(e int) (from, to int) {
		a, b, _, err := c.Interval(graphs.Event(e), 1)
		if err != nil {
			panic(err)
		}
		return int(a), int(b)
	}
	if kind != "offsets" {
		graphtest.TrueTimes(c, 11, func(x []int) bool {
			for e := 1; e < len(x); e++ {
				if from, to := reading(e); x[e] < from || x[e] > to+bound {
					return false
				}
			}
			return true
		}, visit)
		return
	}
	before := graphtest.HappenedBefore(c)
	n := c.NumProcesses()
	offset := make([]int, n)
	x := make([]int, c.Top())
	var choose func(p int)
	choose = func(p int) {
		if p < n {
			for offset[p] = -bound; offset[p] <= bound; offset[p]++ {
				if p > 0 || offset[p] == 0 {
					choose(p + 1)
				}
			}
			return
		}
		for p := range n {
			for q := range n {
				if offset[p]-offset[q] > bound {
					return
				}
			}
		}
		for e := 1; e < len(x); e++ {
			from, _ := reading(e)
			x[e] = from + offset[c.Process(graphs.Event(e))]
		}
		for e := 1; e < len(x); e++ {
			for f := 1; f < len(x); f++ {
				if before[e][f] && x[e] > x[f] {
					return
				}
			}
		}
		visit(x)
	}
	choose(0)
}
