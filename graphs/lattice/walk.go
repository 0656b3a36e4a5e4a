package lattice

import "github.com/pota-project/pota/graphs"

// A Walk steps from cut to cut of a non-empty computation. Cuts are packed as Explore packs them.
// It must not be used by several goroutines at once.
type Walk struct {
	space  *space
	counts []int32
	next   []uint64
	final  []uint64
	back   *Walk // from the final cut, see Predecessors; nil until it is needed
}

// NewWalk returns a walk through the cuts of c. The time complexity of NewWalk is
// O(|V|+|edges|).
func NewWalk(c *graphs.Computation) *Walk { return newWalk(newSpace(c, false)) }

func newWalk(s *space) *Walk {
	w := &Walk{
		space:  s,
		counts: make([]int32, len(s.process)),
		next:   make([]uint64, s.words),
		final:  make([]uint64, s.words),
	}
	for i, n := range s.length {
		w.final[s.word[i]] += uint64(n) << s.shift[i]
	}
	return w
}

// Initial returns the packed initial cut.
func (w *Walk) Initial() []uint64 { return make([]uint64, w.space.words) }

// Final returns the packed final cut. It must not be changed.
func (w *Walk) Final() []uint64 { return w.final }

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

// Predecessors is as Successors, for the packed cuts that key follows: it steps through what the
// cuts leave out, from the last events backwards. Both are packed alike, so subtracting one from the
// final cut gives the other.
//
// The time complexity of Predecessors is O(n·words+keeps), keeps the edges out of the
// last events; the first call takes O(|V|+|edges|) more.
func (w *Walk) Predecessors(key []uint64, visit func(before []uint64)) {
	if w.back == nil {
		w.back = newWalk(newSpace(w.space.comp, true))
	}
	left := make([]uint64, len(key))
	for i, word := range w.final {
		left[i] = word - key[i]
	}
	w.back.Successors(left, func(left []uint64) {
		for i, word := range w.final {
			w.next[i] = word - left[i]
		}
		visit(w.next)
	})
}
