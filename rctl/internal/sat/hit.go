package sat

import (
	"cmp"
	"context"
	"slices"
)

// A Hitting is a problem of hitting sets: choose few numbers that have one of each of Sets, but not
// all of any of Never.
//
// Example: the sets {0, 1}, {1, 2} and {3} are hit by {1, 3}, and by no set of one number.
type Hitting struct{ Sets, Never [][]int32 }

// Least returns a smallest choice in increasing order, and whether there is one. The error is
// ctx's own. Equal problems have the same choice.
//
// Sets without a number in common bound the size of a choice from below. Numbers are counted in the
// order of the sets, so that the solver learns a lemma about the first sets once.
//
// The time complexity of Least is exponential in the worst case.
func (h Hitting) Least(ctx context.Context) (chosen []int32, ok bool, err error) {
	var numbers []int32 // by variable
	variable := make(map[int32]lit)
	bound := 0
	for _, set := range h.Sets {
		apart := true
		for _, i := range set {
			if variable[i] != 0 {
				apart = false
				continue
			}
			numbers = append(numbers, i)
			variable[i] = lit(len(numbers))
		}
		if apart {
			bound++
		}
	}
	for ; bound <= len(numbers); bound++ {
		s := newSolver(ctx, 0)
		first := s.newVars(len(numbers))
		for _, set := range h.Sets {
			s.addEach(set, func(i int32) lit { return variable[i] })
		}
		for _, set := range h.Never {
			s.addEach(set, func(i int32) lit { return -cmp.Or(variable[i], no) })
		}
		s.add(-s.atLeast(bound+1, first, len(numbers)))
		found, err := s.solve(ctx)
		if err != nil {
			return nil, false, err
		}
		if !found {
			continue
		}
		for k, i := range numbers {
			if s.value(first + lit(k)) {
				chosen = append(chosen, i)
			}
		}
		slices.Sort(chosen)
		return chosen, true, nil
	}
	return nil, false, nil
}

// addEach adds a clause of a literal for each number.
func (s *solver) addEach(numbers []int32, literal func(int32) lit) {
	clause := make([]lit, len(numbers))
	for k, i := range numbers {
		clause[k] = literal(i)
	}
	s.add(clause...)
}

// atLeast returns a literal that is true if at least k of n variables are. (Sinz, Towards an optimal
// CNF encoding of Boolean cardinality constraints, 2005.)
func (s *solver) atLeast(k int, first lit, n int) lit {
	if k > n {
		return no
	}
	before := slices.Repeat([]lit{no}, k) // 1, 2, … k of the variables so far
	for i := range n {
		after := s.newVars(k)
		less := yes
		for j, was := range before {
			now := after + lit(j)
			s.add(-was, now)
			s.add(-(first + lit(i)), -less, now)
			before[j], less = now, was
		}
	}
	return before[k-1]
}
