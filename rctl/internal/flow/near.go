package flow

import (
	"container/heap"
	"context"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
)

// mostNear bounds the cuts that near keeps, times the processes.
const mostNear = 1 << 18

// near looks for a cut of c within the bounds among those that a few steps forwards
// and backwards lead to from a cut, those with the sum nearest to the bounds first;
// nil where there is none.
//
// The time complexity of near is O(n·edges) for each of at most mostNear/n cuts.
func (t *tally) near(ctx context.Context, c *graphs.Computation, from graphs.Cut, b bounds) graphs.Cut {
	cuts := dense.NewTable[int32](len(from))
	cuts.Add(from)
	ahead := &byDistance{{0, b.distance(t.at(from)), t.at(from)}}
	for ahead.Len() > 0 && ctx.Err() == nil {
		now := heap.Pop(ahead).(place)
		cut := graphs.Cut(cuts.Key(int(now.cut))).Clone()
		if now.distance == 0 {
			return cut
		}
		for p := range cut {
			for _, next := range []graphs.Cut{stepAfter(c, cut, p), stepBefore(c, cut, p)} {
				if next == nil {
					continue
				}
				x := now.sum
				for q := range cut {
					for i := cut[q]; i < next[q]; i++ {
						x += t.weight[c.Event(q, int(i)+1)]
					}
					for i := cut[q]; i > next[q]; i-- {
						x -= t.weight[c.Event(q, int(i))]
					}
				}
				if b.distance(x) == 0 {
					return next
				}
				if at, found := cuts.Find(next); !found && int(at)*len(cut) < mostNear {
					cuts.Add(next)
					heap.Push(ahead, place{at, b.distance(x), x})
				}
			}
		}
	}
	return nil
}

// stepAfter returns the cut after the next step of process p, nil where there is none.
func stepAfter(c *graphs.Computation, cut graphs.Cut, p int) graphs.Cut {
	next, _ := c.Next(cut, p)
	return next
}

// stepBefore returns the cut before the last step of process p, nil where something
// else has happened since.
func stepBefore(c *graphs.Computation, cut graphs.Cut, p int) graphs.Cut {
	if cut[p] == c.Initial()[p] {
		return nil
	}
	before := cut.Clone()
	step := c.Step(c.Event(p, int(cut[p])))
	for _, e := range step {
		q := c.Process(e)
		before[q] = min(before[q], int32(c.Position(e))-1)
	}
	if before.Size()+len(step) != cut.Size() {
		return nil
	}
	for _, e := range step {
		for _, f := range c.Succs(e) {
			if c.Has(before, f) {
				return nil
			}
		}
	}
	return before
}

// distance returns how far x is from the bounds, 0 where it is within.
func (b bounds) distance(x int64) int64 {
	switch {
	case b.has(x):
		return 0
	case b.outside:
		return min(x-b.low, b.high-x) + 1
	case x < b.low:
		return b.low - x
	}
	return x - b.high
}

// A place is a cut, by number, its sum, and how far that is from what is looked for.
type place struct {
	cut           int32
	distance, sum int64
}

// byDistance is a heap; of places equally far the first one comes first.
type byDistance []place

func (h byDistance) Len() int { return len(h) }
func (h byDistance) Less(i, j int) bool {
	return h[i].distance < h[j].distance || h[i].distance == h[j].distance && h[i].cut < h[j].cut
}
func (h byDistance) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *byDistance) Push(x any)   { *h = append(*h, x.(place)) }
func (h *byDistance) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
