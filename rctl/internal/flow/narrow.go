package flow

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/pota-project/pota/graphs"
)

const (
	maxColumns = 1e8 // processes times events for which narrow compares bounds
	maxNarrow  = 64  // events that narrow looks at by minimum cuts
)

// narrow reports whether some event cannot be passed: whether the sum is more than most
// at every cut before it happens or at every cut after. Each passage has such a cut for
// each event: it contains everything before the event and nothing after it. A minimum
// cut finds the least sum of all such cuts.
//
// It looks at few events, the ones with the greatest lower bound for that sum. The
// bound adds up the least value that each process has at such cuts, as if the processes
// had nothing to do with each other. The first cut has a sum.
//
// The time complexity of narrow is O(n(|V|+|edges|)+|V|log|V|), with the minimum cuts
// on top.
func (s *passage) narrow(ctx context.Context, sum int64) (bool, error) {
	c := s.comp
	if float64(len(s.to))*float64(c.NumEvents()) > maxColumns {
		return false, nil
	}
	back, of := reversed(c, s.from, s.to)
	bound := make([]int64, c.Top()+1) // of each event
	for q := range s.to {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		last, first, least := c.LastBefore(q), back.LastBefore(q), s.leasts(q)
		for e, r := range of {
			if r != 0 {
				low, high := s.around(graphs.Event(e), q, last[e], first[r])
				bound[e] += least(low, high)
			}
		}
	}
	var events []graphs.Event
	for e, r := range of {
		if e := graphs.Event(e); r != 0 && c.Step(e)[0] == e {
			bound[e] += sum + max(0, weightOf(c.Step(e), s.weight))
			events = append(events, e)
		}
	}
	slices.SortStableFunc(events,
		func(d, e graphs.Event) int { return cmp.Compare(bound[e], bound[d]) })
	for _, e := range events[:min(len(events), maxNarrow)] {
		if bound[e] > s.most {
			return true, nil
		}
		low, _ := c.Above(s.from, e)
		low = low.Clone()
		for _, m := range c.Step(e) {
			low[c.Process(m)]--
		}
		high, _ := c.Below(s.to, e)
		cut, err := lightest(ctx, c, s.weight, low, high)
		if err != nil {
			return false, err
		}
		if sum+max(0, weightOf(c.Step(e), s.weight))+weightBetween(c, s.weight, s.from, cut) > s.most {
			return true, nil
		}
	}
	return false, nil
}

// around returns the least and the greatest state of process q at the cuts before e.
// last is the last event of q that happened before e or is it, and first the first one
// that e happened before or is, as counted from the end.
func (s *passage) around(e graphs.Event, q int, last, first int32) (low, high int32) {
	for _, m := range s.comp.Step(e) {
		if s.comp.Process(m) == q {
			last--
		}
	}
	return max(s.from[q], last), s.to[q] - first
}

// leasts returns a function that tells the least that process q adds to the sum
// between two states.
func (s *passage) leasts(q int) func(low, high int32) int64 {
	from := s.from[q]
	now := make([]int64, s.to[q]-from+1)
	for i := 1; i < len(now); i++ {
		now[i] = now[i-1] + s.weight[s.comp.Event(q, int(from)+i)]
	}
	levels := [][]int64{now} // level k has the least of each 2^k
	for width := 1; 2*width <= len(now); width *= 2 {
		before := levels[len(levels)-1]
		level := make([]int64, len(before)-width)
		for i := range level {
			level[i] = min(before[i], before[i+width])
		}
		levels = append(levels, level)
	}
	return func(low, high int32) int64 {
		i, n := int(low-from), int(high-low)+1
		k := bits.Len(uint(n)) - 1
		return min(levels[k][i], levels[k][i+n-1<<k])
	}
}
