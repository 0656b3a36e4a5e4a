package graphs

import (
	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/iterator"
)

// Directed returns c as a gonum graph: a node for each vertex, its ID the number
// of the event, ⊥ and ⊤ among them; an edge from ⊥ to the first event of each
// process, along each process, and to ⊤, and all other edges. Nothing is copied.
func (c *Computation) Directed() graph.Directed {
	d := directed{c: c}
	for _, e := range c.edges {
		if e.From == e.To {
			continue
		}
		if e.From == Bottom || e.To == Bottom || e.From == c.Top() || e.To == c.Top() {
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
	return iterator.NewImplicitNodes(0, int(d.c.Top())+1, func(id int) graph.Node { return node(id) })
}

// From implements graph.Graph.
func (d directed) From(id int64) graph.Nodes {
	if !d.has(id) {
		return graph.Empty
	}
	e := Event(id)
	c := d.c
	var out []Event
	switch {
	case e == Bottom:
		for p := range c.names {
			if c.Len(p) > 0 {
				out = append(out, c.Event(p, 1))
			}
		}
		if len(out) == 0 {
			out = append(out, c.Top())
		}
	case e < c.Top():
		out = append(out, c.Succs(e)...)
		if e == c.base[c.proc[e]+1] {
			out = append(out, c.Top())
		} else {
			out = append(out, e+1)
		}
	}
	for _, g := range d.fictitious {
		if g.From == e {
			out = append(out, g.To)
		}
	}
	return nodesOf(out)
}

// To implements graph.Directed.
func (d directed) To(id int64) graph.Nodes {
	if !d.has(id) {
		return graph.Empty
	}
	e := Event(id)
	c := d.c
	var in []Event
	switch {
	case e == c.Top():
		for p := range c.names {
			if c.Len(p) > 0 {
				in = append(in, c.Event(p, c.Len(p)))
			}
		}
		if len(in) == 0 {
			in = append(in, Bottom)
		}
	case e > Bottom:
		in = append(in, c.Preds(e)...)
		if c.Position(e) == 1 {
			in = append(in, Bottom)
		} else {
			in = append(in, e-1)
		}
	}
	for _, g := range d.fictitious {
		if g.To == e {
			in = append(in, g.From)
		}
	}
	return nodesOf(in)
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

func nodesOf(events []Event) graph.Nodes {
	sortEvents(events)
	nodes := make([]graph.Node, 0, len(events))
	for i, e := range events {
		if i == 0 || e != events[i-1] {
			nodes = append(nodes, node(e))
		}
	}
	if len(nodes) == 0 {
		return graph.Empty
	}
	return iterator.NewOrderedNodes(nodes)
}
