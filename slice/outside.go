package slice

import "github.com/pota-project/pota/graphs"

// LeastOutside returns a cut of the computation that is not in s and has no more
// events than any other, and whether there is one.
//
// A cut is outside when it breaks an added edge u→v, so the least cut with v, for
// some v, is such a cut; of the events v of one process only the first matters.
// The time complexity of LeastOutside is O(|V|+|edges|) for each process, and that
// of Edges for slices of E[p U q] and E[q R p].
func (s *Slice) LeastOutside() (graphs.Cut, bool) {
	c := s.comp
	if s.none || !s.low.Within(c.Initial()) {
		return c.Initial(), true
	}
	first := s.high.Clone() // on each process, the first v comes after these
	note := func(e graphs.Edge) {
		p := c.Process(e.To)
		first[p] = min(first[p], int32(c.Position(e.To))-1)
	}
	if len(s.needs) > 0 || len(s.ahead) > 0 {
		if !s.Contains(c.Initial()) {
			return c.Initial(), true
		}
		flat := withEdges(c, s.low, s.high, s.skeleton(), false)
		for e := range flat.unimplied() {
			note(e)
		}
		// The skeleton speaks of the cuts up to the greatest only.
		first = first.Meet(s.Greatest())
	}
	for e := range s.unimplied() {
		if c.Has(c.Initial(), e.To) {
			return c.Initial(), true
		}
		note(e)
	}
	var best graphs.Cut
	for p, k := range first {
		if k >= c.Final()[p] {
			continue
		}
		cut, ok := c.Above(c.Initial(), c.Event(p, int(k)+1))
		if ok && (best == nil || cut.Size() < best.Size()) {
			best = cut
		}
	}
	return best, best != nil
}
