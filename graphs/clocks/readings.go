package clocks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/pota-project/pota/graphs"
)

// ErrNoTimes reports that no event of a computation has a time.
var ErrNoTimes = errors.New("no event has a time, so clocks say nothing about its order")

// Readings holds the times that the clocks of a computation showed at its events.
type Readings struct {
	c      *graphs.Computation
	causal *graphs.Computation // c without general edges
	start  int64               // the earliest reading; other times count from it
	at     []int64             // the readings in nanoseconds, by event; -1 if there is none
	// the ends of the readings; equal to at unless a clock knows its error
	until []int64
	span  int64

	lb    []int64        // by event; see Intervals in the package documentation
	ub    func() []int64 // by event, without a bound on the skew; computed in the first call
	past  func() *graphs.Precedence
	least int64        // the least bound that does not contradict the trace
	late  graphs.Event // the reason why least is not less; ⊥ if it is 0

	// For each process, the readings that end earlier than all later ones, and those that begin
	// later than all earlier ones.
	leaving  [][]moment
	arriving [][]moment
	everyone func() clock
}

// A moment is an event with a time, counted from the earliest reading.
type moment struct {
	at    int64
	event graphs.Event
}

// Read reads the times of c; a number counts units. Errors are ErrNoTimes, *graphs.TimeError, one
// for times too far apart for a time.Duration, and the error of ctx.
//
// The time complexity of Read is O(|V|+|edges|).
func Read(ctx context.Context, c *graphs.Computation, unit time.Duration) (*Readings, error) {
	r := &Readings{c: c, causal: c.WithoutEdges()}
	if err := r.read(ctx, unit); err != nil {
		return nil, err
	}
	r.ub = sync.OnceValue(r.latest)
	r.past = sync.OnceValue(func() *graphs.Precedence { return graphs.NewPrecedence(r.causal) })
	r.everyone = sync.OnceValue(func() clock {
		all := make([]int, c.NumProcesses())
		for p := range all {
			all[p] = p
		}
		return r.clock("", all)
	})

	// findEarliest and sortOut only need the readings, so they run concurrently.
	var side sync.WaitGroup
	side.Go(r.findEarliest)
	for p := range c.NumProcesses() {
		r.sortOut(p)
	}
	side.Wait()
	return r, ctx.Err()
}

