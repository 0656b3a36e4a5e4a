package fix

import (
	"errors"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/effort"
)

// anyOrder looks for a smaller fix whose orders need not go along a run. What is found is kept as it
// is where there is none, and where the steps are spent.
//
// Orders may close cycles. Those that do are not chosen together again.
func (s *search) anyOrder(found *Fix) error {
	if len(s.seen) == 0 {
		for i := range found.Orders {
			s.add(found.Prevented(i))
		}
	}
	var cycles [][]graphs.Edge
	never := func(all []Order) (sets [][]int32) {
		number := make(map[graphs.Edge]int32)
		for i, e := range edges(all) {
			number[e] = int32(i)
		}
		for _, cycle := range cycles {
			var set []int32
			for _, e := range cycle {
				i, ok := number[e]
				if !ok {
					set = nil
					break
				}
				set = append(set, i)
			}
			if set != nil {
				sets = append(sets, set)
			}
		}
		return sets
	}
	for {
		lower, err := s.hit(s.pairsOf, never)
		if err != nil {
			found.Least = false
			return s.ctx.Err()
		}
		if len(lower) == len(found.Orders) {
			found.Least = true
			return nil
		}
		if cycle := s.cycle(edges(lower)); cycle != nil {
			cycles = append(cycles, cycle)
			continue
		}
		cut, err := s.violation(lower)
		if err != nil {
			return err
		}
		if cut != nil {
			s.add(cut)
			continue
		}
		found.Orders, err = s.weakened(lower)
		if err != nil {
			return err
		}
		found.Least = true
		found.Recorded = false
		ordered, err := s.c.Ordered(found.Edges())
		if err != nil {
			return err
		}
		found.Run = ordered.Topological(ordered.Initial(), ordered.Final())
		return nil
	}
}

// pairsOf returns the orders between events next to the cuts found that exclude one cut. An
// order of two processes hits the same cuts as the weakest one does, and that begins next to one
// cut and ends next to another.
func (s *search) pairsOf(cut int) (all []candidate) {
	c := s.c
	v := s.seen[cut].Cut
	for p := range v {
		var nexts []int32
		for _, w := range s.seen {
			if next := w.Cut[p] + 1; next > v[p] && next <= c.Final()[p] {
				nexts = append(nexts, next)
			}
		}
		slices.Sort(nexts)
		for _, k := range slices.Compact(nexts) {
			before := c.Event(p, int(k))
			past, ok := c.Above(c.Initial(), before)
			if !ok {
				continue
			}
			for q := range v {
				if p == q {
					continue
				}
				// What happened before the one cannot come after it.
				lasts := []int32{}
				for _, w := range s.seen {
					if last := w.Cut[q]; last <= v[q] && last > past[q] {
						lasts = append(lasts, last)
					}
				}
				slices.Sort(lasts)
				for _, j := range slices.Compact(lasts) {
					o := Order{Before: before, After: c.Event(q, int(j))}
					all = append(all, candidate{o, s.hitsOf(o), s.distance(p, q)})
				}
				_ = effort.Spend(s.some, int64(1+len(lasts)*len(s.seen)/16))
			}
		}
		_ = effort.Spend(s.some, int64(len(nexts)*(1+c.NumEvents()/64)))
	}
	return all
}

// hitsOf returns the cuts found that an order excludes.
func (s *search) hitsOf(o Order) (hits []int32) {
	for i, v := range s.seen {
		if s.excludes(o, v.Cut) {
			hits = append(hits, int32(i))
		}
	}
	return hits
}

// cycle returns orders that cannot be together, nil if all can.
func (s *search) cycle(all []graphs.Edge) []graphs.Edge {
	d, err := s.c.Ordered(all)
	closed, ok := errors.AsType[*graphs.CycleError](err)
	switch {
	case !ok && err == nil && !slices.ContainsFunc(all, func(e graphs.Edge) bool { return d.SameStep(e.From, e.To) }) &&
		d.Final().Equal(s.c.Final()):
		return nil
	case !ok: // a sync is on it, and the whole is to blame
		return all
	}
	on := make(map[graphs.Edge]bool)
	for i, h := range closed.Events {
		next := closed.Events[(i+1)%len(closed.Events)]
		on[graphs.Edge{From: graphs.Event(h) + 1, To: graphs.Event(next) + 1}] = true
	}
	return slices.DeleteFunc(slices.Clone(all), func(e graphs.Edge) bool { return !on[e] })
}
