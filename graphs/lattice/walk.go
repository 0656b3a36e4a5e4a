package lattice

import "github.com/pota-project/pota/graphs"

// A Walk steps from cut to cut of a computation, which must not be empty. Cuts are
// packed as Explore packs them. It must not be used by several goroutines at once.
type Walk struct {
	space  *space
	counts []int32
	next   []uint64
}

// NewWalk returns a walk through the cuts of c. The time complexity of NewWalk is
// O(|V|+|edges|).
func NewWalk(c *graphs.Computation) *Walk {
	s := newSpace(c)
	return &Walk{s, make([]int32, len(s.process)), make([]uint64, s.words)}
}

// Initial returns the packed initial cut.
func (w *Walk) Initial() []uint64 { return make([]uint64, w.space.words) }

// Cut writes a packed cut to into, which may be nil, and returns it.
func (w *Walk) Cut(key []uint64, into graphs.Cut) graphs.Cut {
	w.space.unpack(key, w.counts)
	return w.space.cut(w.counts, into)
}

// Successors calls visit for each packed cut that follows key, in the order of the
// least process that takes part in the step; next is valid during the call only. The
// time complexity of Successors is O(n·words+needs), needs the edges into the next
// events.
func (w *Walk) Successors(key []uint64, visit func(next []uint64)) {
	s := w.space
	s.unpack(key, w.counts)
	for p := range w.counts {
		if step := s.enabled(w.counts, p); step >= 0 {
			copy(w.next, key)
			s.execute(w.next, step)
			visit(w.next)
		}
	}
}
