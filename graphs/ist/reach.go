package ist

import "slices"

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
	op, pass := opBackward, s.descend
	if forwards {
		op, pass = opForward, s.ascend
	}
	if r, ok := s.recall(op, along, set); ok {
		return r
	}
	return s.remember(op, along, set, pass(along, set))
}

// descend makes the node of Backward.
func (s *Store) descend(along, goal Set) Set {
	v, base := s.node(goal).level, len(s.scratch)
	x, y := s.intervals(along), s.intervals(goal)
	joint := s.moveAt[v]
	above := Empty
	for hi := max(x[len(x)-1].Hi, y[len(y)-1].Hi); hi >= 0; {
		for len(x) > 1 && x[len(x)-2].Hi >= hi {
			x = x[:len(x)-1]
		}
		for len(y) > 1 && y[len(y)-2].Hi >= hi {
			y = y[:len(y)-1]
		}
		f := Empty
		g := Empty
		lo := int32(0)
		pick := func(list []Interval, to *Set) {
			last := len(list) - 1
			if list[last].Hi < hi {
				lo = max(lo, list[last].Hi+1)
				return
			}
			*to = list[last].To
			if last > 0 {
				lo = max(lo, list[last-1].Hi+1)
			}
		}
		pick(x, &f)
		pick(y, &g)
		g = s.Union(g, s.Intersect(f, above))
		for len(joint) > 0 && s.moves[joint[len(joint)-1]].From[0] > hi {
			joint = joint[:len(joint)-1]
		}
		if n := len(joint); n > 0 && f != Empty {
			if from := s.moves[joint[n-1]].From[0]; from < hi {
				lo = max(lo, from+1)
			} else {
				lo = hi
				for ; n > 0 && s.moves[joint[n-1]].From[0] == hi; n-- {
					m := joint[n-1]
					to := s.joint(m, 1, s.found(base, hi+s.moves[m].Gain[0]), false)
					g = s.Union(g, s.Intersect(f, to))
				}
			}
		}
		above = s.reach(f, g, false)
		s.pushDown(base, hi, above)
		hi = lo - 1
	}
	return s.sealDown(base, v)
}

// found returns where value x leads in the intervals above base, in decreasing order.
func (s *Store) found(base int, x int32) Set {
	list := s.scratch[base:]
	n, _ := slices.BinarySearchFunc(list, x, func(i Interval, x int32) int {
		if i.Hi >= x {
			return -1
		}
		return 1
	})
	if n == 0 {
		return Empty
	}
	return list[n-1].To
}

// ascend makes the node of Forward.
func (s *Store) ascend(along, start Set) Set {
	v, base := s.node(start).level, len(s.scratch)
	x, y := s.intervals(along), s.intervals(start)
	joint := slices.Clone(s.moveAt[v])
	target := func(m int32) int32 { return s.moves[m].From[0] + s.moves[m].Gain[0] }
	slices.SortStableFunc(joint, func(a, b int32) int { return int(target(a) - target(b)) })
	below := Empty
	for lo := int32(0); lo <= s.tops[v]; {
		for len(x) > 0 && x[0].Hi < lo {
			x = x[1:]
		}
		for len(y) > 0 && y[0].Hi < lo {
			y = y[1:]
		}
		f := Empty
		g := Empty
		hi := s.tops[v]
		if len(x) > 0 {
			f, hi = x[0].To, min(hi, x[0].Hi)
		}
		if len(y) > 0 {
			g, hi = y[0].To, min(hi, y[0].Hi)
		}
		g = s.Union(g, s.Intersect(f, below))
		for len(joint) > 0 && target(joint[0]) < lo {
			joint = joint[1:]
		}
		if len(joint) > 0 && f != Empty {
			if to := target(joint[0]); to > lo {
				hi = min(hi, to-1)
			} else {
				hi = lo
				for ; len(joint) > 0 && target(joint[0]) == lo; joint = joint[1:] {
					m := joint[0]
					g = s.Union(g,
						s.Intersect(f, s.joint(m, 1, leads(s.scratch[base:], s.moves[m].From[0]),
							true)))
				}
			}
		}
		below = s.reach(f, g, true)
		s.push(base, hi, below)
		lo = hi + 1
	}
	return s.seal(base, v)
}
