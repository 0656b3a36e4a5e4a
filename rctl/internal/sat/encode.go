package sat

import (
	"sort"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
)

// An encoder writes nodes as clauses over literals "the cut has event e", for the
// events that are numbered. A literal that stands for a node implies it. The converse
// is not needed, because no node is negated (Plaisted and Greenbaum, A
// structure-preserving clause form translation, 1986).
type encoder struct {
	comp    *graphs.Computation
	numbers *numbering
	solver  *solver
	cuts    []*wantedCut
}

// A wantedCut is a cut that the solver looks for, with the literals about it.
type wantedCut struct {
	first  lit // "has the event of number 1"; the others follow
	nodes  map[*node]lit
	places map[order]lit
	inside map[classOf]lit
}

// A classOf stands for "the column is in this class".
type classOf struct {
	column *column
	class  int32
}

func (c *wantedCut) numbered(n int32) lit { return c.first + lit(n) - 1 }

// newCut returns literals for a further cut, with all events of another one if
// beyond is not nil.
func (e *encoder) newCut(beyond *wantedCut) *wantedCut {
	cut := &wantedCut{
		first:  e.solver.newVars(e.numbers.len()),
		nodes:  make(map[*node]lit),
		places: make(map[order]lit),
		inside: make(map[classOf]lit),
	}
	// Happened-before holds at every wanted cut.
	for _, i := range e.numbers.implied {
		e.solver.add(-cut.numbered(i[0]), cut.numbered(i[1]))
	}
	// A later cut has every event of the earlier one.
	if beyond != nil {
		for n := int32(1); n <= int32(e.numbers.len()); n++ {
			e.solver.add(-beyond.numbered(n), cut.numbered(n))
		}
	}
	e.cuts = append(e.cuts, cut)
	return cut
}

// has returns the literal "the cut has v".
func (e *encoder) has(cut *wantedCut, v graphs.Event) lit {
	switch {
	case !e.comp.Has(e.comp.Final(), v):
		return no
	case e.comp.Has(e.comp.Initial(), v):
		return yes
	}
	n := e.numbers.number[v]
	if n == 0 {
		panic("this cannot happen, because every event of a clause was numbered: " + e.comp.ID(v))
	}
	return cut.numbered(n)
}

// outside appends two literals to a clause. At least one of them is true if and only if a chain is
// not in a span of states.
func (e *encoder) outside(cut *wantedCut, h atoms.Chain, p span, clause []lit) []lit {
	begin, end := ends(e.comp, h, p)
	return append(clause, -e.has(cut, begin), e.has(cut, end))
}

// ends returns the events that begin and end a span of states, ⊥ and ⊤ if there are none.
func ends(c *graphs.Computation, h atoms.Chain, p span) (begin, end graphs.Event) {
	end = c.Top()
	if _, last := h.Bounds(c); p.hi <= last {
		end = h.Event(c, p.hi)
	}
	return h.Event(c, p.lo), end
}

// require adds clauses which say that a node holds at a cut, or one of the literals unless is true.
func (e *encoder) require(n *node, cut *wantedCut, unless []lit) {
	unless = unless[:len(unless):len(unless)]
	switch n.kind {
	case always:
	case never:
		e.solver.add(unless...)
	case allOf:
		for _, sub := range n.subs {
			e.require(sub, cut, unless)
		}
	case anyOf:
		clause := unless
		for _, sub := range n.subs {
			if sub.kind == local && len(sub.gaps) == 1 {
				clause = e.outside(cut, sub.chain, sub.gaps[0], clause)
			} else {
				clause = append(clause, once(cut.nodes, sub, func() lit {
					l := e.solver.newVars(1) // implies sub
					e.require(sub, cut, []lit{-l})
					return l
				}))
			}
		}
		e.solver.add(clause...)
	case local:
		for _, p := range n.gaps {
			e.solver.add(e.outside(cut, n.chain, p, unless)...)
		}
	case sliced:
		for _, d := range n.edges {
			e.solver.add(append(unless, -e.has(cut, d.To), e.has(cut, d.From))...)
		}
	case related:
		if !n.atom.monotone {
			e.requireCases(n, cut, n.atom.byCases(), unless)
			return
		}
		// Where the first column has come to a place, the second must have come to another: two
		// literals a clause.
		orders, list := n.atom.implications(n.negated)
		second := orders[1].reversed()
		for _, i := range list {
			e.solver.add(append(unless, -e.atLeast(cut, orders[0], i.first),
				-e.atLeast(cut, second, second.len()-i.second))...)
		}
	case later:
		e.require(n.subs[0], e.newCut(cut), unless)
	}
}

