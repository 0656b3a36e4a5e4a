package ist

import (
	"cmp"
	"slices"
)

// Backward returns the least set that has the tuples of goal, and every tuple of along with a move
// into it: moves lead from all of them to the goal, through along before it.
//
// Moves only lead upwards. So with F(c) and G(c) for what along and goal go on as
// at value c of the first variable, what the result goes on as is, from the highest
// value down,
//
//	R(c) = Backward(F(c), G(c) || F(c) && R(c+1))
//
// which is the same for all values of an interval of both: nothing is iterated.
// Joint moves add to what R(c+1) stands for.
func (s *Store) Backward(along, goal Set) Set { return s.reach(along, goal, false) }

// Forward returns the least set that has the tuples of start, and every tuple of along that one
// move reaches from it. It is Backward with the order of values reversed.
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

// A stretch has values of a variable for which two sets go on alike, and no joint move arrives but
// at the only one of them.
type stretch struct {
	hi         int32 // the last of the values
	along, set Set   // what the sets go on as; in the end, set is what the result goes on as
	arriving   []int32
}

// pass makes the node of Backward, from the highest value down, or that of Forward.
func (s *Store) pass(along, set Set, forwards bool) Set {
	v, first := s.node(set).level, len(s.stretches)
	s.split(v, along, set, forwards)
	n := len(s.stretches) - first
	beside := Empty // what the result goes on as at the value before in this order
	for i := range n {
		at := first + i
		if !forwards {
			at = first + n - 1 - i
		}
		// A copy, because the list moves when it grows.
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

// split adds the stretches of the values of a variable, in their order.
func (s *Store) split(v int32, along, set Set, forwards bool) {
	moves := s.moveAt[v]
	arrival := func(m int32) int32 {
		_, to := s.moves[m].ends(0, forwards)
		return to
	}
	if forwards && len(moves) > 1 { // they are in the order of where they come from
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
