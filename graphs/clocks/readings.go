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

// ErrNoTimes says that a computation has no clocks to go by.
var ErrNoTimes = errors.New("no event has a time, so clocks tell nothing of its order")

// Readings are what the clocks of a computation showed at its events.
type Readings struct {
	c           *graphs.Computation // without general edges in causal
	causal      *graphs.Computation
	start       int64   // the earliest reading, which at and until count from
	at          []int64 // nanoseconds; -1 without a reading
	until       []int64 // at, but for clocks that know their error
	span        int64
	least       int64
	early, late graphs.Event // why least is not less: early happened before late; ⊥ where least is 0

	leaving  []moment // events that are earlier than all later ones of their process, by the end of the reading
	arriving []moment // events that are later than all earlier ones of their process, by its begin
}

// A moment is a time of an event.
type moment struct {
	at    int64
	event graphs.Event
}

// Read reads the times of c; a number counts units. Errors are ErrNoTimes, *graphs.TimeError, times
// further apart than a time.Duration can say, and the error of ctx.
//
// The time complexity of Read is O(|V| log |V|+|edges|).
func Read(ctx context.Context, c *graphs.Computation, unit time.Duration) (*Readings, error) {
	r := &Readings{c: c, causal: c.WithoutEdges()}
	if err := r.read(ctx, unit); err != nil {
		return nil, err
	}
	// The least bound and the moments need the times alone, and not each other.
	var side sync.WaitGroup
	side.Go(r.findLeast)
	for p := range c.NumProcesses() {
		r.sortOut(p)
	}
	for _, moments := range [][]moment{r.leaving, r.arriving} {
		slices.SortFunc(moments, func(a, b moment) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.event, b.event)) })
	}
	side.Wait()
	return r, ctx.Err()
}

// read finds the times and makes the earliest 0.
func (r *Readings) read(ctx context.Context, unit time.Duration) error {
	c := r.c
	r.at = make([]int64, c.NumEvents()+2)
	r.until = r.at
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
		if until != at && &r.until[0] == &r.at[0] {
			r.until = slices.Clone(r.at)
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
	for _, times := range r.lists() {
		for e := range times {
			if timed[e] {
				times[e] -= r.start
			} else {
				times[e] = -1
			}
		}
	}
	return nil
}

// lists are the begins of the readings, and their ends where these are others.
func (r *Readings) lists() [][]int64 {
	if &r.until[0] == &r.at[0] {
		return [][]int64{r.at}
	}
	return [][]int64{r.at, r.until}
}

// findLeast finds the least bound: it gives each event the latest time in its past, its
// meta-event included.
func (r *Readings) findLeast() {
	c := r.causal
	latest := make([]graphs.Event, len(r.at))
	for step := range c.Steps() {
		best := graphs.Bottom // whose time counts as -1
		see := func(e graphs.Event) {
			if r.at[e] > r.at[best] {
				best = e
			}
		}
		for _, m := range step {
			for _, f := range c.Preds(m) {
				see(latest[f])
			}
			if c.Process(m-1) == c.Process(m) {
				see(latest[m-1])
			}
			see(m)
		}
		for _, m := range step {
			latest[m] = best
			if late := r.at[best] - r.until[m]; r.at[m] >= 0 && late > r.least {
				r.least = late
				r.early, r.late = best, m
			}
		}
	}
}

// since returns the moment that is so many nanoseconds after the first reading, or no bound.
func (r *Readings) since(nanoseconds int64) int64 {
	if nanoseconds == Unbounded || nanoseconds == -Unbounded {
		return nanoseconds
	}
	return r.start + nanoseconds
}

// Least returns the least bound on the skew of clocks that does not contradict the trace.
func (r *Readings) Least() time.Duration { return time.Duration(r.least) }

// Span returns the time from the earliest event to the latest. A bound of that tells nothing.
func (r *Readings) Span() time.Duration { return time.Duration(r.span) }

// sortOut finds the events of process p that can have edges from and to them.
func (r *Readings) sortOut(p int) {
	high, low := int64(-1), int64(math.MaxInt64)
	for i := 1; i <= r.c.Len(p); i++ {
		e := r.c.Event(p, i)
		if r.at[e] > high {
			high = r.at[e]
			r.arriving = append(r.arriving, moment{high, e})
		}
	}
	for i := r.c.Len(p); i > 0; i-- {
		e := r.c.Event(p, i)
		if r.at[e] >= 0 && r.until[e] < low {
			low = r.until[e]
			r.leaving = append(r.leaving, moment{low, e})
		}
	}
}
