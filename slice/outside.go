package slice

import "github.com/pota-project/pota/graphs"

// maxOutside bounds the events that LeastOutside visits in the search for a smaller cut:
// about a second's work. It is a variable for tests only.
var maxOutside = 1 << 27

// LeastOutside returns a cut of the computation that is not in s, and whether there is
// one. least reports whether the cut is known to have no more events than any other: the
// search for a smaller one ends after maxOutside events.
//
// Every cut is the union of the least cuts with its events. s is closed under union, so
// if the cut is outside s, one of those is. It is enough to try the first event v of each
// process such that the least cut with v is outside. These cuts often share most of their
// events, so the search visits the causes of one event that they have in common only once.
// The time complexity of LeastOutside is O(|V|+|edges|) for each process.
func (s *Slice) LeastOutside() (cut graphs.Cut, least, ok bool) {
	if !s.Contains(s.comp.Initial()) {
		return s.comp.Initial(), true, true
	}
	if len(s.needs) > 0 || len(s.ahead) > 0 {
		return s.outsideAhead()
	}
	c := s.comp
	first := s.ceiling() // on each process, the first v comes after these
	for e := range s.unimplied() {
		p := c.Process(e.To)
		first[p] = min(first[p], int32(c.Position(e.To))-1)
	}
	visited := 0
	var from graphs.Cut // the least cut before the step of hub, an event of a cut already tried
	hub := graphs.Bottom
	above := func(e graphs.Event) graphs.Cut {
		if hub != graphs.Bottom {
			if cut, _ := c.Above(from, e); c.Has(cut, hub) {
				visited += cut.Size() - from.Size()
				return cut
			}
		}
		cut, _ := c.Above(c.Initial(), e)
		visited += cut.Size() - c.Initial().Size()
		return cut
	}
	for p, k := range first {
		if k >= c.Final()[p] {
			continue
		}
		if visited > maxOutside && cut != nil {
			return cut, false, true
		}
		with := above(c.Event(p, int(k)+1))
		if with.Within(c.Final()) && (cut == nil || with.Size() < cut.Size()) {
			cut = with
		}
		if late := k - k/8; from == nil && late > c.Initial()[p] {
			e := c.Event(p, int(late))
			from = above(e)
			for _, f := range c.Step(e) {
				from[c.Process(f)]--
			}
			hub = e
		}
	}
	return cut, true, cut != nil
}

// outsideAhead is LeastOutside for slices that look ahead. It adds the events of
// one process after the other to a cut of the computation and to one of s, until
// they differ or are no smaller than the best found so far. Reading the n entries
// of a cut counts as n events.
func (s *Slice) outsideAhead() (best graphs.Cut, least, ok bool) {
	c := s.comp
	l := newLayers(s)
	floor, ceiling := s.floor(), s.ceiling()
	visited := 0
	for p := range c.NumProcesses() {
		plain := c.Initial()
		a := newSearch(l, false, c.NoEvents())
		in := a.run(plain, floor)
		for k := int(plain[p]) + 1; k <= int(c.Final()[p]); k++ {
			if visited > maxOutside && best != nil {
				return best, false, true
			}
			v := c.Event(p, k)
			plain, _ = c.Above(plain, v)
			if best != nil && plain.Size() >= best.Size() {
				break
			}
			a.push(0, v)
			a.run()
			visited += len(plain)
			if !in.Equal(plain) || !plain.Within(ceiling) {
				best = plain
				break
			}
		}
		for _, cut := range a.cuts {
			visited += cut.Size()
		}
	}
	return best, true, best != nil
}
