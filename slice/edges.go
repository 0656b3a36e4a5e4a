package slice

import (
	"cmp"
	"iter"
	"slices"

	"gonum.org/v1/gonum/graph"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
)

// Edges returns edges that, added to the computation, give the slice: the edges added
// by the operators, from forced events to ⊥ and from ⊤ to excluded ones. The lookahead
// of E[p U q] and E[q R p] is written out, at most one edge for each event and process.
// For an empty slice it is the one edge ⊤→⊥.
//
// The time complexity of Edges is O(|V|+|edges|), and n times that for slices of E[p U
// q] and E[q R p].
func (s *Slice) Edges() []graphs.Edge {
	c := s.comp
	if s.Empty() {
		return []graphs.Edge{{From: c.Top(), To: graphs.Bottom}}
	}
	var list []graphs.Edge
	low, high := s.low, s.high
	if len(s.needs) > 0 || len(s.ahead) > 0 {
		low, high = beyond(c.Initial(), s.Least()), beyond(c.Final(), s.Greatest())
		columns := s.columns()
		list = skeleton(c, s.Least(), s.Greatest(), func(q int) func(graphs.Event) int32 {
			col := columns(q)
			return func(v graphs.Event) int32 { return col[v] }
		})
	}
	for _, b := range low {
		list = append(list, graphs.Edge{From: c.Event(int(b.process), int(b.events)), To: graphs.Bottom})
	}
	for _, b := range high {
		list = append(list, graphs.Edge{From: c.Top(), To: c.Event(int(b.process), int(b.events)+1)})
	}
	for _, l := range s.edges {
		list = append(list, l.list...)
	}
	slices.SortFunc(list, compareEdges)
	return slices.Compact(list)
}

func compareEdges(a, b graphs.Edge) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
}

// Computation returns the slice as a computation in its own right, with the cuts of s.
func (s *Slice) Computation() *graphs.Computation { return s.comp.With(s.Edges()) }

// Run returns the events of a run through cuts of s, from one cut to a later one. The events of a
// meta-event are consecutive. The time complexity of Run is O(|V|+|edges|).
func (s *Slice) Run(from, to graphs.Cut) []graphs.Event {
	if len(s.needs) == 0 && len(s.ahead) == 0 {
		return s.Computation().Topological(from, to)
	}
	component, count := newLayers(s).components()
	steps := dense.Group(count, func(add func(int, graphs.Event)) {
		for p := range from {
			for k := int(from[p]) + 1; k <= int(to[p]); k++ {
				e := s.comp.Event(p, k)
				add(count-1-int(component[e]), e) // every edge leads to a smaller number
			}
		}
	})
	run := make([]graphs.Event, 0, steps.Size())
	for _, e := range steps.All() {
		run = append(run, e)
	}
	return run
}

// Directed returns the slice as a gonum graph, with a node for each event of
// Computation, ⊥ and ⊤ among them. It takes the time of Edges.
func (s *Slice) Directed() graph.Directed { return s.Computation().Directed() }

// skeleton returns the edges of a sublattice between two cuts in which a cut with v has at least the
// first column(q)(v) events of q. It has one edge for each event v and process q, from the last of
// these events, unless the computation and the event before v imply it. (This is Mittal and Garg's
// skeletal representation.)
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

// columns returns a function that gives for each event v the number of events of a
// process q that reach v in s by edges between events, v counted.
func (s *Slice) columns() func(q int) []int32 {
	l := newLayers(s)
	component, count := l.components()
	members := dense.Group(count, func(add func(int, int32)) {
		for v, k := range component {
			add(int(k), int32(v))
		}
	})
	var buf []int32
	return func(q int) []int32 {
		reach := make([]int32, count)
		for k := 1; k <= s.comp.Len(q); k++ {
			in := component[s.comp.Event(q, k)]
			reach[in] = max(reach[in], int32(k))
		}
		for k := count - 1; k >= 0; k-- { // every edge leads to a smaller number
			for _, v := range members.Row(k) {
				buf = l.succs(v, buf[:0])
				for _, w := range buf {
					reach[component[w]] = max(reach[component[w]], reach[k])
				}
			}
		}
		col := make([]int32, l.size)
		for v := range col {
			col[v] = reach[component[v]]
		}
		return col
	}
}

// unimplied yields the added edges u→v between events that some cut of the computation
// breaks: a cut with v and without u.
//
// Edges along chains are implied only if both ends are of one step, or if all cuts have u
// or none has v. For the other edges, one pass over the computation for each process of a u
// finds the events of that process that reach v.
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
