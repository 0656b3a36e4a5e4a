package ist

// A Range is the values Lo … Hi.
type Range struct{ Lo, Hi int32 }

// Where returns the tuples with a value of variable v in one of the ranges, which
// must be in increasing order and disjoint.
func (s *Store) Where(v int, ranges []Range) Set {
	base := len(s.scratch)
	next := s.full(int32(v) + 1)
	for _, r := range ranges {
		if r.Lo > 0 && (len(s.scratch) == base || s.scratch[len(s.scratch)-1].Hi < r.Lo-1) {
			s.push(base, r.Lo-1, Empty)
		}
		s.push(base, r.Hi, next)
	}
	return s.lift(s.seal(base, int32(v)), v)
}

// lift makes a set of tuples of the variables from v on one of tuples of all.
func (s *Store) lift(a Set, v int) Set {
	for u := v - 1; u >= 0; u-- {
		base := len(s.scratch)
		s.push(base, s.tops[u], a)
		a = s.seal(base, int32(u))
	}
	return a
}

// Box returns the tuples with every variable v in ranges[v].
func (s *Store) Box(ranges []Range) Set {
	a := end
	for v := len(ranges) - 1; v >= 0; v-- {
		base := len(s.scratch)
		if ranges[v].Lo > 0 {
			s.push(base, ranges[v].Lo-1, Empty)
		}
		if ranges[v].Lo <= ranges[v].Hi {
			s.push(base, ranges[v].Hi, a)
		}
		a = s.seal(base, int32(v))
	}
	return a
}

// Tuple returns the set of one tuple.
func (s *Store) Tuple(t []int32) Set {
	ranges := make([]Range, len(t))
	for v, x := range t {
		ranges[v] = Range{x, x}
	}
	return s.Box(ranges)
}

// A Stair says that from value At of one variable on another has at least value
// Need.
type Stair struct{ At, Need int32 }

// AtLeast returns the tuples in which variable w is at least Need wherever
// variable v is at least At, for all stairs, which must be in increasing order of
// At and of Need.
func (s *Store) AtLeast(v, w int, stairs []Stair) Set {
	if v == w {
		for _, t := range stairs {
			if t.Need > t.At {
				// Values from At to Need-1 are excluded, and so on up.
				return s.IntersectionOf(s.alone(v, stairs))
			}
		}
		return s.Full()
	}
	first, last := min(v, w), max(v, w)
	base := len(s.scratch)
	if v < w {
		to := s.full(int32(first) + 1)
		for _, t := range stairs {
			if t.At > s.tops[v] {
				break
			}
			if t.At > 0 {
				s.push(base, t.At-1, to)
			}
			to = s.under(first+1, last, Range{t.Need, s.tops[w]})
		}
		s.push(base, s.tops[v], to)
	} else {
		for _, t := range stairs {
			if t.Need > s.tops[w] {
				to := s.under(first+1, last, Range{0, t.At - 1})
				s.push(base, s.tops[w], to)
				break
			}
			if t.Need > 0 {
				to := s.under(first+1, last, Range{0, t.At - 1})
				s.push(base, t.Need-1, to)
			}
		}
		if n := len(s.scratch); n == base || s.scratch[n-1].Hi < s.tops[w] {
			s.push(base, s.tops[w], s.full(int32(first)+1))
		}
	}
	return s.lift(s.seal(base, int32(first)), first)
}

func (s *Store) alone(v int, stairs []Stair) []Set {
	var sets []Set
	for _, t := range stairs {
		var ranges []Range
		if t.At > 0 {
			ranges = append(ranges, Range{0, min(t.At-1, s.tops[v])})
		}
		if from := max(t.At, t.Need); from <= s.tops[v] {
			ranges = append(ranges, Range{from, s.tops[v]})
		}
		sets = append(sets, s.Where(v, ranges))
	}
	return sets
}

// under returns the tuples of the variables from u on with variable v in r.
func (s *Store) under(u, v int, r Range) Set {
	if r.Lo > r.Hi {
		return Empty
	}
	base := len(s.scratch)
	if r.Lo > 0 {
		s.push(base, r.Lo-1, Empty)
	}
	s.push(base, min(r.Hi, s.tops[v]), s.full(int32(v)+1))
	a := s.seal(base, int32(v))
	for w := v - 1; w >= u; w-- {
		base := len(s.scratch)
		s.push(base, s.tops[w], a)
		a = s.seal(base, int32(w))
	}
	return a
}
