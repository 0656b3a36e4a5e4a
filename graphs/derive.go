package graphs

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/pota-project/pota/graphs/dense"
)

// derive returns the computation with the events of c, the causality g (that of c if g is nil), and
// those cuts from low to high that respect it. Only derive, and From, which merely raises the
// initial cut, make a computation of other causality or cuts from an existing one: derive
// establishes invariants (5) to (7) if (1) to (4) hold. The result shares equal parts with c.
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

// edges yields all edges, ordered by their targets.
func (w bothWays) edges() iter.Seq[Edge] {
	return func(yield func(Edge) bool) {
		for f, e := range w.in.All() {
			if !yield(Edge{e, Event(f)}) {
				return
			}
		}
	}
}

// bothWaysOf sorts edges between events by their sources and by their targets. It iterates twice
// over each list. It leaves out duplicates, self-edges and edges that process order implies.
//
// It fills both sides together and in the given order, because edges that follow each other in a
// trace, or in time, are close to each other in memory.
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
		if len(row) < 2 { // the common case
			return len(row)
		}
		slices.Sort(row)
		return len(slices.Compact(row))
	})
	out, in := both.Halves()
	return bothWays{out, in}
}

// From returns the computation of the runs that start at cut, a consistent cut of c. The time
// complexity of From is O(n) plus that of Advance from the initial cut of c to cut.
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

// With returns c with added general edges. Their ends may be ⊥ and ⊤.
//
// The time complexity of With is O(|V|+|edges|), and O(1) if no edge is added.
func (c *Computation) With(added []Edge) *Computation {
	if len(added) == 0 {
		return c
	}
	g := c.given
	g.edges = slices.Concat(c.edges, added)
	return c.derive(&g, c.initial, c.final)
}

// Without returns c without the edge e, hard or general, so that callers can ask what the edge
// contributes. In the result a message may be received before it is sent, and assignments of a
// shared variable keep their order, so Ordered must not be called on it.
//
// The time complexity of Without is O(|V|+|edges|).
func (c *Computation) Without(e Edge) *Computation {
	is := func(f Edge) bool { return f == e }
	g := c.given
	g.hard = c.bothWaysOf(slices.Values(slices.DeleteFunc(slices.Collect(c.hard.edges()), is)))
	g.edges = slices.DeleteFunc(slices.Clone(c.edges), is)
	return c.derive(&g, c.initial, c.final)
}

// WithoutEdges returns c without its general edges: for a slice, the computation that it was made
// from. Assignments of a shared variable keep their order even if only general edges determine it,
// so Ordered must not be called on the result.
//
// The time complexity of WithoutEdges is O(|V|+|edges|), and O(1) if there are no general edges.
func (c *Computation) WithoutEdges() *Computation {
	if len(c.edges) == 0 {
		return c
	}
	g := c.given
	g.edges = nil
	return c.derive(&g, c.NoEvents(), c.AllEvents())
}

// MaxAdded bounds how many edges Ordered adds, and so its memory to about 1 GB.
const MaxAdded = 1 << 27

// A LimitError reports that Ordered would have to add more than MaxAdded edges.
type LimitError struct{ Edges int64 }

// Error names the bound, and the number of edges that the order needs.
func (e *LimitError) Error() string {
	return fmt.Sprintf("the order would take %d edges more (at most %d are added)", e.Edges, MaxAdded)
}

// Ordered returns c with added hard edges, as if the trace had stated them. Their ends must not be
// ⊥ or ⊤, and added must yield the same edges on each iteration. Like the edges of a trace, they
// may close a cycle with syncs and general edges: the events of the cycle then happen together.
//
// Errors are *LimitError, *CycleError and *UnorderedError, the last if assignments of a shared
// variable now happen together. Their handles are event numbers minus one.
//
// The time complexity of Ordered is O(|V|+|edges|), plus one more such pass for each shared
// variable if c has syncs or general edges.
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

// RunEdges returns the edges that make run the only run: from each step to the next.
func (c *Computation) RunEdges(run []Event) (edges []Edge) {
	for i := 1; i < len(run); i++ {
		if !c.SameStep(run[i-1], run[i]) {
			edges = append(edges, Edge{From: run[i-1], To: run[i]})
		}
	}
	return edges
}

// count returns the number of edges. It returns a *CycleError if an edge leads from an event to
// itself.
func (c *Computation) count(edges iter.Seq[Edge], handle func(Event) Handle) (n int, err error) {
	for e := range edges {
		if e.From == e.To {
			return 0, c.cycleError([]Event{e.From}, handle)
		}
		n++
	}
	return n, nil
}

// ordered returns c with hard in place of its hard edges. No edge may lead from an event to itself;
// acyclic promises that they close no cycle. The error, if any, is a *CycleError.
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

// layers returns c, c without general edges, and c without general edges and syncs, omitting equal
// ones.
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

// orderShared sorts the assignments of shared variables. The error, if any, is an *UnorderedError.
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

// setVariables makes vars the variables of c. It sorts them, and indexes them by name.
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
