package ist

// Union returns the tuples of a or b. The time complexity of Union is O(|a||b|)
// intervals.
func (s *Store) Union(a, b Set) Set {
	switch {
	case a == b || b == Empty || s.isFull(a):
		return a
	case a == Empty || s.isFull(b):
		return b
	case a > b:
		a, b = b, a
	}
	return s.merge(opUnion, a, b, (*Store).Union)
}

// merge combines two sets, neither of them Empty, interval by interval.
func (s *Store) merge(op opcode, a, b Set, join func(s *Store, a, b Set) Set) Set {
	if r, ok := s.recall(op, a, b); ok {
		return r
	}
	x, y := s.intervals(a), s.intervals(b)
	base := len(s.scratch)
	for len(x) > 0 && len(y) > 0 {
		switch {
		case op != opUnion && x[0].To == Empty:
			s.push(base, x[0].Hi, Empty)
			x, y = x[1:], after(y, x[0].Hi)
		case op == opIntersect && y[0].To == Empty:
			s.push(base, y[0].Hi, Empty)
			x, y = after(x, y[0].Hi), y[1:]
		default:
			hi := min(x[0].Hi, y[0].Hi)
			s.push(base, hi, join(s, x[0].To, y[0].To))
			if x[0].Hi == hi {
				x = x[1:]
			}
			if y[0].Hi == hi {
				y = y[1:]
			}
		}
	}
	if op != opIntersect {
		s.pushAll(base, x)
	}
	if op == opUnion {
		s.pushAll(base, y)
	}
	return s.remember(op, a, b, s.seal(base, s.node(a).level))
}

// pushAll pushes the intervals of a list.
func (s *Store) pushAll(base int, list []Interval) {
	for _, i := range list {
		s.push(base, i.Hi, i.To)
	}
}

// after drops the intervals that end at x or before. By exponential search it takes time
// logarithmic in the number of dropped intervals.
func after(list []Interval, x int32) []Interval {
	step := 1
	for step < len(list) && list[step].Hi <= x {
		step *= 2
	}
	lo, hi := step/2, min(step, len(list))
	for lo < hi {
		if mid := (lo + hi) / 2; list[mid].Hi <= x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return list[lo:]
}

// Intersect returns the tuples of a and b. The time complexity of Intersect is
// O(|a||b|) intervals.
func (s *Store) Intersect(a, b Set) Set {
	switch {
	case a == b || a == Empty || s.isFull(b):
		return a
	case b == Empty || s.isFull(a):
		return b
	case a > b:
		a, b = b, a
	}
	return s.merge(opIntersect, a, b, (*Store).Intersect)
}

// Minus returns the tuples of a that are not in b. The time complexity of Minus
// is O(|a||b|) intervals.
func (s *Store) Minus(a, b Set) Set {
	switch {
	case a == b || a == Empty || s.isFull(b):
		return Empty
	case b == Empty:
		return a
	}
	return s.merge(opMinus, a, b, (*Store).Minus)
}

// Complement returns all tuples that are not in a.
func (s *Store) Complement(a Set) Set { return s.Minus(s.Full(), a) }

// UnionOf returns the union of many sets. It joins them in pairs, as in a balanced tree, so that
// small ones are not added to a large one again and again.
func (s *Store) UnionOf(sets []Set) Set { return s.fold(sets, Empty, s.Union) }

// IntersectionOf returns the intersection of many sets.
func (s *Store) IntersectionOf(sets []Set) Set { return s.fold(sets, s.Full(), s.Intersect) }

func (s *Store) fold(sets []Set, none Set, op func(a, b Set) Set) Set {
	switch len(sets) {
	case 0:
		return none
	case 1:
		return sets[0]
	}
	half := len(sets) / 2
	return op(s.fold(sets[:half], none, op), s.fold(sets[half:], none, op))
}
