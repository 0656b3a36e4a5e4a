package dense_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs/dense"
)

type number int

func (n number) Before(m number) bool { return n < m }

// A heap yields its least element, even while elements are added.
func TestHeap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var h dense.Heap[number]
	var in []number
	for range 5000 {
		if len(in) == 0 || r.IntN(5) < 3 {
			x := number(r.IntN(100))
			h.Push(x)
			in = append(in, x)
		} else {
			i := slices.Index(in, slices.Min(in))
			if x := h.Pop(); x != in[i] {
				t.Fatalf("%d comes first, not %d, of %d", x, in[i], in)
			}
			in = slices.Delete(in, i, i+1)
		}
		if h.Len() != len(in) {
			t.Fatalf("%d elements, not %d", h.Len(), len(in))
		}
	}
}
