package slice

import (
	"iter"
	"slices"

	"github.com/pota-project/pota/graphs"
)

// sources returns the events u of added edges u→v that the computation does not
// imply.
func (s *Slice) sources() []graphs.Event {
	var found []graphs.Event
	for e := range s.unimplied() {
		found = append(found, e.From)
	}
	return found
}

// unimplied yields the added edges u→v between events that some cut of the
// computation breaks: it has v and not u.
//
// Edges along chains are not implied unless both ends are of one step or the cuts
// always have u or never v. For the others the events of u's process that reach
// v are found in one pass over the computation for each such process.
func (s *Slice) unimplied() iter.Seq[graphs.Edge] {
	return func(yield func(graphs.Edge) bool) {
		var other []graphs.Edge
		c := s.comp
		for _, l := range s.edges {
			for _, e := range l.list {
				switch {
				case c.Has(c.Initial(), e.From), !c.Has(c.Final(), e.To), c.SameStep(e.From, e.To):
				case !l.chain:
					other = append(other, e)
				case !yield(e):
					return
				}
			}
		}
		slices.SortFunc(other, compareEdges)
		for len(other) > 0 {
			p := c.Process(other[0].From)
			n := 1
			for n < len(other) && c.Process(other[n].From) == p {
				n++
			}
			reach := c.LastBefore(p)
			for _, e := range other[:n] {
				if int(reach[e.To]) < c.Position(e.From) && !yield(e) {
					return
				}
			}
			other = other[n:]
		}
	}
}

// straight reports whether s adds nothing but bounds and edges along chains. Then
// each edge that is not implied closes a component, and there are no others.
func (s *Slice) straight() bool {
	for _, l := range s.edges {
		if !l.chain {
			return false
		}
	}
	return len(s.needs) == 0 && len(s.ahead) == 0
}

// knots returns the least cut, consistent or not, that has all events of
// components of s larger than one step of the computation.
func (s *Slice) knots() graphs.Cut {
	cut := s.comp.Initial().Clone()
	for _, u := range s.knotEvents(s.comp.Final()) {
		force(s.comp, cut, u)
	}
	return cut
}

// knotEvents returns events within the cut, in increasing order, of which every
// component of s that is larger than one step of the computation has at least
// one, and whose causes and effects in s are all such events' ones.
func (s *Slice) knotEvents(within graphs.Cut) []graphs.Event {
	if s.straight() {
		events := slices.DeleteFunc(s.sources(), func(u graphs.Event) bool { return !s.comp.Has(within, u) })
		slices.Sort(events)
		return slices.Compact(events)
	}
	component, count := newLayers(s).components()
	first := make([]graphs.Event, count) // an event of layer 0 of each component
	knot := make([]bool, count)
	for e := graphs.Event(1); e < s.comp.Top(); e++ {
		k := component[e]
		switch {
		case first[k] == graphs.Bottom:
			first[k] = e
		case !s.comp.SameStep(first[k], e):
			knot[k] = true
		}
	}
	var events []graphs.Event
	for e := graphs.Event(1); e < s.comp.Top(); e++ {
		if knot[component[e]] && s.comp.Has(within, e) {
			events = append(events, e)
		}
	}
	return events
}
