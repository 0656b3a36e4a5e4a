// Package nullspace finds the linear equations that vectors keep.
//
// # Definitions
//
// The null space of some vectors v is the set of all vectors x with v·x = 0 for each of them. A basis is
// in reduced form: each of its vectors has a coordinate, the free one, where all others are 0.
//
// For example, let money go from a to b in two steps: a pays 1, and b gets 1. As changes of (a, b, under
// way) these are (-1, 0, 1) and (0, 1, -1). Their null space has the basis (1, 1, 1): the sum of the three
// never changes.
//
// All arithmetic is exact (Bareiss, Sylvester's Identity and Multistep Integer-Preserving Gaussian
// Elimination, 1968, is what fractions are here: they are reduced after each step).
package nullspace

import "math/big"

// A Space is the null space of the vectors that were added. The zero Space is not ready: see Of.
type Space struct {
	n    int
	rows []row // in reduced row echelon form
}

// A row is a vector that begins, at the pivot, with 1.
type row struct {
	pivot int
	at    []*big.Rat
}

// Of returns the space of all vectors with n coordinates.
func Of(n int) *Space { return &Space{n: n} }

// Add leaves those vectors that are orthogonal to v. The time complexity of Add is O(n·rank) operations.
func (s *Space) Add(v []int64) {
	at := make([]*big.Rat, s.n)
	for i := range at {
		at[i] = new(big.Rat).SetInt64(v[i])
	}
	for _, r := range s.rows {
		reduce(at, r)
	}
	pivot := 0
	for pivot < s.n && at[pivot].Sign() == 0 {
		pivot++
	}
	if pivot == s.n {
		return // it is a sum of others
	}
	inverse := new(big.Rat).Inv(at[pivot])
	for _, x := range at {
		x.Mul(x, inverse)
	}
	added := row{pivot, at}
	for _, r := range s.rows {
		reduce(r.at, added)
	}
	s.rows = append(s.rows, added)
}

// reduce makes the coordinate of a row's pivot 0.
func reduce(at []*big.Rat, r row) {
	factor := new(big.Rat).Set(at[r.pivot])
	if factor.Sign() == 0 {
		return
	}
	for i, x := range r.at {
		if x.Sign() != 0 {
			at[i].Sub(at[i], new(big.Rat).Mul(factor, x))
		}
	}
}

// Basis returns a basis of whole numbers without common factors, the free coordinate of each positive.
// Vectors with a number beyond limit are left out. The time complexity of Basis is O(n·(n-rank)).
func (s *Space) Basis(limit int64) [][]int64 {
	pivots := make(map[int]row)
	for _, r := range s.rows {
		pivots[r.pivot] = r
	}
	var all [][]int64
	for free := range s.n {
		if _, bound := pivots[free]; bound {
			continue
		}
		// The free coordinate is 1, and each pivot is what makes its row 0.
		x := make([]*big.Rat, s.n)
		common := big.NewInt(1)
		for i := range x {
			x[i] = new(big.Rat)
			if r, bound := pivots[i]; bound {
				x[i].Neg(r.at[free])
			}
			d := x[i].Denom()
			common.Mul(common, new(big.Int).Div(d, new(big.Int).GCD(nil, nil, common, d)))
		}
		x[free].SetInt64(1)
		whole := make([]int64, s.n)
		fits := true
		for i := range x {
			scaled := x[i].Mul(x[i], new(big.Rat).SetInt(common)).Num()
			whole[i] = scaled.Int64()
			fits = fits && scaled.IsInt64() && whole[i] <= limit && whole[i] >= -limit
		}
		if fits {
			all = append(all, whole)
		}
	}
	return all
}
