package clocks

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/pota-project/pota/graphs"
)

// intervals is the interval model; see the package's Intervals.
type intervals struct {
	r     *Readings
	bound int64 // which widens each reading

	bounds sync.Once
	lb, ub []int64 // by event, from the first reading on; see the package's Intervals

	past func() *graphs.Precedence // of the events
}

// Skew returns the interval model with each reading widened by a bound, at least 0. The error is a
// *ContradictionError for a bound less than Least.
func (r *Readings) Skew(bound time.Duration) (Model, error) {
	if int64(bound) < r.least {
		c := r.c
		return nil, &ContradictionError{
			Early: r.early, Late: r.late,
			IDs:   [2]string{c.ID(r.early), c.ID(r.late)},
			Times: [2]string{c.Time(r.early), c.Time(r.late)},
			Least: r.Least(),
		}
	}
	past := sync.OnceValue(func() *graphs.Precedence { return graphs.NewPrecedence(r.causal) })
	return &intervals{r: r, bound: int64(bound), past: past}, nil
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

// Earliest implements Model. The first call of it, Latest or MaxDifference takes O(|V|+|edges|) time.
func (m *intervals) Earliest(e graphs.Event) int64 {
	m.bounds.Do(m.findBounds)
	return m.r.since(m.lb[e])
}

// Latest implements Model.
func (m *intervals) Latest(e graphs.Event) int64 {
	m.bounds.Do(m.findBounds)
	return m.r.since(m.ub[e])
}

// findBounds goes through the events forwards for the earliest times and backwards for the latest.
func (m *intervals) findBounds() {
	c, n := m.r.causal, len(m.r.at)
	m.lb = make([]int64, n)
	m.ub = make([]int64, n)
	for e := range n {
		m.lb[e], m.ub[e] = -Unbounded, Unbounded
		if m.r.at[e] >= 0 {
			m.lb[e] = m.r.at[e]
			m.ub[e] = m.r.until[e] + m.bound
		}
	}
	order := c.Order()
	for i := 0; i < len(order); {
		step := c.Step(order[i])
		m.tighten(step, func(e graphs.Event) int64 {
			low := m.lb[e]
			for _, f := range c.Preds(e) {
				low = max(low, m.lb[f])
			}
			if c.Process(e-1) == c.Process(e) {
				low = max(low, m.lb[e-1])
			}
			return low
		}, m.lb, func(x, y int64) int64 { return max(x, y) })
		i += len(step)
	}
	for i := len(order); i > 0; {
		step := c.Step(order[i-1])
		m.tighten(step, func(e graphs.Event) int64 {
			high := m.ub[e]
			for _, f := range c.Succs(e) {
				high = min(high, m.ub[f])
			}
			if c.Process(e+1) == c.Process(e) {
				high = min(high, m.ub[e+1])
			}
			return high
		}, m.ub, func(x, y int64) int64 { return min(x, y) })
		i -= len(step)
	}
}

// tighten gives the events of a step the tightest bound that one of them has.
func (m *intervals) tighten(step []graphs.Event, of func(graphs.Event) int64, bounds []int64, tighter func(x, y int64) int64) {
	best := of(step[0])
	for _, e := range step[1:] {
		best = tighter(best, of(e))
	}
	for _, e := range step {
		bounds[e] = best
	}
}

// MaxDifference implements Model. It takes O(1) time where the largest difference is not positive or
// the processes asked about are few, and else O(|V|+|edges|).
func (m *intervals) MaxDifference(e, f graphs.Event) int64 {
	m.bounds.Do(m.findBounds)
	d := minus(m.ub[f], m.lb[e])
	if d > 0 && m.before(f, e) {
		return 0
	}
	return d
}

// before reports whether e happened before f, or together with it.
func (m *intervals) before(e, f graphs.Event) bool {
	// The bounds grow along happened-before, and most pairs differ in them.
	return m.lb[e] <= m.lb[f] && m.ub[e] <= m.ub[f] && m.past().Before(e, f)
}

// Ordered implements Model.
//
// The time complexity of Ordered is O(|V|+|edges|), with the edges that it adds. For n processes
// these are at most |V|·(n-1)/2, and as many only if every process has events within any
// stretch of time as long as the bound.
func (m *intervals) Ordered(ctx context.Context) (*graphs.Computation, error) {
	r := m.r
	all := clock{leaving: r.leaving, arriving: r.arriving}
	number := make([]int32, r.c.NumProcesses())
	for p := range number {
		all.processes = append(all.processes, p)
		number[p] = int32(p)
	}
	return ordered(r.c, func(add func(e, f graphs.Event)) error { return r.edges(ctx, all, number, m.bound, add) })
}

// edges calls add for each edge that the readings of processes add, widened by a bound. Each process has a
// number among them.
func (r *Readings) edges(ctx context.Context, of clock, number []int32, bound int64, add func(e, f graphs.Event)) error {
	n := len(of.processes)
	last := newRecent(n)
	heard := make([]int64, n) // the begin of each process's last event that arrived
	leaving := of.leaving
	for i, f := range of.arriving {
		if i%(1<<14) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for len(leaving) > 0 && leaving[0].at < f.at-bound {
			last.pass(number[r.c.Process(leaving[0].event)], leaving[0])
			leaving = leaving[1:]
		}
		q := number[r.c.Process(f.event)]
		from := heard[q] - bound // what ends earlier is before an event before f
		heard[q] = f.at
		newest := true
		for p := last.front; p >= 0; p = last.next[p] {
			if p == q {
				continue
			}
			e := last.passed[p]
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
func (r *recent) pass(p int32, m moment) {
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
