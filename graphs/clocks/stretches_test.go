package clocks

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
)

// The twin of a ruler enumerates all integer assignments and all runs in the order of their times,
// and measures each.

// A timeline is one run with the true times of its events: events of one step together.
type timeline struct {
	steps [][]graphs.Event
	at    []int // of each step
	first int   // of the events with a reading
	last  int
}

// timelines calls visit for each run in the order of x.
func timelines(c *graphs.Computation, x []int, timed func(graphs.Event) bool, visit func(timeline)) {
	l := timeline{first: horizon * 10, last: -horizon * 10}
	for e := graphs.Bottom + 1; e < c.Top(); e++ {
		if timed(e) {
			l.first, l.last = min(l.first, x[e]), max(l.last, x[e])
		}
	}
	graphtest.Timelines(c, x, func(steps [][]graphs.Event, times []int) {
		l.steps, l.at = steps, times
		visit(l)
	})
}

// states returns where h is true along a run: before all events, and after each step.
func (l timeline) states(h History) []bool {
	now := h.Begins
	all := []bool{now}
	for _, step := range l.steps {
		if slices.ContainsFunc(step, func(e graphs.Event) bool { return slices.Contains(h.Flips, e) }) {
			now = !now
		}
		if slices.ContainsFunc(step, func(e graphs.Event) bool { return slices.Contains(h.First, e) }) {
			now = true
		}
		all = append(all, now)
	}
	return all
}

// waits calls visit for each time that p becomes true, by the number of the stretch of p.
func (l timeline) waits(p, q History, visit func(number, took int)) {
	ps, qs := l.states(p), l.states(q)
	number := 0
	for i := range ps {
		if !ps[i] || i > 0 && ps[i-1] {
			continue
		}
		from, took := l.first, Unbounded
		if i > 0 {
			from = l.at[i-1]
		}
		for k := i; k < len(qs); k++ {
			if qs[k] {
				took = 0
				if k > i {
					took = l.at[k-1] - from
				}
				break
			}
		}
		visit(number, took)
		number++
	}
}

// longest returns the longest stretch, and shortest the shortest one that begins and ends.
func (l timeline) longest(all []History) (longest, shortest int) {
	shortest = Unbounded
	var states [][]bool
	for _, h := range all {
		states = append(states, l.states(h))
	}
	both := func(i int) bool {
		return !slices.ContainsFunc(states, func(s []bool) bool { return !s[i] })
	}
	begin := -1
	for i := 0; i <= len(l.steps)+1; i++ {
		within := i <= len(l.steps) && both(i)
		if within && begin < 0 {
			begin = i
		}
		if within || begin < 0 {
			continue
		}
		from, to := l.first, l.last
		if begin > 0 {
			from = l.at[begin-1]
		}
		if i <= len(l.steps) {
			to = l.at[i-1]
		}
		longest = max(longest, to-from)
		if begin > 0 && i <= len(l.steps) {
			shortest = min(shortest, to-from)
		}
		begin = -1
	}
	return longest, shortest
}

// randomHistory returns a history of events with readings.
func randomHistory(r *rand.Rand, c *graphs.Computation, timed func(graphs.Event) bool) History {
	if r.IntN(3) == 0 {
		var first []graphs.Event
		for p := range c.NumProcesses() {
			if n := c.Len(p); n > 0 && r.IntN(2) == 0 {
				if e := c.Event(p, 1+r.IntN(n)); timed(e) {
					first = append(first, e)
				}
			}
		}
		if len(first) > 1 {
			return History{First: first}
		}
		return History{Flips: first}
	}
	h := History{Begins: r.IntN(2) == 0}
	p := r.IntN(c.NumProcesses())
	for i := 1; i <= c.Len(p); i++ {
		e := c.Event(p, i)
		together := len(h.Flips) > 0 && c.SameStep(e, h.Flips[len(h.Flips)-1])
		if timed(e) && !together && r.IntN(4) > 0 {
			h.Flips = append(h.Flips, e)
		}
	}
	return h
}

// assignments enumerates the assignments of a model.
func assignments(c *graphs.Computation, kind string, bound int, visit func(x []int)) {
	if kind != "offsets" {
		graphtest.TrueTimes(c, horizon, func(x []int) bool {
			for e := 1; e < len(x); e++ {
				from, to, ok := reading(c, e)
				if ok && (x[e] < from || x[e] > to+bound) {
					return false
				}
			}
			return true
		}, visit)
		return
	}
	before := graphtest.HappenedBefore(c)
	eachOffset(c, bound, before, func(offset []int) {
		x := make([]int, c.Top())
		for e := 1; e < len(x); e++ {
			at, _, _ := reading(c, e)
			x[e] = at + offset[c.Process(graphs.Event(e))]
		}
		visit(x)
	})
}

// rulerOf returns the ruler of a model as package scope makes it.
func rulerOf(c *graphs.Computation, r *Readings, m Model) *Ruler {
	before := graphtest.HappenedBefore(c)
	return NewRuler(c, m.MaxDifference, func(e, f graphs.Event) bool {
		return e == f || before[e][f]
	}, func(e graphs.Event) bool { return r.at[e] >= 0 }, false)
}

func smaller(x, y int) int { return min(x, y) }
func larger(x, y int) int  { return max(x, y) }

