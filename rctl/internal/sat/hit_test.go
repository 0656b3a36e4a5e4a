package sat

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
)

// Least is as good as a look at all choices.
func TestHittingAgainstBruteForce(t *testing.T) {
	tally := make(map[int]int)
	for seed := range uint64(graphtest.Rounds(t, 1000)) {
		r := rand.New(rand.NewPCG(seed, 37))
		h, n := Hitting{}, 1+r.IntN(9)
		masks := func(sets int) (all [][]int32, masks []uint) {
			for range sets {
				var set []int32
				mask := uint(0)
				for i := range n {
					if r.IntN(3) == 0 {
						set = append(set, int32(i))
						mask |= 1 << i
					}
				}
				if set != nil || r.IntN(20) == 0 {
					all, masks = append(all, set), append(masks, mask)
				}
			}
			return all, masks
		}
		var sets, never []uint
		h.Sets, sets = masks(r.IntN(8))
		h.Never, never = masks(r.IntN(3))
		want := -1
		for choice := range uint(1) << n {
			misses := func(m uint) bool { return m&choice == 0 }
			has := func(m uint) bool { return m&choice == m }
			if n := bits.OnesCount(choice); !slices.ContainsFunc(sets, misses) && !slices.ContainsFunc(never, has) && (want < 0 || n < want) {
				want = n
			}
		}
		got, ok, err := h.Least(t.Context())
		if err != nil || ok != (want >= 0) || ok && len(got) != want {
			t.Fatalf("seed %d: %v: %v, %v, %v, want %d", seed, h, got, ok, err, want)
		}
		choice := uint(0)
		for _, i := range got {
			choice |= 1 << i
		}
		if ok && (slices.ContainsFunc(sets, func(m uint) bool { return m&choice == 0 }) || slices.ContainsFunc(never, func(m uint) bool { return m&choice == m })) {
			t.Fatalf("seed %d: %v: %v", seed, h, got)
		}
		tally[want]++
	}
	if len(tally) < 5 || tally[-1] == 0 {
		t.Error(tally)
	}
}
