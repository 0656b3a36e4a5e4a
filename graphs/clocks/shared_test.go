package clocks

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
)

// Shared clocks order what their readings say, but for those that the trace contradicts.
func TestSharedTwin(t *testing.T) {
	ordering, contradicted := 0, 0
	for seed := range uint64(graphtest.Rounds(t, 2000)) {
		c := small(t, rand.New(rand.NewPCG(seed, 3)), "offsets")
		d, sharing, err := Shared(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		before := graphtest.HappenedBefore(c)
		want := graphtest.HappenedBefore(c)
		pairs(t, c, func(e, f graphs.Event, te, tf int64) {
			clock := c.Clock(c.Process(e))
			if clock != "" && clock == c.Clock(c.Process(f)) && c.Process(e) != c.Process(f) && te < tf {
				want[e][f] = true
			}
		})
		want.Close()
		if want.CycleOutside(before) {
			contradicted++
			if !slices.Equal(sharing.Contradicted, []string{"host"}) || sharing.Clocks != 0 {
				t.Fatalf("seed %d: %+v, but the clock contradicts the trace", seed, sharing)
			}
			want = before
		} else if sharing.Contradicted != nil {
			t.Fatalf("seed %d: %+v, but nothing contradicts the clock", seed, sharing)
		}
		ordering += sharing.Clocks
		if got := graphtest.HappenedBefore(d); !got.Equal(want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
	}
	if ordering == 0 || contradicted == 0 {
		t.Errorf("%d order, %d are contradicted", ordering, contradicted)
	}
}
