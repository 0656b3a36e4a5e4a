package clocks

import (
	"container/list"
	"context"
	"fmt"
	"time"

	"github.com/pota-project/pota/graphs"
)

// intervals is the interval model; see the package's Intervals.
type intervals struct {
	r     *Readings
	bound int64 // which widens each reading
}

// Skew returns the interval model with each reading widened by a bound, at least 0. The error is a
// *ContradictionError for a bound less than Least.
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

// ub returns the latest time of an event, from the first reading on.
func (m *intervals) ub(e graphs.Event) int64 {
	if ub := m.r.ub()[e]; ub != Unbounded {
		return ub + m.bound
	}
	return Unbounded
}

// MaxDifference implements Model. It takes O(1) time where the largest difference is not positive or
// the processes asked about are few, and else O(|V|+|edges|).
func (m *intervals) MaxDifference(e, f graphs.Event) int64 {
	d := minus(m.ub(f), m.r.lb[e])
	if d > 0 && m.before(f, e) {
		return 0
	}
	return d
}

// before reports whether e happened before f, or together with it.
func (m *intervals) before(e, f graphs.Event) bool {
	// The bounds grow along happened-before, and most pairs differ in them.
	lb, ub := m.r.lb, m.r.ub()
	return lb[e] <= lb[f] && ub[e] <= ub[f] && m.r.past().Before(e, f)
}

// Ordered implements Model.
//
// The time complexity of Ordered is O(|V|+|edges|), with the edges that it adds. For n processes
// these are at most |V|·(n-1)/2, and as many only if every process has events within any
// stretch of time as long as the bound.
func (m *intervals) Ordered(ctx context.Context) (*graphs.Computation, error) {
	return m.r.order(ctx, []clock{m.r.everyone()}, m.bound)
}

// order returns the computation with what clocks order that go wrong within a bound. A process reads
// at most one of them.
func (r *Readings) order(ctx context.Context, all []clock, bound int64) (*graphs.Computation, error) {
	return ordered(r.c, func(add func(e, f graphs.Event)) error { return r.edges(ctx, all, bound, add) })
}

// edges calls add for each edge that order adds.
func (r *Readings) edges(ctx context.Context, all []clock, bound int64, add func(e, f graphs.Event)) error {
	number := make([]int32, r.c.NumProcesses()) // of each process among those of its clock
	for _, k := range all {
		for n, p := range k.processes {
			number[p] = int32(n)
		}
		if err := r.edgesOf(ctx, k, number, bound, add); err != nil {
			return err
		}
	}
	return nil
}

// edgesOf calls add for the edges of one clock.
func (r *Readings) edgesOf(ctx context.Context, of clock, number []int32, bound int64, add func(e, f graphs.Event)) error {
	n := len(of.processes)
	var recent list.List // the processes by the event that they passed last, the latest first
	passed := make([]moment, n)
	listed := make([]*list.Element, n)
	heard := make([]int64, n) // the begin of each process's last event that arrived
	leaving := of.leaving
	for i, f := range of.arriving {
		if i%(1<<14) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for ; len(leaving) > 0 && leaving[0].at < f.at-bound; leaving = leaving[1:] {
			p := number[r.c.Process(leaving[0].event)]
			passed[p] = leaving[0]
			if listed[p] == nil {
				listed[p] = recent.PushFront(&passed[p])
			}
			recent.MoveToFront(listed[p])
		}
		q := number[r.c.Process(f.event)]
		from := heard[q] - bound // what ends earlier is before an event before f
		heard[q] = f.at
		newest := true
		for x := recent.Front(); x != nil; x = x.Next() {
			if x == listed[q] {
				continue
			}
			e := x.Value.(*moment)
			if newest {
				newest = false
				from = max(from, r.at[e.event]-bound)
			}
			if e.at < from {
				break
			}
			add(e.event, f.event)
		}
	}
	return nil
}
