package ist

import (
	"cmp"
	"slices"
)

// Backward returns the least set that contains goal and every tuple of along from which a move
// leads into the set: the tuples from which moves lead to goal through tuples of along.
//
// Moves only lead upwards. So with F(c) and G(c) for the children of along and goal at value c of
// the first variable, the child of the result is, from the highest value down,
//
//	R(c) = Backward(F(c), G(c) || F(c) && R(c+1))
//
// This is the same for all values of an interval of both, so nothing is iterated. Joint moves add
// their sources to R(c+1).
func (s *Store) Backward(along, goal Set) Set { return s.reach(along, goal, false) }

// Forward returns the least set that contains start and every tuple of along that one move reaches
// from the set. It is Backward with the order of values reversed.
func (s *Store) Forward(along, start Set) Set { return s.reach(along, start, true) }

func (s *Store) reach(along, set Set, forwards bool) Set {
	if along == Empty || set == Empty || along == set || set == end {
		return set
	}
	op := opBackward
	if forwards {
		op = opForward
	}
	if r, ok := s.recall(op, along, set); ok {
		return r
	}
	return s.remember(op, along, set, s.pass(along, set, forwards))
}

// A stretch is an interval of values of a variable for which each of two sets has one child. A
// value at which joint moves arrive is a stretch of its own.
type stretch struct {
	hi         int32 // the last value
	along, set Set   // the children of the two sets; in the end, set is the child of the result
	arriving   []int32
}

// pass makes the node of Backward, from the highest value down, or that of Forward, from the lowest
// up.
func (s *Store) pass(along, set Set, forwards bool) Set {
	v, first := s.node(set).level, len(s.stretches)
	s.split(v, along, set, forwards)
	n := len(s.stretches) - first
	beside := Empty // the child of the result for the previous stretch in this order
	for i := range n {
		at := first + i
		if !forwards {
			at = first + n - 1 - i
		}
		// A copy, because reach may reallocate the list.
		p := s.stretches[at]
		p.set = s.Union(p.set, s.Intersect(p.along, beside))
		if p.along != Empty {
			for _, m := range p.arriving {
				from, _ := s.moves[m].ends(0, forwards)
				k, _ := slices.BinarySearchFunc(s.stretches[first:first+n], from,
					func(p stretch, x int32) int { return cmp.Compare(p.hi, x) })
				to := s.joint(m, 1, s.stretches[first+k].set, forwards)
				p.set = s.Union(p.set, s.Intersect(p.along, to))
			}
		}
		beside = s.reach(p.along, p.set, forwards)
		s.stretches[at].set = beside
	}
	base := len(s.scratch)
	for _, p := range s.stretches[first:] {
		s.push(base, p.hi, p.set)
	}
	s.stretches = s.stretches[:first]
	return s.seal(base, v)
}

// split appends the stretches of variable v to s.stretches, in increasing order.
func (s *Store) split(v int32, along, set Set, forwards bool) {
	moves := s.moveAt[v]
	arrival := func(m int32) int32 {
		_, to := s.moves[m].ends(0, forwards)
		return to
	}
	if forwards && len(moves) > 1 { // moves are in the order of their sources
		moves = slices.Clone(moves)
		slices.SortStableFunc(moves, func(a, b int32) int { return cmp.Compare(arrival(a), arrival(b)) })
	}
	x, y := s.intervals(along), s.intervals(set)
	for lo := int32(0); lo <= s.tops[v]; lo = s.stretches[len(s.stretches)-1].hi + 1 {
		if len(x) > 0 && x[0].Hi < lo {
			x = x[1:]
		}
		if len(y) > 0 && y[0].Hi < lo {
			y = y[1:]
		}
		p := stretch{hi: s.tops[v]}
		if len(x) > 0 {
			p.along, p.hi = x[0].To, min(p.hi, x[0].Hi)
		}
		if len(y) > 0 {
			p.set, p.hi = y[0].To, min(p.hi, y[0].Hi)
		}
		n := 0
		for n < len(moves) && arrival(moves[n]) == lo {
			n++
			p.hi = lo
		}
		p.arriving, moves = moves[:n], moves[n:]
		if len(moves) > 0 {
			p.hi = min(p.hi, arrival(moves[0])-1)
		}
		s.stretches = append(s.stretches, p)
	}
}
