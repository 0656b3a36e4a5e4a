package draw_test

import (
	"math/rand/v2"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/draw"
)

// randomPicture returns a picture of c with some of all that a picture can have.
func randomPicture(r *rand.Rand, c *graphs.Computation) draw.Picture {
	// Each part of a picture is there in half of the cases or fewer, so that all combinations come
	// up.
	p := draw.Picture{Of: c, MaxEvents: -1}
	if r.IntN(2) == 0 {
		p.Title = "random"
	}
	if r.IntN(2) == 0 {
		p.Added = randomSlice(r, c)
	}
	if r.IntN(2) == 0 {
		p.Cut = randomCut(r, c)
		p.Run = c.Topological(c.NoEvents(), p.Cut)
		// Further runs begin where the first one ends.
		for range r.IntN(3) {
			p.Further = append(p.Further, c.Topological(p.Cut, c.AllEvents()))
		}
	}
	if r.IntN(2) == 0 && !c.Empty() {
		p.MaxEvents = 1 + r.IntN(c.NumEvents()+1)
	}
	return p
}

// randomSlice returns the edges of the slice for a conjunction of local predicates: a coin is
// thrown at each state of each process. Where the predicate fails after the k-th event, no cut
// has that event without the next one.
func randomSlice(r *rand.Rand, c *graphs.Computation) []graphs.Edge {
	var added []graphs.Edge
	for p := range c.NumProcesses() {
		for k := range c.Len(p) + 1 {
			if r.IntN(3) > 0 {
				continue
			}
			edge := graphs.Edge{From: c.Top(), To: graphs.Bottom}
			if k < c.Len(p) {
				edge.From = c.Event(p, k+1)
			}
			if k > 0 {
				edge.To = c.Event(p, k)
			}
			added = append(added, edge)
		}
	}
	return added
}

// randomCut returns any cut, consistent or not: pictures take both.
func randomCut(r *rand.Rand, c *graphs.Computation) graphs.Cut {
	cut := make(graphs.Cut, c.NumProcesses())
	for p := range cut {
		cut[p] = int32(r.IntN(c.Len(p) + 1))
	}
	return cut
}
