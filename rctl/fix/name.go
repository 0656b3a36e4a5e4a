package fix

import (
	"github.com/pota-project/pota/graphs"
)

// nameAfter puts the last event of another process that led to it, with a label of its own, in the
// place of an After without a label. The order is stronger so, and still along the run.
func (s *search) nameAfter(found *Fix) {
	count := make(map[string]int)
	place := make([]int32, s.c.Top()+1)
	for i, e := range found.Run {
		count[s.c.Label(e)]++
		place[e] = int32(i)
	}
	// A look at the past of each of many orders would take long, and many have rules for names.
	const maxNamed = 20
	if len(found.Orders) > maxNamed {
		return
	}
	for i := range found.Orders {
		o := &found.Orders[i]
		if s.c.Label(o.After) != "" {
			continue
		}
		led, _ := s.c.Above(s.c.Initial(), o.After)
		past, _ := s.c.Above(s.c.Initial(), o.Before)
		best := graphs.Bottom
		for _, e := range found.Run {
			if s.c.Process(e) != s.c.Process(o.After) && s.c.Has(led, e) && !s.c.Has(past, e) && place[e] > place[o.Before] && s.c.Label(e) != "" && count[s.c.Label(e)] == 1 {
				best = e
			}
		}
		if best == graphs.Bottom {
			continue
		}
		stronger := Order{Before: o.Before, After: best}
		shown := true // that each other order is needed
		for k := range found.Orders {
			shown = shown && (k == i || !s.excludes(stronger, found.Prevented(k)))
		}
		if shown {
			stronger.prevented = found.Prevented(i)
			*o = stronger
		}
	}
}
