package slice

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
)

// layers is the graph of a slice laid out for traversal. Layer 0 is the slice itself.
// Each lookahead is a further layer: a copy v' of every event v with the edges of the
// lookahead's slice (under), an edge v'→v for every v, and u→u' for each event u of the
// lookahead. So u reaches v through the copies if and only if a cut with v needs u.
type layers struct {
	comp  *graphs.Computation
	size  int // how many vertices a layer has
	layer []layer
	hubs  []hub
}

// A layer is one copy of the events.
type layer struct {
	parent   int // -1 for layer 0
	children []int
	about    dense.Set // the lookahead's events; nil for layer 0
	slice    *Slice
	// the neighbors by added edges, if there are any; see connect
	succ, pred dense.Rows[graphs.Event]
}

// A hub is a vertex for a need: edges lead to it from each event of its require, and
// from it to the first events beyond its above.
type hub struct {
	layer int
	need
}

// newLayers returns the layers of s: its own, and one for each lookahead, however deep.
func newLayers(s *Slice) *layers {
	l := &layers{comp: s.comp, size: int(s.comp.Top()) + 1}
	l.add(s, -1, nil)
	return l
}

// add adds a layer for the slice of a lookahead of parent, and layers for the lookaheads of
// that slice.
func (l *layers) add(s *Slice, parent int, about dense.Set) {
	i := len(l.layer)
	l.layer = append(l.layer, layer{parent: parent, about: about, slice: s})
	if parent >= 0 {
		l.layer[parent].children = append(l.layer[parent].children, i)
	}
	for _, d := range s.needs {
		l.hubs = append(l.hubs, hub{i, d})
	}
	for _, a := range s.ahead {
		about := dense.NewSet(l.size)
		for _, u := range a.events {
			about.Add(int(u))
		}
		l.add(a.under, i, about)
	}
}

// connect sorts the added edges of each layer by their sources, or their targets.
func (l *layers) connect(back bool) {
	for i := range l.layer {
		y := &l.layer[i]
		if len(y.slice.edges) == 0 {
			continue
		}
		r := &y.succ
		if back {
			r = &y.pred
		}
		if r.Len() > 0 {
			continue
		}
		*r = dense.Group(l.size, func(add func(int, graphs.Event)) {
			for _, some := range y.slice.edges {
				for _, e := range some.list {
					if back {
						e.From, e.To = e.To, e.From
					}
					add(int(e.From), e.To)
				}
			}
		})
	}
}

// place is a vertex of some layer.
type place struct {
	layer int32
	event graphs.Event
}

// A search advances one cut for each layer from ⊥ until all edges into events of the cuts
// are respected, or makes the cuts retreat from ⊤ until all edges out of events outside
// the cuts are. Every event enters or leaves each cut at most once: the time complexity is
// O(|V|+|edges|).
type search struct {
	*layers
	back bool // whether the cuts retreat
	cuts []graphs.Cut
	todo []place
}

// newSearch returns a search that starts with the cut from in each layer. It looks for the events
// that have to be in each cut or, if back is set, for those that have to be left out.
func newSearch(l *layers, back bool, from graphs.Cut) *search {
	l.connect(!back)
	s := &search{layers: l, back: back, cuts: make([]graphs.Cut, len(l.layer))}
	for i := range s.cuts {
		s.cuts[i] = from.Clone()
	}
	return s
}

// push requests that an event enter the cut of a layer, or leave it if the cuts retreat.
func (s *search) push(layer int, e graphs.Event) {
	if s.comp.Has(s.cuts[layer], e) == s.back {
		s.todo = append(s.todo, place{int32(layer), e})
	}
}

// bound requests that the cut of a layer contain another one, or be within it if the cuts retreat.
func (s *search) bound(layer int, cut graphs.Cut) {
	for p, k := range cut {
		switch {
		case s.back && int(k) < s.comp.Len(p):
			s.push(layer, s.comp.Event(p, int(k)+1))
		case !s.back && k > 0:
			s.push(layer, s.comp.Event(p, int(k)))
		}
	}
}

