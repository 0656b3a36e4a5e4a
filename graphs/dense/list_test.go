package dense

import (
	"math/rand/v2"
	"testing"
)

// A list holds what a slice would.
func TestList(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 4))
		var l List[int]
		var twin []int
		for n := r.IntN(3 * blockSize); len(twin) < n; {
			if r.IntN(50) == 0 {
				k := len(twin) + r.IntN(2000)
				l.Grow(k)
				twin = append(twin, make([]int, k-len(twin))...)
				continue
			}
			l.Add(n + len(twin))
			twin = append(twin, n+len(twin))
		}
		if l.Len() != len(twin) {
			t.Fatalf("seed %d: %d elements, not %d", seed, l.Len(), len(twin))
		}
		next := 0
		for i, x := range l.All() {
			if i != next || *x != twin[i] || l.At(i) != x {
				t.Fatalf("seed %d: element %d is %d, not %d", seed, i, *x, twin[i])
			}
			next++
		}
		if next != len(twin) {
			t.Fatalf("seed %d: went through %d of %d elements", seed, next, len(twin))
		}
	}
}
