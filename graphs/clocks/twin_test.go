package clocks

import (
	"errors"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
)

// The twin of a model enumerates all integer assignments: bounds are integers, so the extremes of
// differences are integers, too.

// horizon bounds the true times that the twin tries: later than each reading, and offsets, with a
// bound.
const horizon = 10

// small returns a random computation of few events, some with a reading, an interval or a shared clock.
func small(t testing.TB, r *rand.Rand, readings string) *graphs.Computation {
	var b graphs.Builder
	n := 1 + r.IntN(3)
	for p := range n {
		b.Process("P" + strconv.Itoa(p))
		if readings == "offsets" && r.IntN(4) == 0 {
			b.SetClock(p, "host")
		}
	}
	m := 1 + r.IntN(5)
	for i := range m {
		p := r.IntN(n)
		h := b.Event(p)
		if i > 0 && r.IntN(2) == 0 {
			if e := graphs.Handle(r.IntN(i)); b.ProcessOf(e) != p {
				b.Order(e, h)
			}
		}
		if r.IntN(5) == 0 {
			continue
		}
		at := r.IntN(5)
		if r.IntN(3) > 0 {
			at = max(0, min(4, i-1+r.IntN(3)))
		}
		text := strconv.Itoa(at)
		if readings == "intervals" {
			text = "[" + text + "," + strconv.Itoa(at+r.IntN(3)) + "]"
		}
		b.SetTime(h, text)
	}
	if e, f := graphs.Handle(r.IntN(m)), graphs.Handle(r.IntN(m)); r.IntN(5) == 0 && b.ProcessOf(e) != b.ProcessOf(f) {
		b.Sync(e, f)
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// extremes are the largest differences of all pairs of events in assignments.
type extremes struct {
	some bool
	most [][]int64
}

// twin returns them by brute force.
func twin(c *graphs.Computation, allowed func(x []int) bool) *extremes {
	x := &extremes{most: make([][]int64, c.Top())}
	for e := range x.most {
		x.most[e] = make([]int64, c.Top())
		for f := range x.most[e] {
			x.most[e][f] = -Unbounded
		}
	}
	graphtest.TrueTimes(c, horizon, allowed, func(at []int) {
		x.some = true
		for e := 1; e < len(at); e++ {
			for f := 1; f < len(at); f++ {
				x.most[e][f] = max(x.most[e][f], int64(at[f]-at[e]))
			}
		}
	})
	return x
}

// agree compares a model with its twin, for events with readings as far as it says.
func agree(t *testing.T, seed uint64, c *graphs.Computation, r *Readings, m Model, want *extremes) {
	t.Helper()
	order := graphtest.HappenedBefore(c)
	for e := graphs.Event(1); e < c.Top(); e++ {
		for f := graphs.Event(1); f < c.Top(); f++ {
			if r.at[e] < 0 || r.at[f] < 0 {
				continue
			}
			got := m.MaxDifference(e, f)
			if most := want.most[e][f]; got != most && (got != Unbounded || most < horizon/2) {
				t.Fatalf("seed %d, %s: %s after %s by at most %d, want %d", seed, m, c.ID(f), c.ID(e), got, most)
			}
			order[e][f] = order[e][f] || e != f && want.most[f][e] < 0
		}
	}
	order.Close()
	d, err := m.Ordered(background)
	if err != nil {
		t.Fatal(err)
	}
	if got := graphtest.HappenedBefore(d); !got.Equal(order) {
		t.Fatalf("seed %d, %s: ordered %v, want %v", seed, m, got, order)
	}
}

// reading returns the reading of an event from the computation itself.
func reading(c *graphs.Computation, e int) (from, to int, ok bool) {
	a, b, ok, err := c.Interval(graphs.Event(e), 1)
	if err != nil {
		panic(err)
	}
	return int(a), int(b), ok
}

// models compares what a model says with the twin, over random computations. A model that cannot be made must
// have no assignment.
func models(t *testing.T, rounds int, kinds []string, make func(rnd *rand.Rand, c *graphs.Computation, r *Readings) (Model, *extremes, error)) {
	contradictions, agreed := 0, 0
	for seed := range uint64(graphtest.Rounds(t, rounds)) {
		rnd := rand.New(rand.NewPCG(seed, uint64(rounds)))
		c := small(t, rnd, kinds[rnd.IntN(len(kinds))])
		r, err := Read(background, c, 1)
		if errors.Is(err, ErrNoTimes) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		m, want, err := make(rnd, c, r)
		if (err == nil) != want.some {
			t.Fatalf("seed %d: %v, but an assignment: %t", seed, err, want.some)
		}
		if err != nil {
			contradictions++
			continue
		}
		agreed++
		agree(t, seed, c, r, m, want)
	}
	if contradictions == 0 || agreed == 0 {
		t.Errorf("%d contradictions, %d agree", contradictions, agreed)
	}
}

func TestIntervalsTwin(t *testing.T) {
	models(t, 2000, []string{"skew", "intervals"}, func(rnd *rand.Rand, c *graphs.Computation, r *Readings) (Model, *extremes, error) {
		bound := rnd.IntN(4)
		want := twin(c, func(x []int) bool {
			for e := 1; e < len(x); e++ {
				from, to, ok := reading(c, e)
				if ok && (x[e] < from || x[e] > to+bound) {
					return false
				}
			}
			return true
		})
		m, err := r.Skew(time.Duration(bound))
		return m, want, err
	})
}

func TestOffsetsTwin(t *testing.T) {
	models(t, 3000, []string{"offsets"}, func(rnd *rand.Rand, c *graphs.Computation, r *Readings) (Model, *extremes, error) {
		bound := rnd.IntN(5) - 1
		m, err := r.Offsets(time.Duration(bound))
		return m, offsetsTwin(c, bound), err
	})
}

// offsetsTwin finds the extremes for all offsets; events without a reading take any time that fits.
func offsetsTwin(c *graphs.Computation, bound int) *extremes {
	x := twin(c, func([]int) bool { return false }) // nothing but the tables
	eachOffset(c, bound, graphtest.HappenedBefore(c), func(offset []int) {
		x.some = true
		for e := 1; e < int(c.Top()); e++ {
			for f := 1; f < int(c.Top()); f++ {
				te, _, ok := reading(c, e)
				tf, _, okToo := reading(c, f)
				if ok && okToo {
					d := tf + offset[c.Process(graphs.Event(f))] - te - offset[c.Process(graphs.Event(e))]
					x.most[e][f] = max(x.most[e][f], int64(d))
				}
			}
		}
	})
	return x
}

// eachOffset enumerates all offsets of clocks between -12 and 12, which is more than readings from
// 0 to 4 can bound.
func eachOffset(c *graphs.Computation, bound int, before graphtest.Relation, visit func(offset []int)) {
	const reach = 12
	n := c.NumProcesses()
	offset := make([]int, n)
	possible := func() bool {
		for p := range n {
			for q := range n {
				if c.Clock(p) != "" && c.Clock(p) == c.Clock(q) && offset[p] != offset[q] || bound >= 0 && offset[p]-offset[q] > bound {
					return false
				}
			}
		}
		// Happened-before is closed, so events without a reading have a time between the others.
		for e := 1; e < int(c.Top()); e++ {
			for f := 1; f < int(c.Top()); f++ {
				te, _, ok := reading(c, e)
				tf, _, okToo := reading(c, f)
				if ok && okToo && before[e][f] && te+offset[c.Process(graphs.Event(e))] > tf+offset[c.Process(graphs.Event(f))] {
					return false
				}
			}
		}
		return true
	}
	var choose func(p int)
	choose = func(p int) {
		if p < n {
			for offset[p] = -reach; offset[p] <= reach; offset[p]++ {
				if p == 0 && offset[p] != 0 {
					continue // all could be later by the same
				}
				choose(p + 1)
			}
			return
		}
		if possible() {
			visit(offset)
		}
	}
	choose(0)
}
