package ist

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
	x := s.intervals(a)
	base := len(s.scratch)
	s.scratch = append(s.scratch, x...)
	above := Empty
	for i := len(x) - 1; i >= 0; i-- {
		above = s.Union(above, s.Down(x[i].To))
		s.scratch[base+i].To = above
	}
	return s.remember(opDown, a, Empty, s.sealMerged(base, s.node(a).level))
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

// sealMerged is seal for a list with neighbours that may lead to the same node.
func (s *Store) sealMerged(base int, v int32) Set {
	list := s.scratch[base:]
	n := 0
	for _, i := range list {
		if n > 0 && list[n-1].To == i.To {
			list[n-1].Hi = i.Hi
			continue
		}
		list[n] = i
		n++
	}
	s.scratch = s.scratch[:base+n]
	return s.seal(base, v)
}
