package lattice

import "github.com/pota-project/pota/graphs"

// A Walk steps from cut to cut of a non-empty computation. Cuts are packed as Explore packs them.
// It must not be used by several goroutines at once.
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

// Cut writes a packed cut to into and returns it. Into may be nil.
func (w *Walk) Cut(key []uint64, into graphs.Cut) graphs.Cut {
	w.space.unpack(key, w.counts)
	into = append(into[:0], w.space.comp.Initial()...)
	for i, p := range w.space.process {
		into[p] += w.counts[i]
	}
	return into
}

// Successors calls visit for each packed cut that follows key, in the order of the least process
// that takes part in the step; next is valid during the call only, and visit must not call a method
// of w.
//
// The time complexity of Successors is O(n·words+needs), needs the edges into the next
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
