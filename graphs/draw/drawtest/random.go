package drawtest

import (
	"math/rand/v2"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/draw"
	"github.com/pota-project/pota/slice"
)

// Random returns a picture of c with some of all that a picture can have.
func Random(r *rand.Rand, c *graphs.Computation) draw.Picture {
	p := draw.Picture{Of: c, MaxEvents: -1}
	if r.IntN(2) == 0 {
		p.Title = "random"
	}
	if r.IntN(2) == 0 {
		p.Added = randomSlice(r, c).Edges()
	}
	if r.IntN(2) == 0 {
		p.Cut = randomCut(r, c)
		p.Run = c.Topological(c.NoEvents(), p.Cut)
		for range r.IntN(3) {
			p.Further = append(p.Further, c.Topological(p.Cut, c.AllEvents()))
		}
	}
	if r.IntN(4) == 0 {
		p.From = randomCut(r, c)
	}
	if r.IntN(4) == 0 {
		p.To = randomCut(r, c)
	}
	return p
}

// randomSlice is for a predicate that is a coin thrown at each state of each
// process.
func randomSlice(r *rand.Rand, c *graphs.Computation) *slice.Slice {
	s := slice.All(c)
	for p := range c.NumProcesses() {
		var events []graphs.Event
		holds := []bool{r.IntN(3) > 0}
		for k := 1; k <= c.Len(p); k++ {
			events = append(events, c.Event(p, k))
			holds = append(holds, r.IntN(3) > 0)
		}
		s = slice.And(s, slice.Chain(c, events, holds))
	}
	return s
}

func randomCut(r *rand.Rand, c *graphs.Computation) graphs.Cut {
	cut := make(graphs.Cut, c.NumProcesses())
	for p := range cut {
		cut[p] = int32(r.IntN(c.Len(p) + 1))
	}
	return cut
}
