package graphs

import (
	"slices"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/iterator"
)

// Directed returns c as a gonum graph. It has a node for each event, including ⊥ and ⊤, with the
// number of the event as its ID; edges from ⊥ to the first event of each process, along the
// process, and from its last event to ⊤; and all other edges. It copies nothing.
func (c *Computation) Directed() graph.Directed {
	d := directed{c: c}
	for _, e := range c.edges {
		if e.From != e.To && c.fictitious(e) {
			d.fictitious = append(d.fictitious, e)
		}
	}
	return d
}

type directed struct {
	c          *Computation
	fictitious []Edge // general edges with an end at ⊥ or ⊤
}

type node Event

func (n node) ID() int64 { return int64(n) }

type arc struct{ from, to node }

func (a arc) From() graph.Node         { return a.from }
func (a arc) To() graph.Node           { return a.to }
func (a arc) ReversedEdge() graph.Edge { return arc{a.to, a.from} }

func (d directed) has(id int64) bool { return id >= 0 && id <= int64(d.c.Top()) }

// Node implements graph.Graph.
func (d directed) Node(id int64) graph.Node {
	if !d.has(id) {
		return nil
	}
	return node(id)
}

// Nodes implements graph.Graph.
func (d directed) Nodes() graph.Nodes {
	return iterator.NewImplicitNodes(0, int(d.c.Top())+1,
		func(id int) graph.Node { return node(id) })
}

// From implements graph.Graph.
func (d directed) From(id int64) graph.Nodes {
	return d.next(id, Bottom, d.c.Top(), 1, d.c.succ)
}

// To implements graph.Directed.
func (d directed) To(id int64) graph.Nodes {
	return d.next(id, d.c.Top(), Bottom, -1, d.c.pred)
}

// next returns the neighbours of a vertex on the way from one fictitious event to the other: along
// its process (by step, which is 1 or -1), and by the given edges.
func (d directed) next(id int64, from, to, step Event, edges rows) graph.Nodes {
	if !d.has(id) {
		return graph.Empty
	}
	e, c := Event(id), d.c
	var next []Event
	switch e {
	case from:
		for p := range c.names {
			if n := c.Len(p); n > 0 && step > 0 {
				next = append(next, c.Event(p, 1))
			} else if n > 0 {
				next = append(next, c.Event(p, n))
			}
		}
		if len(next) == 0 {
			next = append(next, to)
		}
	case to:
	default:
		next = append(next, edges.Row(int(id))...)
		if f := e + step; c.proc[f] == c.proc[e] {
			next = append(next, f)
		} else {
			next = append(next, to)
		}
	}
	for _, g := range d.fictitious {
		switch {
		case step > 0 && g.From == e:
			next = append(next, g.To)
		case step < 0 && g.To == e:
			next = append(next, g.From)
		}
	}
	if len(next) == 0 {
		return graph.Empty
	}
	sortEvents(next)
	var nodes []graph.Node
	for _, f := range slices.Compact(next) {
		nodes = append(nodes, node(f))
	}
	return iterator.NewOrderedNodes(nodes)
}

// HasEdgeFromTo implements graph.Directed.
func (d directed) HasEdgeFromTo(uid, vid int64) bool {
	for out := d.From(uid); out.Next(); {
		if out.Node().ID() == vid {
			return true
		}
	}
	return false
}

// HasEdgeBetween implements graph.Graph.
func (d directed) HasEdgeBetween(xid, yid int64) bool {
	return d.HasEdgeFromTo(xid, yid) || d.HasEdgeFromTo(yid, xid)
}

// Edge implements graph.Graph.
func (d directed) Edge(uid, vid int64) graph.Edge {
	if !d.HasEdgeFromTo(uid, vid) {
		return nil
	}
	return arc{node(uid), node(vid)}
}
