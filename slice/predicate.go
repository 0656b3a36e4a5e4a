package slice

import (
	"iter"

	"github.com/pota-project/pota/graphs"
)

// Chain returns the slice for a predicate that only the given events can change. They
// must be totally ordered by happened-before and given in that order, such as all
// events of one process or all assignments of a shared variable. holds[i] reports whether
// the predicate holds after the first i of them, so that holds has one element more
// than events. For each maximal block of the chain where the predicate is false, an
// edge leads from the event that ends the block to the one that begins it. The slice is
// lean.
//
// The time complexity of Chain is O(events).
func Chain(c *graphs.Computation, events []graphs.Event, holds []bool) *Slice {
	return Chains(c, func(yield func([]graphs.Event, []bool) bool) { yield(events, holds) })
}

// Chains returns the slice for the conjunction of predicates of one chain each, in the
// form that Chain accepts: And of the slices that Chain would make.
//
// The time complexity of Chains is O(events + chains log chains).
func Chains(c *graphs.Computation, chains iter.Seq2[[]graphs.Event, []bool]) *Slice {
	s := newSlice(c, nil, nil, true)
	var list []graphs.Edge
	for events, holds := range chains {
		for i := 0; i < len(holds); {
			if holds[i] {
				i++
				continue
			}
			begin := i
			for i < len(holds) && !holds[i] {
				i++
			}
			switch {
			case begin == 0 && i == len(holds):
				return None(c)
			case begin == 0:
				s.low = append(s.low, forced(c, events[i-1])...)
			case i == len(holds):
				s.high = append(s.high, barred(c, events[begin-1])...)
			default:
				list = append(list, graphs.Edge{From: events[i-1], To: events[begin-1]})
			}
		}
	}
	return s.with(list, true)
}

// with adds edges to s, a slice without any, and joins its bounds.
func (s *Slice) with(list []graphs.Edge, chain bool) *Slice {
	s.low, s.high = s.low.joined(larger), s.high.joined(smaller)
	if len(list) > 0 {
		s.edges = []edges{{list, chain}}
	}
	return s
}

// TransitAtMost returns the slice for transit(p,q) <= k: the (s-k)-th receive
// comes before the s-th send. The slice is lean. The time complexity of
// TransitAtMost is O(messages of p).
func TransitAtMost(c *graphs.Computation, p, q int, k int64) *Slice {
	if k < 0 {
		return None(c)
	}
	sends, recvs := c.Channel(p, q)
	return Difference(c, sends, recvs, func(sent, received int) bool { return int64(sent-received) <= k })
}

// TransitAtLeast returns the slice for transit(p,q) >= k: the k-th send is in
// every cut, the (r+k)-th comes before the r-th receive. The slice is lean. The
// time complexity of TransitAtLeast is O(messages of p).
func TransitAtLeast(c *graphs.Computation, p, q int, k int64) *Slice {
	if k <= 0 {
		return All(c)
	}
	sends, recvs := c.Channel(p, q)
	return Difference(c, recvs, sends, func(received, sent int) bool { return int64(sent-received) >= k })
}

// Difference returns the slice for a predicate of two chains that further events of
// the first can only make false and further events of the second only true, such as
// x - y <= k for two variables that never decrease. holds(i, j) reports whether it
// holds after the first i events of xs and the first j of ys. The slice is lean.
//
// The time complexity of Difference is O(xs+ys).
func Difference(c *graphs.Computation, xs, ys []graphs.Event, holds func(i, j int) bool) *Slice {
	s := newSlice(c, nil, nil, true)
	var list []graphs.Edge
	j := 0
	for i := 0; i <= len(xs); i++ {
		before := j
		for j <= len(ys) && !holds(i, j) {
			j++
		}
		switch {
		case j > len(ys):
			if i == 0 {
				return None(c)
			}
			s.high = barred(c, xs[i-1])
			return s.with(list, false)
		case j == before:
		case i == 0:
			s.low = forced(c, ys[j-1])
		case ys[j-1] != xs[i-1]:
			list = append(list, graphs.Edge{From: ys[j-1], To: xs[i-1]})
		}
	}
	return s.with(list, false)
}
