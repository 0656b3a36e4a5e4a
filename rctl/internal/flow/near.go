package flow

import (
	"context"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/rctl/internal/effort"
)

// maxNear bounds the cuts that near keeps, times the processes.
const maxNear = 1 << 18

// near looks for a cut of c with a sum within ranges, a few steps forwards and backwards from
// a given cut. Cuts with sums closest to them come first. It returns nil if it
// finds none.
//
// The time complexity of near is O(n·(n+edges)) for each of at most maxNear/n cuts.
func (t *tally) near(ctx context.Context, c *graphs.Computation, from graphs.Cut, in ranges) graphs.Cut {
	cuts := dense.NewTable[int32](len(from))
	cuts.Add(from)
	var ahead dense.Heap[place]
	ahead.Push(place{0, in.distance(t.at(from)), t.at(from)})
	cut := from.Clone()
	for ahead.Len() > 0 && effort.Spend(ctx, int64(len(from))) == nil {
		now := ahead.Pop()
		copy(cut, cuts.Key(int(now.cut)))
		if now.distance == 0 {
			return cut
		}
		for p := range cut {
			for _, by := range []int32{1, -1} {
				step := c.NextStep(cut, p)
				if by < 0 {
					step = before(c, cut, p)
				}
				if step == nil {
					continue
				}
				x := now.sum + int64(by)*weightOf(step, t.weight)
				move(c, cut, step, by)
				if in.distance(x) == 0 {
					return cut
				}
				if at, found := cuts.Find(cut); !found && int(at)*len(cut) < maxNear {
					cuts.Add(cut)
					ahead.Push(place{at, in.distance(x), x})
				}
				move(c, cut, step, -by)
			}
		}
	}
	return nil
}

// move takes a step forwards, by 1, or backwards, by -1. It changes the cut.
func move(c *graphs.Computation, cut graphs.Cut, step []graphs.Event, by int32) {
	for _, e := range step {
		cut[c.Process(e)] += by
	}
}

// before returns the last step of process p, nil where something else has happened since.
func before(c *graphs.Computation, cut graphs.Cut, p int) []graphs.Event {
	if cut[p] == c.Initial()[p] {
		return nil
	}
	step := c.Step(c.Event(p, int(cut[p])))
	move(c, cut, step, -1)
	defer move(c, cut, step, 1)
	for _, e := range step {
		if c.Has(cut, e) {
			return nil
		}
		for _, f := range c.Succs(e) {
			if c.Has(cut, f) {
				return nil
			}
		}
	}
	return step
}

// A place is a cut, by number, its sum, and the distance of the sum from the ranges.
type place struct {
	cut           int32
	distance, sum int64
}

// Before orders places: the nearest comes first, of places equally far the one found first.
func (p place) Before(q place) bool {
	return p.distance < q.distance || p.distance == q.distance && p.cut < q.cut
}
