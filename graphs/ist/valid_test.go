package ist

import (
	"fmt"
	"slices"
)

// Valid returns the first violation of the invariants of the store in a and all nodes below it.
func (s *Store) Valid(a Set) error {
	var err error
	s.walk(a, func(b Set) {
		if err == nil && b != end {
			err = s.validNode(b)
		}
	})
	return err
}

func (s *Store) validNode(a Set) error {
	list, v := s.intervals(a), s.node(a).level
	hi, to := int32(-1), Set(-1)
	for _, i := range list {
		switch {
		case i.Hi <= hi || i.Hi > s.tops[v]:
			return fmt.Errorf("node %d: interval up to %d after one up to %d, of %d", a, i.Hi, hi,
				s.tops[v])
		case i.To == to:
			return fmt.Errorf("node %d: neighbouring intervals lead to node %d", a, to)
		case i.To != Empty && s.node(i.To).level != v+1:
			return fmt.Errorf("node %d of level %d leads to node %d of level %d", a, v, i.To,
				s.node(i.To).level)
		}
		hi, to = i.Hi, i.To
	}
	if to == Empty || len(list) == 0 {
		return fmt.Errorf("node %d ends with Empty", a)
	}
	if b := s.find(slices.Clone(list), v); b != a {
		return fmt.Errorf("nodes %d and %d have the same intervals", a, b)
	}
	return nil
}

// walk visits each node of a once, in the order of a depth-first search.
func (s *Store) walk(a Set, visit func(Set)) {
	seen := map[Set]bool{Empty: true}
	var walk func(a Set)
	walk = func(a Set) {
		if seen[a] {
			return
		}
		seen[a] = true
		visit(a)
		if a != end {
			for _, i := range s.intervals(a) {
				walk(i.To)
			}
		}
	}
	walk(a)
}
