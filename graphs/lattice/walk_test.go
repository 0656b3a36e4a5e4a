package lattice

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
)

// A walk steps along the covering relation, in both directions.
func TestWalk(t *testing.T) {
	for seed := range uint64(graphtest.Rounds(t, 2000)) {
		r := rand.New(rand.NewPCG(seed, 7))
		c, l := random(r)
		if c.Empty() {
			continue
		}
		w := NewWalk(c)
		index := func(key []uint64) int { return l.Index(w.Cut(key, nil)) }
		if !w.Cut(w.Final(), nil).Equal(c.Final()) || index(w.Initial()) != l.Initial {
			t.Fatalf("seed %d: from %v to %v", seed, w.Cut(w.Initial(), nil), w.Cut(w.Final(), nil))
		}
		met := map[int]bool{l.Initial: true}
		keys := [][]uint64{w.Initial()}
		before := make(map[int][]int) // what steps to a cut
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
				before[at] = append(before[at], from)
			}
			slices.Sort(to)
			if !slices.Equal(to, l.Steps[from]) {
				t.Fatalf("seed %d: %v steps to %v, not %v", seed, l.Cuts[from], to, l.Steps[from])
			}
		}
		for _, key := range keys {
			var all [][]uint64
			w.Predecessors(key, func(key []uint64) { all = append(all, slices.Clone(key)) })
			var from []int
			for _, key := range all {
				from = append(from, index(key))
			}
			want := before[index(key)]
			slices.Sort(from)
			slices.Sort(want)
			if !slices.Equal(from, want) {
				t.Fatalf("seed %d: %v follows %v, not %v", seed, w.Cut(key, nil), from, want)
			}
		}
	}
}
