package lattice

import "github.com/pota-project/pota/graphs"

// A Walk computes the successors of cuts of a non-empty computation. Cuts are packed as described
// in the package documentation. It is not safe for concurrent use.
type Walk struct {
	space  *space
	counts []int32
	next   []uint64
}

// NewWalk returns a walk through the cuts of c. The time complexity of NewWalk is
// O(|V|+|edges|).
func NewWalk(c *graphs.Computation) *Walk {
	s := newSpace(c)
	return &Walk{space: s, counts: make([]int32, len(s.process)), next: make([]uint64, s.words)}
}

// Initial returns the packed initial cut.
func (w *Walk) Initial() []uint64 { return make([]uint64, w.space.words) }

// Cut unpacks a cut into into, which may be nil, and returns it.
func (w *Walk) Cut(key []uint64, into graphs.Cut) graphs.Cut {
	w.space.unpack(key, w.counts)
	into = append(into[:0], w.space.comp.Initial()...)
	for i, p := range w.space.process {
		into[p] += w.counts[i]
	}
	return into
}

// Successors calls visit with each packed cut that follows key, ordered by the least process of the
// step. next is valid only during the call, and visit must not call a method of w.
//
// The time complexity of Successors is O(n·words+needs), where needs counts the edges into the next
// events.
func (w *Walk) Successors(key []uint64, visit func(next []uint64)) {
	s := w.space
	s.unpack(key, w.counts)
	for p := range w.counts {
		if step := s.enabled(w.counts, p); step >= 0 {
			copy(w.next, key)
			for _, g := range s.gains.Row(int(step)) {
				w.next[s.word[g.process]] += uint64(g.events) << s.shift[g.process]
			}
			visit(w.next)
		}
	}
}
