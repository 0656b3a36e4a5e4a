// Package nullspace finds the linear equations that vectors satisfy.
//
// # Definitions
//
// The null space of some vectors v is the set of all vectors x with v·x = 0 for each v. A basis is in
// reduced form if each of its vectors has a free coordinate, which is 0 in all others.
//
// For example, let money go from a to b in two steps: a pays 1, and b gets 1. As changes of
// (a, b, in transit) these are (-1, 0, 1) and (0, 1, -1). Their null space has the basis (1, 1, 1):
// the sum of the three never changes.
//
// All arithmetic is exact: Gaussian elimination on the basis, in whole numbers that are divided by
// their common factors after each step.
package nullspace

import (
	"math/big"
	"slices"
)

// A Space is the null space of the added vectors, with a basis in reduced form. The coordinates of a
// basis vector have no common factor, and its free coordinate is positive. The vectors are in the
// order of their free coordinates.
type Space struct{ basis [][]*big.Int }

// Of returns the space of all vectors with n coordinates.
func Of(n int) *Space {
	s := new(Space)
	for free := range n {
		b := make([]*big.Int, n)
		for i := range b {
			b[i] = new(big.Int)
		}
		b[free].SetInt64(1)
		s.basis = append(s.basis, b)
	}
	return s
}

// Add restricts the space to the vectors orthogonal to v. The time complexity of Add is O(n·d)
// operations for a basis of d vectors.
//
// Let g be the first vector of the basis with v·g ≠ 0. Add removes g, and replaces each other vector b
// by (v·g)·b - (v·b)·g, which is orthogonal to v and has the same free coordinate.
func (s *Space) Add(v []int64) {
	products := make([]*big.Int, len(s.basis))
	for i, b := range s.basis {
		products[i] = new(big.Int)
		for j, x := range v {
			products[i].Add(products[i], new(big.Int).Mul(big.NewInt(x), b[j]))
		}
	}
	k := slices.IndexFunc(products, func(x *big.Int) bool { return x.Sign() != 0 })
	if k < 0 {
		return
	}
	gone, factor := s.basis[k], products[k]
	for i, b := range s.basis {
		if i == k || products[i].Sign() == 0 {
			continue
		}
		common := new(big.Int)
		for j := range b {
			b[j] = new(big.Int).Sub(new(big.Int).Mul(factor, b[j]), new(big.Int).Mul(products[i], gone[j]))
			common.GCD(nil, nil, common, new(big.Int).Abs(b[j]))
		}
		// A negative factor has changed the sign of the free coordinate.
		common.Mul(common, big.NewInt(int64(factor.Sign())))
		for j := range b {
			b[j].Quo(b[j], common)
		}
	}
	s.basis = slices.Delete(s.basis, k, k+1)
}

// Basis returns the basis, without vectors that have a coordinate beyond ±limit.
func (s *Space) Basis(limit int64) [][]int64 {
	var all [][]int64
	for _, b := range s.basis {
		whole := make([]int64, len(b))
		beyond := func(x *big.Int) bool { return x.CmpAbs(big.NewInt(limit)) > 0 }
		for i := range b {
			whole[i] = b[i].Int64()
		}
		if !slices.ContainsFunc(b, beyond) {
			all = append(all, whole)
		}
	}
	return all
}
