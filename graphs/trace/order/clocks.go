package order

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/pota-project/pota/graphs"
)

// ErrNoTimes says that a computation has no clocks to go by.
var ErrNoTimes = errors.New("no event has a time, so clocks tell nothing of its order")

// maxEdges bounds the added edges, to some 1 GB.
const maxEdges = 1 << 27

// Clocks are the times of a computation's events.
type Clocks struct {
	c           *graphs.Computation
	at          []int64 // nanoseconds since the earliest event; -1 without a time
	span        int64
	least       int64
	early, late graphs.Event // why least is not less: early happened before late; ⊥ where least is 0

	leaving  []moment // events that are earlier than all later ones of their process, by time
	arriving []moment // events that are later than all earlier ones of their process, by time
}

// A moment is a time of an event.
type moment struct {
	at    int64
	event graphs.Event
}

// NewClocks reads the times of c; a number counts units. Errors are ErrNoTimes,
// *graphs.TimeError, times further apart than a time.Duration can say, and the error of ctx.
//
// The time complexity of NewClocks is O(|V| log |V|+|edges|).
func NewClocks(ctx context.Context, c *graphs.Computation, unit time.Duration) (*Clocks, error) {
	k := &Clocks{c: c, at: make([]int64, c.NumEvents()+2)}
	if err := k.read(ctx, unit); err != nil {
		return nil, err
	}
	k.findLeast(c.WithoutEdges())
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for p := range c.NumProcesses() {
		k.sortOut(p)
	}
	for _, moments := range [][]moment{k.leaving, k.arriving} {
		slices.SortFunc(moments, func(a, b moment) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.event, b.event)) })
	}
	return k, ctx.Err()
}

