package slice

import (
	"slices"

	"github.com/pota-project/pota/graphs"
)

// Edges returns edges that, added to the computation, give the slice: those that
// the operators added, with ⊥ and ⊤ for what is forced and kept out. What a slice
// of E[p U q] or E[q R p] looks ahead for is written out, at most one edge for
// each event and process. For an empty slice it is the one edge ⊤→⊥.
//
// The time complexity of Edges is O(|V|+|edges|), and n times that for slices
// of E[p U q] and E[q R p].
func (s *Slice) Edges() []graphs.Edge {
	c := s.comp
	if s.Empty() {
		return []graphs.Edge{{From: c.Top(), To: graphs.Bottom}}
	}
	var list []graphs.Edge
	low, high := s.low, s.high
	if len(s.needs) > 0 || len(s.ahead) > 0 {
		low, high = s.Least(), s.Greatest()
		list = s.skeleton()
	}
	for p := range low {
		if low[p] > c.Initial()[p] {
			list = append(list, graphs.Edge{From: c.Event(p, int(low[p])), To: graphs.Bottom})
		}
		if high[p] < c.Final()[p] {
			list = append(list, graphs.Edge{From: c.Top(), To: c.Event(p, int(high[p])+1)})
		}
	}
	for _, l := range s.edges {
		list = append(list, l.list...)
	}
	slices.SortFunc(list, compareEdges)
	return slices.Compact(list)
}

func compareEdges(a, b graphs.Edge) int {
	if a.From != b.From {
		return int(a.From) - int(b.From)
	}
	return int(a.To) - int(b.To)
}

// Computation returns the slice as a computation in its own right, whose cuts
// are those of s.
func (s *Slice) Computation() *graphs.Computation { return s.comp.With(s.Edges()) }

// MetaEvents returns the components of the slice of more than one event, each in
// increasing order, ordered by their first events. Forced events and those that
// no cut has are not among them.
func (s *Slice) MetaEvents() [][]graphs.Event {
	if s.Empty() {
		return nil
	}
	component, count := newLayers(s).components()
	groups := make([][]graphs.Event, count)
	var order []int32
	for e := graphs.Event(1); e < s.comp.Top(); e++ {
		if s.comp.Has(s.Least(), e) || !s.comp.Has(s.Greatest(), e) {
			continue
		}
		k := component[e]
		if len(groups[k]) == 0 {
			order = append(order, k)
		}
		groups[k] = append(groups[k], e)
	}
	var large [][]graphs.Event
	for _, k := range order {
		if len(groups[k]) > 1 {
			large = append(large, groups[k])
		}
	}
	return large
}

// skeleton writes the slice out as edges between events: for each event v and
// process q, one from the last event of q that every cut with v has, where the
// computation and the event before v do not imply it already. (Mittal and Garg's
// skeletal representation.)
func (s *Slice) skeleton() []graphs.Edge {
	return skeleton(s.comp, s.Least(), s.Greatest(), func(q int) func(graphs.Event) int32 {
		col := s.columns(q)
		return func(v graphs.Event) int32 { return col[v] }
	})
}

// skeleton returns the edges of the sublattice between two cuts in which, for
// each event v, a cut with v has at least the first column(q)(v) events of q.
func skeleton(c *graphs.Computation, least, greatest graphs.Cut, column func(q int) func(graphs.Event) int32) []graphs.Edge {
	var list []graphs.Edge
	for q := range c.NumProcesses() {
		col := column(q)
		implied := c.LastBefore(q)
		for p := range c.NumProcesses() {
			known := least[q]
			for k := 1; k <= int(greatest[p]); k++ {
				v := c.Event(p, k)
				known = max(known, implied[v])
				if m := col(v); m > known {
					known = m
					list = append(list, graphs.Edge{From: c.Event(q, int(m)), To: v})
				}
			}
		}
	}
	return list
}

// columns returns for each event v the number of events of q that reach v in s by
// edges between events, v counted.
func (s *Slice) columns(q int) []int32 {
	l := newLayers(s)
	component, count := l.components()
	size := int32(l.size())
	hubs := l.hubs()
	byComponent := make([][]int32, count)
	for v, k := range component {
		byComponent[k] = append(byComponent[k], int32(v))
	}
	reach := make([]int32, count)
	var buf []int32
	for k := count - 1; k >= 0; k-- { // every edge leads to a smaller number
		for _, v := range byComponent[k] {
			if e := graphs.Event(v); v < size && s.comp.Process(e) == q {
				reach[k] = max(reach[k], int32(s.comp.Position(e)))
			}
		}
		for _, v := range byComponent[k] {
			buf = l.succs(v, hubs, buf[:0])
			for _, w := range buf {
				reach[component[w]] = max(reach[component[w]], reach[k])
			}
		}
	}
	col := make([]int32, size)
	for v := range size {
		col[v] = reach[component[v]]
	}
	return col
}