// tighten puts a duration into its place, or the better one if there is one already.
func tighten(all []int, n, took int, better func(x, y int) int) []int {
	if n == len(all) {
		return append(all, took)
	}
	all[n] = better(all[n], took)
	return all
}

func TestRulerTwin(t *testing.T) {
	t.Parallel()
	exact, measured := 0, 0
	for seed := range uint64(graphtest.RoundsUpTo(t, 8000, 15000)) {
		rnd := rand.New(rand.NewPCG(seed, 354))
		kind := []string{"skew", "intervals", "offsets"}[seed%3]
		c := small(t, rnd, kind)
		r, err := Read(background, c, 1)
		if errors.Is(err, ErrNoTimes) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		timed := func(e graphs.Event) bool { return r.at[e] >= 0 }
		bound := rnd.IntN(4)
		m, err := r.Skew(time.Duration(bound))
		if kind == "offsets" {
			if slices.Contains(r.at[1:c.Top()], -1) {
				continue // its twin has offsets alone
			}
			bound--
			m, err = r.Offsets(time.Duration(bound))
		}
		if err != nil {
			continue
		}
		p, q := randomHistory(rnd, c, timed), randomHistory(rnd, c, timed)
		all := []History{p, q, randomHistory(rnd, c, timed)}[:1+rnd.IntN(3)]
		// Of each stretch of p, the worst wait over all times, and at the times that are the best.
		var waitLeast, waitMost []int
		longMost, longLeast := 0, Unbounded
		shortLeast := Unbounded
		assignments(c, kind, bound, func(x []int) {
			var worst []int // in the orders that these times leave
			timelines(c, x, timed, func(l timeline) {
				l.waits(p, q, func(n, took int) { worst = tighten(worst, n, took, larger) })
				longest, _ := l.longest(all)
				longMost, longLeast = max(longMost, longest), min(longLeast, longest)
				if len(q.First) == 0 {
					_, shortest := l.longest([]History{q})
					shortLeast = min(shortLeast, shortest)
				}
			})
			for n, took := range worst {
				waitLeast, waitMost = tighten(waitLeast, n, took, smaller), tighten(waitMost, n, took, larger)
			}
		})
		measured++
		u := rulerOf(c, r, m)
		// Without a bound, offsets go further than the twin does.
		capped := func(took Took) int64 {
			if kind == "offsets" && bound < 0 && took.Nanoseconds >= horizon/2 && took.Nanoseconds != Unbounded {
				return Unbounded
			}
			return took.Nanoseconds
		}
		far := func(got int64, want int) bool {
			return got == Unbounded && kind == "offsets" && bound < 0 && want >= horizon/2
		}
		least, most, err := u.Response(p, q)
		_, stable := q.stable()
		if (err != nil) != (p.First != nil && !stable) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err == nil && len(waitMost) > 0 {
			wantMost, wantLeast := slices.Max(waitMost), slices.Max(waitLeast)
			if got := capped(most); got != int64(wantMost) && !far(got, wantMost) {
				t.Fatalf("seed %d, %s: from %v to %v at most %d, want %d", seed, m, p, q, got, wantMost)
			}
			if got := capped(least); got != int64(wantLeast) && !far(got, wantLeast) {
				t.Fatalf("seed %d, %s: from %v to %v at least %d, want %d", seed, m, p, q, got, wantLeast)
			}
		}
		least, most, err = u.Longest(all)
		if err != nil {
			t.Fatal(err)
		}
		if got := capped(most); got != int64(longMost) && !far(got, longMost) {
			t.Fatalf("seed %d, %s: %v together for at most %d, want %d", seed, m, all, got, longMost)
		}
		if least.Nanoseconds > int64(longLeast) {
			t.Fatalf("seed %d, %s: %v together for at least %d, want %d", seed, m, all, least.Nanoseconds, longLeast)
		}
		if least.Nanoseconds == int64(longLeast) {
			exact++
		}
		if len(q.First) == 0 {
			least, most := u.Shortest(q)
			if least.Nanoseconds != int64(shortLeast) || most.Nanoseconds < least.Nanoseconds {
				t.Fatalf("seed %d, %s: %v lasts at least %d, want %d (and at most %d)", seed, m, q, least.Nanoseconds, shortLeast, most.Nanoseconds)
			}
		}
	}
	if exact < measured*9/10 {
		t.Errorf("%d of %d are exact", exact, measured)
	}
}

// A state that lasts no time is seen only by what happens earlier, by a nanosecond at least.
func TestShortState(t *testing.T) {
	var b graphs.Builder
	for i, times := range [][]string{{"[5,9]"}, {"9", "9", "20"}} {
		p := b.Process(string(rune('P' + i)))
		for _, text := range times {
			b.SetTime(b.Event(p), text)
		}
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read(background, c, 1)
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Skew(0)
	if err != nil {
		t.Fatal(err)
	}
	asked, up := History{Flips: []graphs.Event{1}}, History{Flips: []graphs.Event{2, 3, 4}}
	least, _, err := rulerOf(c, r, m).Response(asked, up)
	if want := (Took{1, 1, 2}); err != nil || least != want {
		t.Errorf("%+v, %v", least, err)
	}
}
