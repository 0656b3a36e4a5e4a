package clocks

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/pota-project/pota/graphs"
)

// intervals is the interval model; see Intervals in the package documentation.
type intervals struct {
	r     *Readings
	bound int64 // how much each reading is widened, in nanoseconds
}

// Skew returns the interval model with each reading widened by a bound, which must be at least 0.
// The error is a *ContradictionError for a bound less than Least.
func (r *Readings) Skew(bound time.Duration) (Model, error) {
	if int64(bound) < r.least {
		c, early := r.c, r.early(r.late)
		return nil, &ContradictionError{
			Early: early, Late: r.late,
			IDs:   [2]string{c.ID(early), c.ID(r.late)},
			Times: [2]string{c.Time(early), c.Time(r.late)},
			Least: r.Least(),
		}
	}
	return &intervals{r: r, bound: int64(bound)}, nil
}

// String implements Model.
func (m *intervals) String() string {
	if m.bound == 0 {
		return "clocks are exact within their readings"
	}
	return fmt.Sprintf("clocks agree within %s", time.Duration(m.bound))
}

// AllowsEachRun implements Model.
func (m *intervals) AllowsEachRun() bool { return true }

// Earliest implements Model.
func (m *intervals) Earliest(e graphs.Event) int64 { return m.r.since(m.r.lb[e]) }

// Latest implements Model. The first call of it or MaxDifference takes O(|V|+|edges|) time.
func (m *intervals) Latest(e graphs.Event) int64 { return m.r.since(m.ub(e)) }

// ub returns the latest time of an event, counted from the first reading.
func (m *intervals) ub(e graphs.Event) int64 {
	if ub := m.r.ub()[e]; ub != Unbounded {
		return ub + m.bound
	}
	return Unbounded
}

// MaxDifference implements Model. It takes O(1) time if the largest difference is not positive or
// the calls are about few processes, and O(|V|+|edges|) otherwise.
func (m *intervals) MaxDifference(e, f graphs.Event) int64 {
	d := int64(Unbounded)
	if late, early := m.ub(f), m.r.lb[e]; late != Unbounded && early != -Unbounded {
		d = late - early // both count from the first reading
	}
	// If f happened before e, or together with it, both bounds are ordered; this rules out most
	// pairs.
	lb, ub := m.r.lb, m.r.ub()
	if d > 0 && lb[f] <= lb[e] && ub[f] <= ub[e] && m.r.past().Before(f, e) {
		return 0
	}
	return d
}

// Ordered implements Model.
//
// The time complexity of Ordered is O(|V|+|edges|), including the edges that it adds. For n
// processes it adds at most |V|·(n-1)/2, and as many only if every process has events within any
// time as long as the bound.
func (m *intervals) Ordered(ctx context.Context) (*graphs.Computation, error) {
	return m.r.order(ctx, []clock{m.r.everyone()}, m.bound)
}

// order returns the computation with the edges that clocks of an error within bound add. A process
// reads at most one of the clocks.
func (r *Readings) order(ctx context.Context, all []clock, bound int64) (*graphs.Computation, error) {
	d, err := r.c.Ordered(r.edges(ctx, all, bound))
	if ctx.Err() != nil {
		return nil, ctx.Err() // edges may be missing
	}
	return d, err
}

// edges yields the edges that order adds. Only the first iteration stops when ctx is done, because
// later ones have to yield the same edges.
func (r *Readings) edges(ctx context.Context, all []clock, bound int64) iter.Seq[graphs.Edge] {
	return func(yield func(graphs.Edge) bool) {
		passed := make([]passing, r.c.NumProcesses()+1)
		for _, k := range all {
			if !r.edgesOf(ctx, k, bound, passed, yield) {
				return
			}
		}
		ctx = context.WithoutCancel(ctx)
	}
}

// A passing is the state of one process in a pass over the events of a clock: the event passed
// last, and the beginning of its last arriving event. The processes form a ring, ordered by the
// event that they passed last, the latest first; an extra entry after all processes separates the
// ends.
type passing struct {
	moment
	heard      int64
	next, prev int32
}

// edgesOf yields the edges of one clock. It returns false if yield did, or ctx is done.
func (r *Readings) edgesOf(ctx context.Context, of clock, bound int64, passed []passing, yield func(graphs.Edge) bool) bool {
	ends := int32(len(passed)) - 1
	passed[ends] = passing{next: ends, prev: ends}
	leaving := of.leaving
	for i, f := range of.arriving {
		if i%(1<<14) == 0 && ctx.Err() != nil {
			return false
		}
		for ; len(leaving) > 0 && leaving[0].at < f.at-bound; leaving = leaving[1:] {
			p := int32(r.c.Process(leaving[0].event))
			x := &passed[p]
			if x.event != graphs.Bottom {
				passed[x.next].prev = x.prev
				passed[x.prev].next = x.next
			}
			x.moment = leaving[0]
			x.prev, x.next = ends, passed[ends].next
			passed[x.next].prev = p
			passed[ends].next = p
		}
		q := int32(r.c.Process(f.event))
		from := passed[q].heard - bound // an event that ends earlier precedes an earlier event of q
		passed[q].heard = f.at
		newest := passed[ends].next
		if newest == q {
			newest = passed[q].next
		}
		if newest != ends {
			from = max(from, r.at[passed[newest].event]-bound)
		}
		for p := newest; p != ends && passed[p].at >= from; p = passed[p].next {
			if p != q && !yield(graphs.Edge{From: passed[p].event, To: f.event}) {
				return false
			}
		}
	}
	return true
}
