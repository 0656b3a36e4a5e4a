package graphs

import "slices"

// Edges come in three layers: those of messages and of causality known otherwise,
// which are hard; the cycles of ties; general edges. Only hard edges must not close
// a cycle.

// hardRows returns the rows of the hard edges.
func (c *Computation) hardRows() rows {
	if c.hard.off != nil {
		return c.hard
	}
	return c.succ
}

// hardEdges lists the hard edges, with room for n more.
func (c *Computation) hardEdges(n int) []Edge {
	hard := c.hardRows()
	edges := make([]Edge, 0, len(hard.data)+n)
	for e := Event(1); e < c.Top(); e++ {
		for _, f := range hard.row(e) {
			edges = append(edges, Edge{e, f})
		}
	}
	return edges
}

// addLayers takes c, which has its hard edges only, to all of them. It returns c
// and what c was before general edges and before ties, without those that are no
// different.
func (c *Computation) addLayers(hard []Edge) []*Computation {
	layers := []*Computation{c}
	edges := hard
	add := func(more []Edge) {
		layers = slices.Insert(layers, 1, c.layer())
		edges = append(edges, more...)
		c.succ, c.pred = buildRows(c, edges)
		c.meta, c.members = nil, rows{}
		c.idx = new(index)
		c.findMetaEvents()
	}
	if len(c.ties)+len(c.edges) > 0 {
		c.hard = c.succ
	}
	if len(c.ties) > 0 {
		add(cyclesOf(c.ties))
	}
	if len(c.edges) > 0 {
		add(slices.DeleteFunc(slices.Clone(c.edges), func(e Edge) bool {
			return e.From == Bottom || e.To == Bottom || e.From == c.Top() || e.To == c.Top()
		}))
	}
	return layers
}

// layer returns c as it is now, before more edges are added.
func (c *Computation) layer() *Computation {
	d := new(*c)
	d.idx = new(index)
	return d
}

func cyclesOf(ties [][]Event) []Edge {
	var edges []Edge
	for _, group := range ties {
		for i := range group {
			edges = append(edges, Edge{group[i], group[(i+1)%len(group)]})
		}
	}
	return edges
}

// Ordered returns the computation that c would be had its trace said of each edge
// of added, whose ends are events, that From happened before To. All else is as in
// c, and shared with it. Like what a trace says, added edges may close a cycle with
// ties and general edges, whose events then happen together.
//
// Errors are *CycleError and *UnorderedError, the latter where assignments of a
// shared variable now happen together. The handle of an event in them is its number
// less one.
//
// The time complexity of Ordered is O(|V|+|edges|) beside the shared variables of
// a computation with ties or general edges: one such pass more for each of those.
func (c *Computation) Ordered(added []Edge) (*Computation, error) {
	d := c.layer()
	hard := append(c.hardEdges(len(added)), added...)
	for _, e := range added {
		if e.From == e.To {
			return nil, d.cycleOf([]Event{e.From})
		}
	}
	d.succ, d.pred = buildRows(d, hard)
	d.hard, d.meta, d.members = rows{}, nil, rows{}
	if cycle := d.findCycle(); cycle != nil {
		return nil, d.cycleOf(cycle)
	}
	layers := d.addLayers(hard)
	d.setBounds(c.initial, c.final)
	if len(layers) > 1 {
		if err := d.orderShared(layers); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func (c *Computation) cycleOf(cycle []Event) error {
	err := &CycleError{}
	for _, e := range cycle {
		err.Events = append(err.Events, Handle(e-1))
		err.IDs = append(err.IDs, c.ID(e))
	}
	return err
}

// orderShared gives c shared variables of its own, with their assignments in the
// order of c. Where nothing can happen together that did not before, they stay in
// the order they have.
func (c *Computation) orderShared(layers []*Computation) error {
	c.vars = slices.Clone(c.vars)
	own := make(map[string][]*Variable, len(c.varsOf))
	for i, v := range c.vars {
		if v.Process == Shared {
			w := *v
			if e, f, ok := w.order(layers); !ok {
				return &UnorderedError{
					Variable: v.Name,
					First:    Handle(e - 1), Other: Handle(f - 1),
					IDs: [2]string{c.ID(e), c.ID(f)},
				}
			}
			c.vars[i] = &w
		}
		own[v.Name] = append(own[v.Name], c.vars[i])
	}
	c.varsOf = own
	return nil
}

// WithoutEdges returns what c is without its general edges: the computation that a
// slice was made of.
//
// The time complexity of WithoutEdges is O(|V|+|edges|), and O(1) where there are
// no general edges.
func (c *Computation) WithoutEdges() *Computation {
	if len(c.edges) == 0 {
		return c
	}
	d := c.layer()
	hard := c.hardEdges(0)
	d.edges, d.empty = nil, false
	d.succ, d.pred = buildRows(d, hard)
	d.hard, d.meta, d.members = rows{}, nil, rows{}
	d.addLayers(hard)
	d.setBounds(d.before(), d.after())
	return d
}
