package sat

import (
	"cmp"
	"slices"
	"sort"

	"github.com/pota-project/pota/rctl/syntax"
)

// A span is the states lo, lo+1, …, hi-1 of a chain.
type span struct{ lo, hi int32 }

// States are a set of states of a chain: those in spans or, if not is set, all
// others. The spans are in order and do not touch.
type states struct {
	spans []span
	not   bool
}

func (s states) complement() states { return states{s.spans, !s.not} }

func (s states) has(state int32) bool {
	i := reaching(s.spans, state)
	return (i < len(s.spans) && s.spans[i].lo <= state) != s.not
}

// within returns the spans of the set from one state to another, inclusive.
func (s states) within(first, last int32) []span {
	all := []span{{first, last + 1}}
	if s.not {
		return without(all, s.spans)
	}
	return overlaps(all, s.spans)
}

// intersection returns the intersection of several sets. If some set has few spans,
// the time is about the time to look them up in the others.
func intersection(sets []states) states {
	var out []span // the states that the complemented sets leave out
	var plain []states
	for _, s := range sets {
		if s.not {
			out = append(out, s.spans...)
		} else {
			plain = append(plain, s)
		}
	}
	if len(sets)-len(plain) > 1 {
		out = merge(out)
	}
	if len(plain) == 0 {
		return states{out, true}
	}
	slices.SortStableFunc(plain,
		func(a, b states) int { return cmp.Compare(len(a.spans), len(b.spans)) })
	spans := plain[0].spans
	for _, s := range plain[1:] {
		spans = overlaps(spans, s.spans)
	}
	if len(out) > 0 {
		spans = without(spans, out)
	}
	return states{spans: spans}
}

// union is the dual of intersection.
func union(sets []states) states {
	return intersection(syntax.Mapped(sets, states.complement)).complement()
}

// merge puts spans in order and joins those that overlap or touch.
func merge(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
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

// reaching returns the index of the first of spans that ends after state.
func reaching(spans []span, state int32) int {
	return sort.Search(len(spans), func(i int) bool { return spans[i].hi > state })
}

// overlaps intersects few spans with many.
func overlaps(few, many []span) []span {
	var list []span
	for _, p := range few {
		for i := reaching(many, p.lo); i < len(many) && many[i].lo < p.hi; i++ {
			list = append(list, span{max(p.lo, many[i].lo), min(p.hi, many[i].hi)})
		}
	}
	return list
}

// without removes many spans from few.
func without(few, many []span) []span {
	var list []span
	for _, p := range few {
		lo := p.lo
		for i := reaching(many, p.lo); i < len(many) && many[i].lo < p.hi; i++ {
			if lo < many[i].lo {
				list = append(list, span{lo, many[i].lo})
			}
			lo = max(lo, many[i].hi)
		}
		if lo < p.hi {
			list = append(list, span{lo, p.hi})
		}
	}
	return list
}
