package nullspace_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/rctl/infer/nullspace"
)

func ExampleSpace() {
	s := nullspace.Of(3)
	s.Add([]int64{-1, 0, 1})
	s.Add([]int64{0, 1, -1})
	fmt.Println(s.Basis(10))
	// Output: [[1 1 1]]
}

// All small vectors that are orthogonal to what was added, and only those, are sums of the basis: their
// number over small coordinates is counted by brute force.
func TestBasis(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 500 {
		n := 1 + r.IntN(4)
		s := nullspace.Of(n)
		var added [][]int64
		for range r.IntN(5) {
			v := make([]int64, n)
			for k := range v {
				v[k] = int64(r.IntN(5) - 2)
			}
			added = append(added, v)
			s.Add(v)
		}
		basis := s.Basis(1 << 40)
		for _, x := range basis {
			if !orthogonal(added, x) {
				t.Fatalf("case %d: %v is not orthogonal to %v", i, x, added)
			}
		}
		// The dimension is that of the basis: the free coordinates of a small vector determine it.
		seen := make(map[string]bool)
		count := 0
		every(n, func(x []int64) {
			if !orthogonal(added, x) {
				return
			}
			count++
			key := ""
			for _, b := range basis {
				key += fmt.Sprint(x[free(basis, b)], " ")
			}
			if seen[key] {
				t.Fatalf("case %d: the basis %v of %v is too small", i, basis, added)
			}
			seen[key] = true
		})
		if len(basis) == 0 && count != 1 {
			t.Fatalf("case %d: %v has more than zero", i, added)
		}
	}
}

// free returns a coordinate where one vector of a basis alone is not 0.
func free(basis [][]int64, b []int64) int {
	return slices.IndexFunc(indices(len(b)), func(i int) bool {
		return b[i] != 0 && !slices.ContainsFunc(basis, func(c []int64) bool { return &c[0] != &b[0] && c[i] != 0 })
	})
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func orthogonal(to [][]int64, x []int64) bool {
	return !slices.ContainsFunc(to, func(v []int64) bool {
		sum := int64(0)
		for i := range v {
			sum += v[i] * x[i]
		}
		return sum != 0
	})
}

// every visits the vectors with coordinates from -2 to 2.
func every(n int, visit func([]int64)) {
	x := make([]int64, n)
	var fill func(i int)
	fill = func(i int) {
		if i == n {
			visit(x)
			return
		}
		for x[i] = -2; x[i] <= 2; x[i]++ {
			fill(i + 1)
		}
	}
	fill(0)
}