// run carries out all requests, and those for the given bounds of layer 0, and returns the
// cut of that layer.
func (s *search) run(bounds ...graphs.Cut) graphs.Cut {
	for _, cut := range bounds {
		s.bound(0, cut)
	}
	for len(s.todo) > 0 {
		t := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		i, p := int(t.layer), s.comp.Process(t.event)
		cut := s.cuts[i]
		from, to := int(cut[p])+1, s.comp.Position(t.event)
		if s.back {
			from, to = to, int(cut[p])
		}
		if from > to {
			continue
		}
		if cut[p] = int32(to); s.back {
			cut[p] = int32(from) - 1
		}
		for k := from; k <= to; k++ {
			s.pass(i, s.comp.Event(p, k))
		}
		for _, d := range s.layer[i].slice.needs {
			switch {
			case s.back && cut[p] < d.require[p]:
				s.bound(i, d.above)
			case !s.back && cut[p] > d.above[p]:
				s.bound(i, d.require)
			}
		}
	}
	return s.cuts[0]
}

// pass follows the edges into an event that enters the cut of a layer, or those out
// of one that leaves it.
func (s *search) pass(i int, e graphs.Event) {
	y := &s.layer[i]
	given, added := s.comp.Preds(e), &y.pred
	if s.back {
		given, added = s.comp.Succs(e), &y.succ
	}
	for _, f := range given {
		s.push(i, f)
	}
	if added.Len() > 0 {
		for _, f := range added.Row(int(e)) {
			s.push(i, f)
		}
	}
	// Edges to the parent layer lead from all events, and edges from it only to those of about.
	if y.parent >= 0 && (s.back || y.about.Has(int(e))) {
		s.push(y.parent, e)
	}
	for _, child := range y.children {
		if !s.back || s.layer[child].about.Has(int(e)) {
			s.push(child, e)
		}
	}
}

// components finds the strongly connected components of all layers together; the
// vertex of event e in layer i is i*size+e, and those of hubs come after all of them.
func (l *layers) components() (component []int32, count int) {
	l.connect(false)
	return graphs.Components(len(l.layer)*l.size+len(l.hubs), l.succs)
}

// succs appends the ends of the edges from v.
func (l *layers) succs(v int32, buf []int32) []int32 {
	size := int32(l.size)
	i := int(v / size)
	if i >= len(l.layer) {
		h := l.hubs[v-int32(len(l.layer))*size]
		for p, k := range h.above {
			if int(k) < l.comp.Len(p) {
				buf = append(buf, int32(h.layer)*size+int32(l.comp.Event(p, int(k)+1)))
			}
		}
		return buf
	}
	y := &l.layer[i]
	base := int32(i) * size
	e := graphs.Event(v - base)
	if e == graphs.Bottom || e == l.comp.Top() {
		return buf
	}
	for _, f := range l.comp.Succs(e) {
		buf = append(buf, base+int32(f))
	}
	if y.succ.Len() > 0 {
		for _, f := range y.succ.Row(int(e)) {
			buf = append(buf, base+int32(f))
		}
	}
	p := l.comp.Process(e)
	if l.comp.Process(e+1) == p {
		buf = append(buf, v+1)
	}
	if y.parent >= 0 {
		buf = append(buf, int32(y.parent)*size+int32(e))
	}
	for _, child := range y.children {
		if l.layer[child].about.Has(int(e)) {
			buf = append(buf, int32(child)*size+int32(e))
		}
	}
	for h := range l.hubs {
		if l.hubs[h].layer == i && int32(l.comp.Position(e)) == l.hubs[h].require[p] {
			buf = append(buf, int32(len(l.layer))*size+int32(h))
		}
	}
	return buf
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

// componentEvents returns events within the cut, in increasing order: at least one of each strongly
// connected component of s that is larger than one step of the computation, and none of any other
// component.
func (s *Slice) componentEvents(within graphs.Cut) []graphs.Event {
	var events []graphs.Event
	// If s adds nothing but bounds and edges along chains, each edge that is not implied closes a
	// cycle, and there are no other cycles.
	if len(s.needs) == 0 && len(s.ahead) == 0 &&
		!slices.ContainsFunc(s.edges, func(l edges) bool { return !l.chain }) {
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
