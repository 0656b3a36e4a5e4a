package ist

import "iter"

// Contains reports whether tuple t is in a. The time complexity of Contains is
// O(k log intervals).
func (s *Store) Contains(a Set, t []int32) bool {
	for _, x := range t {
		if a == Empty {
			return false
		}
		a = s.below(a, x)
	}
	return a != Empty
}

// Smallest returns the tuple of a with the least sum, the lexicographically least if there are
// several, or nil if a is Empty.
func (s *Store) Smallest(a Set) []int32 {
	if a == Empty {
		return nil
	}
	sums := make([]int32, s.count) // the least sum of each node plus one; 0 if not yet known
	sums[end] = 1
	var sum func(a Set) int32
	sum = func(a Set) int32 {
		if sums[a] == 0 {
			lo := int32(0)
			for _, i := range s.intervals(a) {
				if i.To != Empty {
					if n := lo + sum(i.To); sums[a] == 0 || n < sums[a] {
						sums[a] = n
					}
				}
				lo = i.Hi + 1
			}
		}
		return sums[a]
	}
	t := make([]int32, 0, len(s.tops))
	for a != end {
		want, lo := sum(a), int32(0)
		for _, i := range s.intervals(a) {
			if i.To != Empty && lo+sum(i.To) == want {
				t = append(t, lo)
				a = i.To
				break
			}
			lo = i.Hi + 1
		}
	}
	return t
}

// All yields the tuples of a in lexicographic order. A tuple is valid only until the next one.
func (s *Store) All(a Set) iter.Seq[[]int32] {
	return func(yield func([]int32) bool) {
		t := make([]int32, len(s.tops))
		var visit func(v int, a Set) bool
		visit = func(v int, a Set) bool {
			if a == end {
				return yield(t)
			}
			lo := int32(0)
			for _, i := range s.intervals(a) {
				for x := lo; i.To != Empty && x <= i.Hi; x++ {
					t[v] = x
					if !visit(v+1, i.To) {
						return false
					}
				}
				lo = i.Hi + 1
			}
			return true
		}
		if a != Empty {
			visit(0, a)
		}
	}
}
