package ist

// Before returns the tuples from which one move leads into a.
func (s *Store) Before(a Set) Set { return s.step(opBefore, a, false) }

// After returns the tuples that one move reaches from a.
func (s *Store) After(a Set) Set { return s.step(opAfter, a, true) }

// step computes one move. If the move adds one to the first variable of the node, it reaches all
// values of an interval except the first from the same interval, and the first from the interval
// before. Backwards, these are the last value and the interval after.
func (s *Store) step(op opcode, a Set, forwards bool) Set {
	if a == Empty || a == end {
		return Empty
	}
	if r, ok := s.recall(op, a, Empty); ok {
		return r
	}
	v, x := s.node(a).level, s.intervals(a)
	base := len(s.scratch)
	lo, last := int32(0), Empty // the next value, and the child of the one before it
	for i, e := range x {
		edge, beside := lo, last
		if !forwards {
			edge, beside = e.Hi, Empty
			if i+1 < len(x) {
				beside = x[i+1].To
			}
		}
		inside := s.step(op, e.To, forwards)
		if lo < edge {
			s.push(base, edge-1, s.Union(inside, e.To))
		}
		s.push(base, edge, s.Union(inside, beside))
		if edge < e.Hi {
			s.push(base, e.Hi, s.Union(inside, e.To))
		}
		lo, last = e.Hi+1, e.To
	}
	if forwards && lo <= s.tops[v] {
		s.push(base, lo, last)
	}
	r := s.seal(base, v)
	return s.remember(op, a, Empty, s.Union(r, s.joints(a, v, forwards)))
}

// joints applies the joint moves whose first variable is v to node a.
func (s *Store) joints(a Set, v int32, forwards bool) Set {
	r := Empty
	base := len(s.scratch)
	for _, m := range s.moveAt[v] {
		from, to := s.moves[m].ends(0, forwards)
		set := s.joint(m, 1, s.below(a, from), forwards)
		switch n := len(s.scratch); {
		case set == Empty:
		case n == base || s.scratch[n-1].Hi < to:
			if to > 0 && (n == base || s.scratch[n-1].Hi < to-1) {
				s.push(base, to-1, Empty)
			}
			s.push(base, to, set)
		default:
			r = s.Union(r, s.point(v, to, set))
		}
	}
	return s.Union(r, s.seal(base, v))
}

// point returns the tuples of the variables from v on with value x of variable v and a tuple of to
// for the others.
func (s *Store) point(v, x int32, to Set) Set {
	base := len(s.scratch)
	if x > 0 {
		s.push(base, x-1, Empty)
	}
	s.push(base, x, to)
	return s.seal(base, v)
}

// below returns the child of node a for value x, which is Empty beyond its intervals.
func (s *Store) below(a Set, x int32) Set {
	if list := after(s.intervals(a), x-1); len(list) > 0 {
		return list[0].To
	}
	return Empty
}

// ends returns the values of the i-th variable of a joint move before and after it. Backwards, they
// are exchanged.
func (m *Move) ends(i int, forwards bool) (from, to int32) {
	from, to = m.From[i], m.From[i]+m.Gain[i]
	if !forwards {
		from, to = to, from
	}
	return from, to
}

// joint returns the tuples to which joint move m leads from a or, backwards, from which it leads
// into a, after its first i variables have been handled. The cache key needs no i, because the
// level of a determines it.
func (s *Store) joint(m int32, i int, a Set, forwards bool) Set {
	mv := &s.moves[m]
	if a == Empty || i == len(mv.Vars) {
		return a
	}
	op := opJoint + opcode(2*m)
	if forwards {
		op++
	}
	if r, ok := s.recall(op, a, Empty); ok {
		return r
	}
	v := s.node(a).level
	var r Set
	if int(v) == mv.Vars[i] {
		from, to := mv.ends(i, forwards)
		r = s.point(v, to, s.joint(m, i+1, s.below(a, from), forwards))
	} else {
		base := len(s.scratch)
		for _, e := range s.intervals(a) {
			s.push(base, e.Hi, s.joint(m, i, e.To, forwards))
		}
		r = s.seal(base, v)
	}
	return s.remember(op, a, Empty, r)
}
