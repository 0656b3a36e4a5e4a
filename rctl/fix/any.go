package fix

import (
	"errors"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/effort"
)

// anyOrder looks for a smaller fix with orders that need not go along a run. The fix is kept where
// there is none, and when the steps are spent.
//
// Orders may close cycles. Those that do are not chosen together again.
func (s *search) anyOrder(found *Fix) error {
	cycles := [][]graphs.Edge{} // not nil: what hits the same may close other cycles
	for {
		lower, ok := s.hit(s.pairsOf, cycles)
		if !ok || len(lower) >= len(found.Orders) {
			found.Least = ok && !s.part
			return s.ctx.Err()
		}
		if cycle := s.cycle(lower); cycle != nil {
			cycles = append(cycles, cycle)
			continue
		}
		cut, err := s.violation(lower)
		if err != nil {
			return err
		}
		if cut != nil {
			s.seen = append(s.seen, cut)
			continue
		}
		found.Orders, err = s.weakened(lower)
		if err != nil {
			return err
		}
		found.Least, found.Recorded = !s.part, false
		d, err := s.c.Ordered(slices.Values(found.Orders))
		if err == nil {
			found.Run = d.Topological(d.Initial(), d.Final())
		}
		return err
	}
}

// pairsOf returns orders that exclude a cut. What two processes can be ordered by is told apart by
// the cuts found so far, and represented by the weakest: it leads from an event right after a cut to
// one right before a cut.
func (s *search) pairsOf(cut graphs.Cut) (all []candidate) {
	c := s.c
	for p := range cut {
		for _, k := range s.counts(p, func(k int32) bool { return k >= cut[p] && k < c.Final()[p] }) {
			from := c.Event(p, int(k)+1)
			past, _ := c.Above(c.Initial(), from)
			for q := range cut {
				// What happened before an event cannot wait for it.
				if !s.between(p, q, len(all)) {
					continue
				}
				for _, j := range s.counts(q, func(j int32) bool { return j <= cut[q] && j > past[q] }) {
					all = append(all, s.candidate(graphs.Edge{From: from, To: c.Event(q, int(j))}, k-cut[p]+cut[q]-j))
				}
			}
			_ = effort.Spend(s.some, s.cost(c)) // the next step tells
		}
	}
	return all
}

// counts returns how many events of a process the cuts found have, as far as a condition allows.
func (s *search) counts(process int, allowed func(int32) bool) (all []int32) {
	for _, cut := range s.seen {
		if k := cut[process]; allowed(k) {
			all = append(all, k)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// cycle returns orders that cannot be together, nil if all can.
func (s *search) cycle(orders []graphs.Edge) []graphs.Edge {
	d, err := s.c.Ordered(slices.Values(orders))
	together := func(o graphs.Edge) bool { return d.SameStep(o.From, o.To) }
	closed, ok := errors.AsType[*graphs.CycleError](err)
	switch {
	case err == nil && !slices.ContainsFunc(orders, together):
		return nil
	case !ok: // a sync or a general edge is on it
		return orders
	}
	on := make(map[graphs.Edge]bool)
	for i, h := range closed.Events {
		next := closed.Events[(i+1)%len(closed.Events)]
		on[graphs.Edge{From: graphs.Event(h) + 1, To: graphs.Event(next) + 1}] = true
	}
	return slices.DeleteFunc(slices.Clone(orders), func(o graphs.Edge) bool { return !on[o] })
}
