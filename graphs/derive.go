package graphs

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/pota-project/pota/graphs/dense"
)

// derive returns the computation that has c's events, the given causality or, for
// nil, that of c, and of the cuts that respect it those from low to high. From
// beside, it is the only way to make a computation from another: it makes invariants (5)
// to (7) hold where (1) to (4) do. What is equal is shared.
//
// The time complexity of derive is O(|V|+|edges|).
func (c *Computation) derive(g *given, low, high Cut) *Computation {
	d := *c
	if g != nil {
		d.given, d.idx = *g, new(index)
		d.meta, d.members = nil, rows{}
		all := d.hard
		if more := d.softEdges(); len(more) > 0 {
			all = d.bothWaysOf(d.hard.edges(), slices.Values(more))
		}
		d.succ, d.pred = all.out, all.in
		if len(d.syncs)+len(d.edges) > 0 {
			d.findMetaEvents()
		}
	}
	d.setBounds(low, high)
	return &d
}

// softEdges lists the edges between events that may close a cycle.
func (c *Computation) softEdges() []Edge {
	var list []Edge
	for _, group := range c.syncs {
		for i, e := range group {
			list = append(list, Edge{e, group[(i+1)%len(group)]})
		}
	}
	for _, e := range c.edges {
		if !c.fictitious(e) {
			list = append(list, e)
		}
	}
	return list
}

// fictitious reports whether ⊥ or ⊤ is an end of e.
func (c *Computation) fictitious(e Edge) bool { return c.proc[e.From] < 0 || c.proc[e.To] < 0 }

// edges goes through the edges, by their targets.
func (w bothWays) edges() iter.Seq[Edge] {
	return func(yield func(Edge) bool) {
		for f, e := range w.in.All() {
			if !yield(Edge{e, Event(f)}) {
				return
			}
		}
	}
}

// bothWaysOf sorts edges between events by their sources and by their targets. Each list is gone
// through twice. Duplicates, self-edges and edges that the order of a process implies are left out.
//
// Both sides are filled at once and in the given order: in the order of a trace, or of time,
// successive edges are near each other in memory.
func (c *Computation) bothWaysOf(lists ...iter.Seq[Edge]) bothWays {
	n := len(c.proc)
	both := dense.Group(2*n, func(add func(int, Event)) {
		for _, edges := range lists {
			for e := range edges {
				if c.proc[e.From] != c.proc[e.To] || e.From > e.To {
					add(int(e.From), e.To)
					add(n+int(e.To), e.From)
				}
			}
		}
	})
	both.Compact(func(row []Event) int {
		if len(row) < 2 { // as most are
			return len(row)
		}
		slices.Sort(row)
		return len(slices.Compact(row))
	})
	out, in := both.Halves()
	return bothWays{out, in}
}

// From returns the computation of the runs that start at cut, a consistent cut of c. The time
// complexity of From is O(n), and that of Advance from the initial cut of c.
func (c *Computation) From(cut Cut) *Computation {
	d := *c
	d.initial = c.initial.Clone()
	for p, k := range cut {
		if k > d.initial[p] {
			c.Advance(d.initial, c.Event(p, int(k)))
		}
	}
	d.empty = c.empty || !d.initial.Within(d.final)
	return &d
}

// With returns the computation that c becomes with added general edges. Their ends may be ⊥ and ⊤.
//
// The time complexity of With is O(|V|+|edges|), and O(1) where none are added.
func (c *Computation) With(added []Edge) *Computation {
	if len(added) == 0 {
		return c
	}
	g := c.given
	g.edges = slices.Concat(c.edges, added)
	return c.derive(&g, c.initial, c.final)
}

// Without returns what c would be if nothing had said that e.From happened before e.To, for
// questions on what that is good for. A message may then be received before it is sent, and
// assignments of a shared variable keep their order, so Ordered must not be asked of the result.
//
// The time complexity of Without is O(|V|+|edges|).
func (c *Computation) Without(e Edge) *Computation {
	is := func(f Edge) bool { return f == e }
	g := c.given
	g.hard = c.bothWaysOf(slices.Values(slices.DeleteFunc(slices.Collect(c.hard.edges()), is)))
	g.edges = slices.DeleteFunc(slices.Clone(c.edges), is)
	return c.derive(&g, c.initial, c.final)
}

// WithoutEdges returns what c is without its general edges: the computation that a
// slice was made of. Assignments of a shared variable stay in their order even where
// only general edges tell it, so Ordered must not be asked of the result.
//
// The time complexity of WithoutEdges is O(|V|+|edges|), and O(1) where there are
// no general edges.
func (c *Computation) WithoutEdges() *Computation {
	if len(c.edges) == 0 {
		return c
	}
	g := c.given
	g.edges = nil
	return c.derive(&g, c.NoEvents(), c.AllEvents())
}