// read finds the times and makes the earliest 0.
func (k *Clocks) read(ctx context.Context, unit time.Duration) error {
	c := k.c
	first, last := graphs.Bottom, graphs.Bottom
	timed := make([]bool, len(k.at))
	for e := graphs.Bottom + 1; e < c.Top(); e++ {
		if e%(1<<16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		at, ok, err := c.Instant(e, unit)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		timed[e], k.at[e] = true, at
		if first == graphs.Bottom || at < k.at[first] {
			first = e
		}
		if last == graphs.Bottom || at > k.at[last] {
			last = e
		}
	}
	if first == graphs.Bottom {
		return ErrNoTimes
	}
	start := k.at[first]
	if start < 0 && k.at[last] > math.MaxInt64+start {
		return fmt.Errorf("the times of %s and %s, %s and %s, are more than 292 years apart", c.ID(first), c.ID(last), c.Time(first), c.Time(last))
	}
	k.span = k.at[last] - start
	for e := range k.at {
		if timed[e] {
			k.at[e] -= start
		} else {
			k.at[e] = -1
		}
	}
	return nil
}

// findLeast finds the least bound: it gives each event the latest time in its past, its
// meta-event included.
func (k *Clocks) findLeast(c *graphs.Computation) {
	latest := make([]graphs.Event, len(k.at))
	for step := range c.Steps() {
		best := graphs.Bottom // whose time counts as -1
		see := func(e graphs.Event) {
			if k.at[e] > k.at[best] {
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
			if late := k.at[best] - k.at[m]; k.at[m] >= 0 && late > k.least {
				k.least = late
				k.early, k.late = best, m
			}
		}
	}
}

// sortOut finds the events of process p that can have edges from and to them.
func (k *Clocks) sortOut(p int) {
	high, low := int64(-1), int64(math.MaxInt64)
	for i := 1; i <= k.c.Len(p); i++ {
		e := k.c.Event(p, i)
		if k.at[e] > high {
			high = k.at[e]
			k.arriving = append(k.arriving, moment{high, e})
		}
	}
	for i := k.c.Len(p); i > 0; i-- {
		e := k.c.Event(p, i)
		if k.at[e] >= 0 && k.at[e] < low {
			low = k.at[e]
			k.leaving = append(k.leaving, moment{low, e})
		}
	}
}

// Least returns the least bound on the difference of clocks for which they can agree.
func (k *Clocks) Least() time.Duration { return time.Duration(k.least) }

// Span returns the time from the earliest event to the latest: a bound of that tells
// nothing.
func (k *Clocks) Span() time.Duration { return time.Duration(k.span) }

// A ContradictionError says that the clocks of a trace cannot agree within a bound.
type ContradictionError struct {
	Early, Late graphs.Event // Early happened before Late and has the later time
	IDs, Times  [2]string    // of Early and Late
	Least       time.Duration
}

// Error names the two events that contradict the bound, and the least bound without a
// contradiction.
func (e *ContradictionError) Error() string {
	return fmt.Sprintf("the clocks contradict the trace: %s (time %s) happened before %s (time %s), but is %s later by the clock; --skew must be at least %[5]s",
		e.IDs[0], e.Times[0], e.IDs[1], e.Times[1], e.Least)
}

// Within returns the computation if clocks agree within bound, at least 0: of two events with
// times further apart, the earlier happened first. Errors are *ContradictionError for a bound
// less than Least, *LimitError, *graphs.UnorderedError, and the error of ctx.
//
// The time complexity of Within is O(|V|+|edges|), with the edges that it adds. For n processes
// these are at most |V|·(n-1)/2, and as many only if every process has events within any
// stretch of time as long as the bound.
func (k *Clocks) Within(ctx context.Context, bound time.Duration) (*graphs.Computation, error) {
	if int64(bound) < k.least {
		c := k.c
		return nil, &ContradictionError{
			Early: k.early, Late: k.late,
			IDs:   [2]string{c.ID(k.early), c.ID(k.late)},
			Times: [2]string{c.Time(k.early), c.Time(k.late)},
			Least: k.Least(),
		}
	}
	n := 0
	if err := k.edges(ctx, int64(bound), func(_, _ graphs.Event) { n++ }); err != nil {
		return nil, err
	}
	if n > maxEdges {
		return nil, &LimitError{int64(n)}
	}
	added := make([]graphs.Edge, 0, n)
	if err := k.edges(ctx, int64(bound), func(e, f graphs.Event) { added = append(added, graphs.Edge{From: e, To: f}) }); err != nil {
		return nil, err
	}
	return k.c.Ordered(added)
}

// A LimitError says that an order is too much for memory.
type LimitError struct{ Edges int64 }

// Error names the bound and the number of edges that it would need.
func (e *LimitError) Error() string {
	return fmt.Sprintf("the order would take %d edges more (at most %d are added)", e.Edges, maxEdges)
}

// edges calls add for each edge that clocks within bound add.
func (k *Clocks) edges(ctx context.Context, bound int64, add func(e, f graphs.Event)) error {
	n := k.c.NumProcesses()
	last := newRecent(n)
	heard := make([]int64, n) // the time of each process's last event that arrived
	leaving := k.leaving
	for i, f := range k.arriving {
		if i%(1<<14) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for len(leaving) > 0 && leaving[0].at < f.at-bound {
			last.pass(k.c.Process(leaving[0].event), leaving[0])
			leaving = leaving[1:]
		}
		q := k.c.Process(f.event)
		from := heard[q] - bound // what is earlier is before an event before f
		heard[q] = f.at
		newest := true
		for p := last.front; p >= 0; p = last.next[p] {
			if p == int32(q) {
				continue
			}
			e := last.passed[p]
			if newest {
				newest = false
				from = max(from, e.at-bound)
			}
			if e.at < from {
				break
			}
			add(e.event, f.event)
		}
	}
	return nil
}

// recent lists processes by the event that they passed last, the latest first.
type recent struct {
	front      int32 // -1 when no process is listed
	next, prev []int32
	passed     []moment // by process; of event ⊥ where it has passed none
}

// newRecent returns a list of n processes that have passed no event.
func newRecent(n int) *recent {
	return &recent{front: -1, next: make([]int32, n), prev: make([]int32, n), passed: make([]moment, n)}
}

// pass notes that process p has passed m.
func (r *recent) pass(process int, m moment) {
	p := int32(process)
	listed := r.passed[p].event != graphs.Bottom
	r.passed[p] = m
	if r.front == p {
		return
	}
	if listed {
		r.next[r.prev[p]] = r.next[p]
		if r.next[p] >= 0 {
			r.prev[r.next[p]] = r.prev[p]
		}
	}
	r.next[p], r.prev[p] = r.front, -1
	if r.front >= 0 {
		r.prev[r.front] = p
	}
	r.front = p
}
