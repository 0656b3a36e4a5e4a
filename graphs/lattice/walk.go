package lattice

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
)

// A Walk steps from cut to cut of a non-empty computation. Cuts are packed as Explore packs them.
// It must not be used by several goroutines at once.
type Walk struct {
	comp   *graphs.Computation
	space  *space
	back   *back // nil until it is needed
	counts []int32
	next   []uint64
}

// NewWalk returns a walk through the cuts of c. The time complexity of NewWalk is
// O(|V|+|edges|).
func NewWalk(c *graphs.Computation) *Walk {
	s := newSpace(c)
	return &Walk{comp: c, space: s, counts: make([]int32, len(s.process)),
		next: make([]uint64, s.words)}
}

// Initial returns the packed initial cut.
func (w *Walk) Initial() []uint64 { return make([]uint64, w.space.words) }

// Cut writes a packed cut to into and returns it. Into may be nil.
func (w *Walk) Cut(key []uint64, into graphs.Cut) graphs.Cut {
	w.space.unpack(key, w.counts)
	return w.space.cut(w.counts, into)
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
			s.execute(w.next, step)
			visit(w.next)
		}
	}
}

// Final returns the packed final cut.
func (w *Walk) Final() []uint64 {
	s := w.space
	key := make([]uint64, s.words)
	for i, n := range s.length {
		key[s.word[i]] += uint64(n) << s.shift[i]
	}
	return key
}

// Predecessors is as Successors, for the packed cuts that key follows.
//
// The time complexity of Predecessors is O(n·words+keeps), keeps the edges out of the
// last events; the first call takes O(|V|+|edges|) more.
func (w *Walk) Predecessors(key []uint64, visit func(before []uint64)) {
	s := w.space
	if w.back == nil {
		w.back = newBack(w.comp, s)
	}
	s.unpack(key, w.counts)
	for p := range w.counts {
		if step := w.back.last(s, w.counts, p); step >= 0 {
			copy(w.next, key)
			for _, g := range s.gains.Row(int(step)) {
				w.next[s.word[g.process]] -= uint64(g.events) << s.shift[g.process]
			}
			visit(w.next)
		}
	}
}

// back is what a space knows of the steps that led to a cut.
//
//	(1) ended[first[i]+k] is the meta-event that process i represents and whose last event
//	    there is the k-th of i, k from 0; -1 where there is none
//	(2) a meta-event can be taken back when it is such a last one and every count of keeps
//	    is more than that of the cut
type back struct {
	ended []int32
	keeps dense.Rows[count] // by meta-event
}

func newBack(c *graphs.Computation, s *space) *back {
	number := make([]int32, c.NumProcesses())
	for i, p := range s.process {
		number[p] = int32(i)
	}
	b := &back{ended: make([]int32, len(s.steps))}
	for i := range b.ended {
		b.ended[i] = -1
	}
	for i, p := range s.process {
		for k := range s.length[i] {
			step := s.steps[s.first[i]+k]
			if step < 0 {
				continue
			}
			// Steps are numbered in this order, so that rows are.
			for _, m := range c.Step(c.Event(int(p), int(s.initial[p]+k)+1)) {
				q := c.Process(m)
				at := int32(c.Position(m)) - s.initial[q]
				if q != int(p) && (c.Position(m) == c.Len(q) || !c.SameStep(m, m+1)) {
					b.keeps.Add(count{number[q], at + 1})
				}
				for _, f := range c.Succs(m) {
					if c.Has(c.Final(), f) && !c.SameStep(m, f) {
						r := c.Process(f)
						b.keeps.Add(count{number[r], int32(c.Position(f)) - s.initial[r]})
					}
				}
			}
			b.keeps.End()
			for _, g := range s.gains.Row(int(step)) {
				if int(g.process) == i {
					b.ended[s.first[i]+k+g.events-1] = step
				}
			}
		}
	}
	return b
}

// last returns the meta-event that process i can take back, -1 where there is none or
// it is left to another of its processes.
func (b *back) last(s *space, counts []int32, i int) int32 {
	k := counts[i]
	if k == 0 || b.ended[s.first[i]+k-1] < 0 {
		return -1
	}
	step := b.ended[s.first[i]+k-1]
	for _, n := range b.keeps.Row(int(step)) {
		if counts[n.process] >= n.events {
			return -1
		}
	}
	return step
}
