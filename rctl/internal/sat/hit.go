package sat

import (
	"context"
	"slices"
)

// A Hitting is a problem of hitting sets: choose few of the numbers 0 … N-1, one of each of Sets, and
// not all of any of Never. Numbers that are together in no set are chosen apart.
//
// Example: the sets {0, 1}, {1, 2} and {3} are hit by {1, 3}, and by no set of one number.
type Hitting struct {
	N     int
	Sets  [][]int32
	Never [][]int32
}

// Least returns a smallest choice in increasing order, and whether there is one. The error is that
// of ctx. Equal problems have the same choice.
//
// The time complexity of Least is exponential in the worst case, for each part of the problem that
// has no number in common with the others.
func (h Hitting) Least(ctx context.Context) (chosen []int32, ok bool, err error) {
	for _, part := range h.parts() {
		some, ok, err := part.least(ctx)
		if err != nil || !ok {
			return nil, false, err
		}
		chosen = append(chosen, some...)
	}
	slices.Sort(chosen)
	return chosen, true, nil
}

// parts takes the problem apart. The numbers stay as they are.
func (h Hitting) parts() (all []Hitting) {
	parent := make([]int32, h.N) // a forest of numbers that occur together
	for i := range parent {
		parent[i] = int32(i)
	}
	root := func(i int32) int32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for _, set := range slices.Concat(h.Sets, h.Never) {
		for _, i := range set[min(1, len(set)):] {
			parent[root(i)] = root(set[0])
		}
	}

	part := make(map[int32]int)
	of := func(set []int32) *Hitting {
		r := int32(-1) // an empty set cannot be hit
		if len(set) > 0 {
			r = root(set[0])
		}
		k, ok := part[r]
		if !ok {
			k = len(all)
			part[r] = k
			all = append(all, Hitting{N: h.N})
		}
		return &all[k]
	}
	for _, set := range h.Sets {
		p := of(set)
		p.Sets = append(p.Sets, set)
	}
	for _, set := range h.Never {
		p := of(set)
		p.Never = append(p.Never, set)
	}
	return all
}

// least solves one part: first for any choice, then for one that is smaller than the last, until
// there is none or as many sets as numbers are chosen have nothing in common.
func (h Hitting) least(ctx context.Context) (chosen []int32, ok bool, err error) {
	s := newSolver(ctx, 0)
	numbers := slices.Compact(slices.Sorted(slices.Values(slices.Concat(h.Sets...))))
	first := s.newVars(len(numbers))
	literal := func(i int32) lit {
		k, ok := slices.BinarySearch(numbers, i)
		if !ok { // no set asks for it
			return no
		}
		return first + lit(k)
	}
	for _, set := range h.Sets {
		var clause []lit
		for _, i := range set {
			clause = append(clause, literal(i))
		}
		s.add(clause...)
	}
	for _, set := range h.Never {
		var clause []lit
		for _, i := range set {
			clause = append(clause, -literal(i))
		}
		s.add(clause...)
	}

	found, err := s.solve(ctx)
	if err != nil || !found {
		return nil, false, err
	}
	model := func() []int32 {
		var some []int32
		for k, i := range numbers {
			if s.value(first + lit(k)) {
				some = append(some, i)
			}
		}
		return h.without(some)
	}
	chosen = model()
	lower := h.disjoint()
	if len(chosen) == lower {
		return chosen, true, nil
	}
	atLeast := s.counter(first, len(numbers), len(chosen))
	for len(chosen) > lower {
		found, err := s.solve(ctx, -atLeast[len(chosen)-1])
		if err != nil {
			return nil, false, err
		}
		if !found {
			break
		}
		chosen = model()
	}
	return chosen, true, nil
}

// without leaves out numbers that are not needed, the last ones first.
func (h Hitting) without(chosen []int32) []int32 {
	times := make([]int, len(h.Sets)) // that each set is hit
	among := make(map[int32][]int)
	for k, set := range h.Sets {
		for _, i := range set {
			if _, ok := slices.BinarySearch(chosen, i); ok {
				times[k]++
				among[i] = append(among[i], k)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(chosen), func(i int32) bool {
		if slices.ContainsFunc(among[i], func(k int) bool { return times[k] == 1 }) {
			return false
		}
		for _, k := range among[i] {
			times[k]--
		}
		return true
	})
}

// disjoint counts sets that have nothing in common, small ones first: each needs a number of its own.
func (h Hitting) disjoint() (n int) {
	sets := slices.Clone(h.Sets)
	slices.SortStableFunc(sets, func(a, b []int32) int { return len(a) - len(b) })
	used := make(map[int32]bool)
	for _, set := range sets {
		if slices.ContainsFunc(set, func(i int32) bool { return used[i] }) {
			continue
		}
		n++
		for _, i := range set {
			used[i] = true
		}
	}
	return n
}

// counter returns literals that are true if at least 1, 2, … most of n variables are. (Sinz, Towards
// an optimal CNF encoding of Boolean cardinality constraints, 2005.)
func (s *solver) counter(first lit, n, most int) (atLeast []lit) {
	before := slices.Repeat([]lit{no}, most) // of the variables so far
	for i := range n {
		after := s.newVars(most)
		atLeast = atLeast[:0]
		for j := range most {
			now := after + lit(j)
			atLeast = append(atLeast, now)
			s.add(-before[j], now)
			less := yes
			if j > 0 {
				less = before[j-1]
			}
			s.add(-(first + lit(i)), -less, now)
		}
		before = slices.Clone(atLeast)
	}
	return before
}
