package ist

// Down returns the tuples that are at most some tuple of a in every variable.
func (s *Store) Down(a Set) Set { return s.closed(opDown, a) }

// Up returns the tuples that are at least some tuple of a in every variable.
func (s *Store) Up(a Set) Set { return s.closed(opUp, a) }

// closed is Down or Up. From the highest value down, or from the lowest up, the child of a value
// becomes the union of its closed child and the children of all values before it.
func (s *Store) closed(op opcode, a Set) Set {
	if a == Empty || s.isFull(a) {
		return a
	}
	if r, ok := s.recall(op, a, Empty); ok {
		return r
	}
	v, base := s.node(a).level, len(s.scratch)
	s.scratch = append(s.scratch, s.intervals(a)...)
	if op == opUp {
		s.scratch = append(s.scratch, Interval{s.tops[v], Empty})
	}
	before := Empty
	for i, n := base, len(s.scratch); i < n; i++ {
		at := i
		if op == opDown {
			at = base + n - 1 - i
		}
		before = s.Union(before, s.closed(op, s.scratch[at].To))
		s.scratch[at].To = before
	}
	// Merge neighbours that have become equal, in place.
	list := s.scratch[base:]
	s.scratch = s.scratch[:base]
	s.pushAll(base, list)
	return s.remember(op, a, Empty, s.seal(base, v))
}

// Minimal returns the minimal tuples of a: those with no other tuple of a at most them in every
// variable.
func (s *Store) Minimal(a Set) Set { return s.Minus(a, s.Up(s.After(a))) }