// MaxAdded bounds the edges that Ordered adds, to some 1 GB.
const MaxAdded = 1 << 27

// A LimitError says that an order is too much for memory.
type LimitError struct{ Edges int64 }

// Error names the bound and the number of edges that it would need.
func (e *LimitError) Error() string {
	return fmt.Sprintf("the order would take %d edges more (at most %d are added)", e.Edges, MaxAdded)
}

// Ordered returns the computation that c would be had its trace said of each edge of added that
// From happened before To. The ends must be events, and the edges each time the same. Like what a
// trace says, added edges may close a cycle with syncs and general edges: the events of the cycle
// then happen together.
//
// Errors are *LimitError, *CycleError and *UnorderedError, the latter where assignments of a
// shared variable now happen together. The handle of an event in them is its number
// less one.
//
// The time complexity of Ordered is O(|V|+|edges|) beside the shared variables of
// a computation with syncs or general edges: one such pass more for each of those.
func (c *Computation) Ordered(added iter.Seq[Edge]) (*Computation, error) {
	handle := func(e Event) Handle { return Handle(e - 1) }
	n, err := c.count(added, handle)
	if err != nil {
		return nil, err
	}
	if n > MaxAdded {
		return nil, &LimitError{Edges: int64(n)}
	}
	d, err := c.ordered(handle, false, c.hard.edges(), added)
	if err != nil || len(c.syncs)+len(c.edges) == 0 {
		return d, err // without syncs and edges, shared variables stay in their order
	}
	vars := slices.Clone(c.vars)
	for i, v := range vars {
		if v.Process == Shared {
			own := *v
			vars[i] = &own
		}
	}
	d.setVariables(vars)
	if err := d.orderShared(handle); err != nil {
		return nil, err
	}
	return d, nil
}

// RunEdges returns the edges that leave a run as the only one: from each step to the next.
func (c *Computation) RunEdges(run []Event) (edges []Edge) {
	for i := 1; i < len(run); i++ {
		if !c.SameStep(run[i-1], run[i]) {
			edges = append(edges, Edge{From: run[i-1], To: run[i]})
		}
	}
	return edges
}

// count returns the number of edges. The error is a *CycleError, for one from an event to itself.
func (c *Computation) count(edges iter.Seq[Edge], handle func(Event) Handle) (n int, err error) {
	for e := range edges {
		if e.From == e.To {
			return 0, c.cycleError([]Event{e.From}, handle)
		}
		n++
	}
	return n, nil
}

// ordered returns c with other hard edges, none from an event to itself; acyclic says that they are
// known to close no cycle. An error is a *CycleError.
func (c *Computation) ordered(handle func(Event) Handle, acyclic bool, hard ...iter.Seq[Edge]) (*Computation, error) {
	plain := c.derive(&given{hard: c.bothWaysOf(hard...)}, c.initial, c.final)
	switch {
	case !acyclic && plain.hasCycle():
		return nil, c.cycleError(plain.cycle(), handle)
	case len(c.syncs)+len(c.edges) == 0:
		return plain, nil
	}
	return plain.derive(&given{plain.hard, c.syncs, c.edges}, c.initial, c.final), nil
}

// layers returns c, and c without general edges and without syncs, too, as far as
// they differ.
func (c *Computation) layers() []*Computation {
	all := []*Computation{c.WithoutEdges()}
	if len(c.edges) > 0 {
		all = []*Computation{c, all[0]}
	}
	if len(c.syncs) > 0 {
		all = append(all, c.derive(&given{hard: c.hard}, c.NoEvents(), c.AllEvents()))
	}
	return all
}

// orderShared puts the assignments of shared variables in order. An error is an
// *UnorderedError.
func (c *Computation) orderShared(handle func(Event) Handle) error {
	var layers []*Computation
	for _, v := range c.vars {
		if v.Process != Shared {
			continue
		}
		if layers == nil {
			layers = c.layers()
		}
		if e, f, ok := v.order(layers); !ok {
			return &UnorderedError{
				Variable: v.Name,
				First:    handle(e), Other: handle(f),
				IDs: [2]string{c.ID(e), c.ID(f)},
			}
		}
	}
	return nil
}

// setVariables gives c these variables, in order and by name.
func (c *Computation) setVariables(vars []*Variable) {
	sortByProcess(vars)
	c.vars, c.varsOf = vars, make(map[string]*namesakes)
	for _, v := range vars {
		if c.varsOf[v.Name] == nil {
			c.varsOf[v.Name] = new(namesakes)
		}
		c.varsOf[v.Name].vars = append(c.varsOf[v.Name].vars, v)
	}
}

func byProcess(v, w *Variable) int { return cmp.Compare(v.Process, w.Process) }

func sortByProcess(vars []*Variable) {
	if !slices.IsSortedFunc(vars, byProcess) {
		slices.SortStableFunc(vars, byProcess)
	}
}