// read reads the times, and makes the earliest one 0.
func (r *Readings) read(ctx context.Context, unit time.Duration) error {
	c := r.c
	r.at = make([]int64, c.NumEvents()+2)
	r.until = make([]int64, len(r.at))
	first, last := graphs.Bottom, graphs.Bottom
	timed := make([]bool, len(r.at))
	for e := graphs.Bottom + 1; e < c.Top(); e++ {
		if e%(1<<16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		at, until, ok, err := c.Interval(e, unit)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		timed[e], r.at[e] = true, at
		r.until[e] = until
		if first == graphs.Bottom || at < r.at[first] {
			first = e
		}
		if last == graphs.Bottom || until > r.until[last] {
			last = e
		}
	}
	if first == graphs.Bottom {
		return ErrNoTimes
	}
	r.start = r.at[first]
	if r.start < 0 && r.until[last] > math.MaxInt64+r.start {
		return fmt.Errorf("the times of %s and %s, %s and %s, are more than 292 years apart", c.ID(first), c.ID(last), c.Time(first), c.Time(last))
	}
	r.span = r.until[last] - r.start
	for e := range timed {
		if timed[e] {
			r.at[e] -= r.start
			r.until[e] -= r.start
		} else {
			r.at[e], r.until[e] = -1, -1
		}
	}
	return nil
}

// findEarliest sets lb: for each event the latest reading in its past, including its meta-event. It
// also finds least, the greatest amount by which a reading precedes one in its past.
func (r *Readings) findEarliest() {
	c := r.causal
	r.lb = slices.Repeat([]int64{-Unbounded}, len(r.at))
	for step := range c.Steps() {
		low := int64(-Unbounded)
		for _, m := range step {
			for _, f := range c.Preds(m) {
				low = max(low, r.lb[f])
			}
			if c.Process(m-1) == c.Process(m) {
				low = max(low, r.lb[m-1])
			}
			if r.at[m] >= 0 {
				low = max(low, r.at[m])
			}
		}
		for _, m := range step {
			r.lb[m] = low
			if r.at[m] >= 0 && low-r.until[m] > r.least {
				r.least = low - r.until[m]
				r.late = m
			}
		}
	}
}

// early returns the first event in the past of late with the latest reading there.
func (r *Readings) early(late graphs.Event) graphs.Event {
	past := r.causal.NoEvents()
	r.causal.Advance(past, late)
	for e := graphs.Bottom + 1; e < r.c.Top(); e++ {
		if r.at[e] == r.lb[late] && r.causal.Has(past, e) {
			return e
		}
	}
	panic("this cannot happen, because the reading is that of an event in the past")
}

// latest returns, for each event, the least end of a reading in its future, including its
// meta-event.
func (r *Readings) latest() []int64 {
	c := r.causal
	ub := slices.Repeat([]int64{Unbounded}, len(r.at))
	order := c.Order()
	for i := len(order); i > 0; {
		step := c.Step(order[i-1])
		i -= len(step)
		high := int64(Unbounded)
		for _, m := range step {
			for _, f := range c.Succs(m) {
				high = min(high, ub[f])
			}
			if c.Process(m+1) == c.Process(m) {
				high = min(high, ub[m+1])
			}
			if r.at[m] >= 0 {
				high = min(high, r.until[m])
			}
		}
		for _, m := range step {
			ub[m] = high
		}
	}
	return ub
}

// since converts nanoseconds after the first reading to a time; Unbounded and -Unbounded stay as
// they are.
func (r *Readings) since(nanoseconds int64) int64 {
	if nanoseconds == Unbounded || nanoseconds == -Unbounded {
		return nanoseconds
	}
	return r.start + nanoseconds
}

// Least returns the least bound on the skew of clocks that does not contradict the trace.
func (r *Readings) Least() time.Duration { return time.Duration(r.least) }

// Span returns the time from the earliest reading to the end of the latest. A bound of at least
// that orders nothing.
func (r *Readings) Span() time.Duration { return time.Duration(r.span) }

// sortOut finds the events of process p from which and to which clocks may add edges.
func (r *Readings) sortOut(p int) {
	n := r.c.Len(p)
	arriving, high := make([]moment, 0, n), int64(-1)
	for e := r.c.Event(p, 1); e <= r.c.Event(p, n); e++ {
		if r.at[e] > high {
			high = r.at[e]
			arriving = append(arriving, moment{high, e})
		}
	}
	leaving, low := make([]moment, 0, n), int64(math.MaxInt64)
	for e := r.c.Event(p, n); e >= r.c.Event(p, 1); e-- {
		if r.at[e] >= 0 && r.until[e] < low {
			low = r.until[e]
			leaving = append(leaving, moment{low, e})
		}
	}
	slices.Reverse(leaving)
	r.arriving, r.leaving = append(r.arriving, arriving), append(r.leaving, leaving)
}

// A clock is one that several processes read.
type clock struct {
	name              string
	leaving, arriving []moment // those of all its processes, by time
}

// clock returns the clock that these processes read.
//
// The time complexity of clock is O(v·log v) for v events.
func (r *Readings) clock(name string, processes []int) clock {
	var leaving, arriving [][]moment
	for _, p := range processes {
		leaving = append(leaving, r.leaving[p])
		arriving = append(arriving, r.arriving[p])
	}
	return clock{name, merged(leaving), merged(arriving)}
}

// merged merges lists by time. At equal times, the moments of earlier processes come first.
func merged(lists [][]moment) []moment {
	all := slices.Concat(lists...)
	if len(lists) > 1 {
		slices.SortFunc(all, func(a, b moment) int { return cmp.Or(cmp.Compare(a.at, b.at), int(a.event-b.event)) })
	}
	return all
}
