package ist

import "math/big"

// What only tests need: sets made one relation at a time, and counted.

// A Range is the values Lo … Hi.
type Range struct{ Lo, Hi int32 }

// box returns the tuples with every variable v in ranges[v].
func (s *Store) box(ranges []Range) Set {
	a := s.Full()
	for v, r := range ranges {
		a = s.Intersect(a, s.Where(v, []Range{r}))
	}
	return a
}

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
	return s.Lift(s.seal(base, int32(v)))
}

// AtLeast returns the tuples in which variable w is at least Need wherever
// variable v is at least At, for all bounds, which must be in increasing order of
// At and of Need.
func (s *Store) AtLeast(v, w int, bounds []Bound) Set {
	if v == w {
		for _, t := range bounds {
			if t.Need > t.At {
				// Values from At to Need-1 are excluded, and so on up.
				return s.IntersectionOf(s.alone(v, bounds))
			}
		}
		return s.Full()
	}
	first, last := min(v, w), max(v, w)
	base := len(s.scratch)
	if v < w {
		to := s.full(int32(first) + 1)
		for _, t := range bounds {
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
		for _, t := range bounds {
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
	return s.Lift(s.seal(base, int32(first)))
}

func (s *Store) alone(v int, bounds []Bound) []Set {
	var sets []Set
	for _, t := range bounds {
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
	return s.lift(s.seal(base, int32(v)), u)
}

// Node returns the set of tuples of the variables v … k-1 that list describes; the
// intervals must be in increasing order and lead to sets of the variables from v+1
// on. The end of all tuples is Node(k, nil).
func (s *Store) Node(v int, list []Interval) Set {
	if v == len(s.tops) {
		return end
	}
	base := len(s.scratch)
	for _, i := range list {
		s.push(base, i.Hi, i.To)
	}
	return s.seal(base, int32(v))
}

// Count returns the number of tuples of a.
func (s *Store) Count(a Set) *big.Int {
	done := map[Set]*big.Int{Empty: new(big.Int), end: big.NewInt(1)}
	var count func(a Set) *big.Int
	count = func(a Set) *big.Int {
		if n, ok := done[a]; ok {
			return n
		}
		sum, part := new(big.Int), new(big.Int)
		lo := int32(0)
		for _, i := range s.intervals(a) {
			if i.To != Empty {
				part.SetInt64(int64(i.Hi-lo) + 1)
				sum.Add(sum, part.Mul(part, count(i.To)))
			}
			lo = i.Hi + 1
		}
		done[a] = sum
		return sum
	}
	return count(a)
}

// Least returns the lexicographically least tuple of a, nil for Empty.
func (s *Store) Least(a Set) []int32 {
	if a == Empty {
		return nil
	}
	t := make([]int32, 0, len(s.tops))
	for a != end {
		list := s.intervals(a)
		x := int32(0)
		if list[0].To == Empty {
			x, list = list[0].Hi+1, list[1:]
		}
		t = append(t, x)
		a = list[0].To
	}
	return t
}