// requireCases splits an atom by the classes of all given columns but the last. The classes of the
// other columns are set.
func (e *encoder) requireCases(n *node, cut *wantedCut, columns []int, unless []lit) {
	a := n.atom
	i := columns[0]
	k := a.columns[i]
	if len(columns) == 1 {
		// The last column is not split: its states that do not fit are excluded as
		// spans.
		fits := k.where(func(class int32) bool {
			a.setClass(i, class)
			return a.holds() != n.negated
		})
		for _, p := range fits.complement().within(k.starts[0], k.last) {
			e.solver.add(e.outside(cut, k.chain, p, unless)...)
		}
		return
	}
	for class := range int32(len(k.tuples)) {
		if !e.solver.goesOn() {
			return
		}
		a.setClass(i, class)
		e.requireCases(n, cut, columns[1:],
			append(unless[:len(unless):len(unless)], e.notIn(cut, k, class)...))
	}
}

// notIn returns literals, one of which is true if the column is not in a class.
func (e *encoder) notIn(cut *wantedCut, k *column, class int32) []lit {
	runs := k.runsOf(class)
	if len(runs) == 1 {
		return e.outside(cut, k.chain, k.span(runs[0]), nil)
	}
	in := once(cut.inside, classOf{k, class}, func() lit {
		in := e.solver.newVars(1)
		for _, i := range runs {
			e.solver.add(e.outside(cut, k.chain, k.span(i), []lit{in})...)
		}
		return in
	})
	return []lit{-in}
}

// atLeast returns a literal that is true if a column has reached a place of an order.
func (e *encoder) atLeast(cut *wantedCut, o order, place int) lit {
	switch {
	case place <= 0:
		return yes
	case place >= o.len():
		return no
	case o.rises():
		// The first run at the place or beyond has begun.
		k := o.column
		from := sort.Search(len(k.class), func(run int) bool { return o.place(run) >= place })
		return e.has(cut, k.begin(e.comp, from))
	case o.reversed().rises():
		return -e.atLeast(cut, o.reversed(), o.len()-place)
	}
	return once(cut.places, o, func() lit { return e.orderEncoding(cut, o) }) + lit(place) - 1
}

// orderEncoding returns the first of the literals "at place 1 of the order or
// further", "at place 2 …" and so on. (Crawford and Baker, Experimental results on
// the application of satisfiability algorithms to scheduling problems, AAAI 1994.)
func (e *encoder) orderEncoding(cut *wantedCut, o order) lit {
	first := e.solver.newVars(o.len() - 1)
	for i := 2; i < o.len(); i++ {
		e.solver.add(-(first + lit(i) - 1), first+lit(i)-2)
	}
	k := o.column
	for i := range k.class {
		if place := o.place(i); place > 0 {
			e.solver.add(
				e.outside(cut, k.chain, k.span(int32(i)), []lit{first + lit(place) - 1})...)
		}
	}
	return first
}

// turns lists the events that the clauses of a node speak of.
func turns(c *graphs.Computation, root *node) []graphs.Event {
	var list []graphs.Event
	seen := make(map[*node]bool)
	columns := make(map[*column]bool)
	var visit func(n *node)
	visit = func(n *node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, p := range n.gaps {
			begin, end := ends(c, n.chain, p)
			list = append(list, begin, end)
		}
		for _, d := range n.edges {
			list = append(list, d.From, d.To)
		}
		if n.atom != nil {
			for _, k := range n.atom.columns {
				if !columns[k] {
					columns[k] = true
					for i := range k.starts {
						list = append(list, k.begin(c, i))
					}
				}
			}
		}
		for _, sub := range n.subs {
			visit(sub)
		}
	}
	visit(root)
	return list
}
