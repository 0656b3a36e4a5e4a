package slice

import (
	"slices"

	"github.com/pota-project/pota/graphs"
)

// straight reports whether s adds nothing but bounds and edges along chains. Then
// each edge that is not implied closes a cycle, and there are no others.
func (s *Slice) straight() bool {
	return len(s.needs) == 0 && len(s.ahead) == 0 &&
		!slices.ContainsFunc(s.edges, func(l edges) bool { return !l.chain })
}

// withComponents returns the least cut, consistent or not, that has all events of
// strongly connected components of s larger than one step of the computation.
func (s *Slice) withComponents() graphs.Cut {
	cut := s.comp.Initial().Clone()
	for _, u := range s.componentEvents(s.comp.Final()) {
		force(s.comp, cut, u)
	}
	return cut
}

// componentEvents returns events within the cut, in increasing order: at least one
// of each strongly connected component of s that is larger than one step of the
// computation, and none of others.
func (s *Slice) componentEvents(within graphs.Cut) []graphs.Event {
	var events []graphs.Event
	if s.straight() {
		for e := range s.unimplied() {
			if s.comp.Has(within, e.From) {
				events = append(events, e.From)
			}
		}
		slices.Sort(events)
		return slices.Compact(events)
	}
	component, count := newLayers(s).components()
	first := make([]graphs.Event, count) // an event of layer 0 of each component
	large := make([]bool, count)
	for e := graphs.Event(1); e < s.comp.Top(); e++ {
		k := component[e]
		switch {
		case first[k] == graphs.Bottom:
			first[k] = e
		case !s.comp.SameStep(first[k], e):
			large[k] = true
		}
	}
	for e := graphs.Event(1); e < s.comp.Top(); e++ {
		if large[component[e]] && s.comp.Has(within, e) {
			events = append(events, e)
		}
	}
	return events
}
