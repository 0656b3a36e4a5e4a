package crucial

import "math/bits"

// A set is a set of small numbers, such as processes or objects.
type set []uint64

// newBits returns an empty set for the numbers below n.
func newBits(n int) set { return make(set, (n+63)/64) }

func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }

// addAll adds the numbers of a list.
func (s set) addAll(list []int) {
	for _, i := range list {
		s.add(i)
	}
}

// join adds t to s and reports whether s has grown.
func (s set) join(t set) bool {
	grown := false
	for i, w := range t {
		grown = grown || w&^s[i] != 0
		s[i] |= w
	}
	return grown
}

// meets reports whether s and t have an element in common.
func (s set) meets(t set) bool {
	for i, w := range t {
		if w&s[i] != 0 {
			return true
		}
	}
	return false
}

// next returns the least element that is at least i, -1 where there is none.
func (s set) next(i int) int {
	for w := i / 64; w < len(s); w++ {
		word := s[w]
		if w == i/64 {
			word &= ^uint64(0) << (i % 64)
		}
		if word != 0 {
			return w*64 + bits.TrailingZeros64(word)
		}
	}
	return -1
}
