package rctl

import (
	"cmp"
	"slices"
	"sort"

	"github.com/pota-project/pota/graphs"
)

// A satChain is a total order of events: those of a process, or the assignments
// of a shared variable. Its state s is that after its first s events.
type satChain struct {
	process int
	shared  *graphs.Variable // nil for a process
}

// bounds returns the states of the chain at the least and at the greatest cut.
func (h satChain) bounds(c *graphs.Computation) (first, last int32) {
	return h.state(c, c.Initial()), h.state(c, c.Final())
}

// state returns the state of the chain at a cut.
func (h satChain) state(c *graphs.Computation, cut graphs.Cut) int32 {
	if h.shared != nil {
		return int32(h.shared.Last(c, cut)) + 1
	}
	return cut[h.process]
}

// event returns the event that leads to state s, ⊥ for the first state.
func (h satChain) event(c *graphs.Computation, s int32) graphs.Event {
	switch {
	case s == 0:
		return graphs.Bottom
	case h.shared != nil:
		return h.shared.Event(int(s) - 1)
	}
	return c.Event(h.process, int(s))
}

// A satSpan is the states lo, lo+1, …, hi-1.
type satSpan struct{ lo, hi int32 }

// A satSet is a set of states of a chain: those in spans or, where not is set,
// all others. The spans are in order and do not touch.
type satSet struct {
	spans []satSpan
	not   bool
}

func (s satSet) complement() satSet { return satSet{s.spans, !s.not} }

func (s satSet) has(state int32) bool {
	i := sort.Search(len(s.spans), func(i int) bool { return s.spans[i].hi > state })
	return (i < len(s.spans) && s.spans[i].lo <= state) != s.not
}

// within returns the spans of the set between two states, both counted.
func (s satSet) within(first, last int32) []satSpan {
	var list []satSpan
	add := func(lo, hi int32) {
		if lo, hi = max(lo, first), min(hi, last+1); lo < hi {
			list = append(list, satSpan{lo, hi})
		}
	}
	if !s.not {
		for _, p := range s.spans {
			add(p.lo, p.hi)
		}
		return list
	}
	next := first
	for _, p := range s.spans {
		add(next, p.lo)
		next = max(next, p.hi)
	}
	add(next, last+1)
	return list
}

// intersectAll returns what several sets have in common. Where some set has few
// spans, the time is about that of looking them up in the others.
func intersectAll(sets []satSet) satSet {
	var out []satSpan // what the complemented sets leave out
	var plain []satSet
	for _, s := range sets {
		if s.not {
			out = append(out, s.spans...)
		} else {
			plain = append(plain, s)
		}
	}
	if len(sets)-len(plain) > 1 {
		out = mergeSpans(out)
	}
	if len(plain) == 0 {
		return satSet{out, true}
	}
	slices.SortStableFunc(plain, func(a, b satSet) int { return cmp.Compare(len(a.spans), len(b.spans)) })
	spans := plain[0].spans
	for _, s := range plain[1:] {
		spans = overlaps(spans, s.spans)
	}
	if len(out) > 0 {
		spans = remove(spans, out)
	}
	return satSet{spans: spans}
}

// uniteAll is intersectAll's dual.
func uniteAll(sets []satSet) satSet {
	others := make([]satSet, len(sets))
	for i, s := range sets {
		others[i] = s.complement()
	}
	return intersectAll(others).complement()
}

// mergeSpans puts spans in order and joins those that overlap or touch.
func mergeSpans(spans []satSpan) []satSpan {
	slices.SortFunc(spans, func(a, b satSpan) int { return cmp.Compare(a.lo, b.lo) })
	kept := spans[:0]
	for _, p := range spans {
		if n := len(kept); n > 0 && p.lo <= kept[n-1].hi {
			kept[n-1].hi = max(kept[n-1].hi, p.hi)
		} else {
			kept = append(kept, p)
		}
	}
	return kept
}

// reaching returns the number of the first of spans that ends after state.
func reaching(spans []satSpan, state int32) int {
	return sort.Search(len(spans), func(i int) bool { return spans[i].hi > state })
}

// overlaps intersects few spans with many.
func overlaps(few, many []satSpan) []satSpan {
	var list []satSpan
	for _, p := range few {
		for i := reaching(many, p.lo); i < len(many) && many[i].lo < p.hi; i++ {
			list = append(list, satSpan{max(p.lo, many[i].lo), min(p.hi, many[i].hi)})
		}
	}
	return list
}

// remove takes spans out of others.
func remove(from, out []satSpan) []satSpan {
	var list []satSpan
	for _, p := range from {
		lo := p.lo
		for i := reaching(out, p.lo); i < len(out) && out[i].lo < p.hi; i++ {
			if lo < out[i].lo {
				list = append(list, satSpan{lo, out[i].lo})
			}
			lo = max(lo, out[i].hi)
		}
		if lo < p.hi {
			list = append(list, satSpan{lo, p.hi})
		}
	}
	return list
}
