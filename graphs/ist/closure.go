package ist

import "slices"

// Down returns the tuples that are at most some tuple of a in every variable.
// From the highest value down, a node goes on as the union of what its higher
// values go on as.
func (s *Store) Down(a Set) Set {
	if a == Empty || s.isFull(a) {
		return a
	}
	if r, ok := s.recall(opDown, a, Empty); ok {
		return r
	}
	base := len(s.scratch)
	above := Empty
	for _, i := range slices.Backward(s.intervals(a)) {
		above = s.Union(above, s.Down(i.To))
		s.pushDown(base, i.Hi, above)
	}
	return s.remember(opDown, a, Empty, s.sealDown(base, s.node(a).level))
}

// Up returns the tuples that are at least some tuple of a in every variable.
func (s *Store) Up(a Set) Set {
	if a == Empty || s.isFull(a) {
		return a
	}
	if r, ok := s.recall(opUp, a, Empty); ok {
		return r
	}
	v := s.node(a).level
	x := s.intervals(a)
	base := len(s.scratch)
	below := Empty
	for i := range x {
		below = s.Union(below, s.Up(x[i].To))
		s.push(base, x[i].Hi, below)
	}
	s.push(base, s.tops[v], below)
	return s.remember(opUp, a, Empty, s.seal(base, v))
}

// Minimal returns the tuples of a that are not above another in every variable.
func (s *Store) Minimal(a Set) Set { return s.Minus(a, s.Up(s.After(a))) }

// pushDown is push for intervals in decreasing order.
func (s *Store) pushDown(base int, hi int32, to Set) {
	if n := len(s.scratch); n == base || s.scratch[n-1].To != to {
		s.scratch = append(s.scratch, Interval{hi, to})
	}
}

// sealDown is seal for intervals in decreasing order.
func (s *Store) sealDown(base int, v int32) Set {
	slices.Reverse(s.scratch[base:])
	return s.seal(base, v)
}
