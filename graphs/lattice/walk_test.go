package lattice

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
)

// A walk steps along the covering relation.
func TestWalk(t *testing.T) {
	for seed := range uint64(graphtest.Rounds(t, 2000)) {
		r := rand.New(rand.NewPCG(seed, 7))
		c, l := random(r)
		if c.Empty() {
			continue
		}
		w := NewWalk(c)
		index := func(key []uint64) int { return l.Index(w.Cut(key, nil)) }
		if index(w.Initial()) != l.Initial {
			t.Fatalf("seed %d: from %v", seed, w.Cut(w.Initial(), nil))
		}
		met := map[int]bool{l.Initial: true}
		keys := [][]uint64{w.Initial()}
		for i := 0; i < len(keys); i++ {
			from := index(keys[i])
			var next [][]uint64
			w.Successors(keys[i], func(key []uint64) { next = append(next, slices.Clone(key)) })
			var to []int
			for _, key := range next {
				at := index(key)
				if to = append(to, at); !met[at] {
					met[at] = true
					keys = append(keys, key)
				}
			}
			slices.Sort(to)
			if !slices.Equal(to, l.Steps[from]) {
				t.Fatalf("seed %d: %v steps to %v, not %v", seed, l.Cuts[from], to, l.Steps[from])
			}
		}
	}
}
