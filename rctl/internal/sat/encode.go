package rctl

import (
	"github.com/pota-project/pota/graphs"
)

// A satEncoder writes nodes as clauses over literals "cut C has event e", for the
// events that a satOrders has numbered. A literal that stands for a node implies
// it, which is enough because no node is negated (Plaisted and Greenbaum, A
// structure-preserving clause form translation, 1986).
type satEncoder struct {
	comp   *graphs.Computation
	solver *satSolver
	orders *satOrders
	cuts   []*satCut
}

// A satCut is a cut that is looked for, with the literals that speak of it.
type satCut struct {
	first  satLit // "has the event of number 1"; the others follow
	nodes  map[*satNode]satLit
	ranks  map[satScale]satLit
	inside map[classKey]satLit
}

type classKey struct {
	column *satColumn
	class  int32
}

// newCut returns literals for a further cut, all of whose events another one has
// when beyond is not nil.
func (e *satEncoder) newCut(beyond *satCut) *satCut {
	cut := &satCut{
		first:  e.solver.newVars(e.orders.len()),
		nodes:  map[*satNode]satLit{},
		ranks:  map[satScale]satLit{},
		inside: map[classKey]satLit{},
	}
	for _, i := range e.orders.implied {
		e.solver.add(-cut.numbered(i[0]), cut.numbered(i[1]))
	}
	if beyond != nil {
		for n := int32(1); n <= int32(e.orders.len()); n++ {
			e.solver.add(-beyond.numbered(n), cut.numbered(n))
		}
	}
	e.cuts = append(e.cuts, cut)
	return cut
}

func (c *satCut) numbered(n int32) satLit { return c.first + satLit(n) - 1 }

// has returns the literal "the cut has v".
func (e *satEncoder) has(cut *satCut, v graphs.Event) satLit {
	switch {
	case v == e.comp.Top() || !e.comp.Has(e.comp.Final(), v):
		return satNo
	case e.comp.Has(e.comp.Initial(), v):
		return satYes
	}
	n := e.orders.number[v]
	if n == 0 {
		panic("this cannot happen, because every event of a clause was numbered: " + e.comp.ID(v))
	}
	return cut.numbered(n)
}

// outside appends the literals of which one is true where a chain is not in a
// span of states.
func (e *satEncoder) outside(cut *satCut, h satChain, p satSpan, clause []satLit) []satLit {
	past := satNo
	if _, last := h.bounds(e.comp); p.hi <= last {
		past = e.has(cut, h.event(e.comp, p.hi))
	}
	return append(clause, -e.has(cut, h.event(e.comp, p.lo)), past)
}

// require adds clauses that make a node hold at a cut unless one of the literals
// is true.
func (e *satEncoder) require(n *satNode, cut *satCut, unless []satLit) {
	unless = unless[:len(unless):len(unless)]
	switch n.kind {
	case satTrue:
	case satFalse:
		e.solver.add(unless...)
	case satAll:
		for _, sub := range n.subs {
			e.require(sub, cut, unless)
		}
	case satAny:
		clause := unless
		for _, sub := range n.subs {
			if sub.kind == satStates && len(sub.spans) == 1 {
				clause = e.outside(cut, sub.chain, sub.spans[0], clause)
			} else {
				clause = append(clause, e.literal(sub, cut))
			}
		}
		e.solver.add(clause...)
	case satStates:
		for _, p := range n.spans {
			e.solver.add(e.outside(cut, n.chain, p, unless)...)
		}
	case satSlice:
		for _, d := range n.edges {
			if d.To != e.comp.Top() && d.From != graphs.Bottom {
				e.solver.add(append(unless, -e.has(cut, d.To), e.has(cut, d.From))...)
			}
		}
	case satAtomic:
		e.requireAtom(n, cut, unless)
	case satLater:
		e.require(n.subs[0], e.newCut(cut), unless)
	}
}

// literal returns a literal that implies a node.
func (e *satEncoder) literal(n *satNode, cut *satCut) satLit {
	if l, ok := cut.nodes[n]; ok {
		return l
	}
	l := e.solver.newVars(1)
	cut.nodes[n] = l
	e.require(n, cut, []satLit{-l})
	return l
}

func (e *satEncoder) requireAtom(n *satNode, cut *satCut, unless []satLit) {
	a := n.atom
	if !a.monotone {
		e.requireCases(n, cut, a.byCases(), unless)
		return
	}
	scales, steps := a.stairs(n.negated)
	for _, s := range steps {
		e.solver.add(append(unless, -e.from(cut, scales[0], s.first), -e.from(cut, scales[1].reversed(), scales[1].len()-s.second))...)
	}
}

// requireCases splits an atom by the classes of the given columns but the last,
// the others being set.
func (e *satEncoder) requireCases(n *satNode, cut *satCut, columns []int, unless []satLit) {
	a := n.atom
	i := columns[0]
	k := a.columns[i]
	if len(columns) == 1 {
		fits := k.where(func(class int32) bool {
			a.setClass(i, class)
			return a.holds() != n.negated
		})
		first, last := k.chain.bounds(e.comp)
		for _, p := range fits.complement().within(first, last) {
			e.solver.add(e.outside(cut, k.chain, p, unless)...)
		}
		return
	}
	for class := range int32(len(k.tuples)) {
		if !e.solver.goesOn() {
			return
		}
		a.setClass(i, class)
		e.requireCases(n, cut, columns[1:], append(unless[:len(unless):len(unless)], e.notIn(cut, k, class)...))
	}
}

// notIn returns literals of which one is true where the column is not in a class.
func (e *satEncoder) notIn(cut *satCut, k *satColumn, class int32) []satLit {
	runs := k.runsOf(class)
	if len(runs) == 1 {
		return e.outside(cut, k.chain, satSpan{k.starts[runs[0]], k.end(runs[0])}, nil)
	}
	key := classKey{k, class}
	in, ok := cut.inside[key]
	if !ok {
		in = e.solver.newVars(1)
		cut.inside[key] = in
		for _, i := range runs {
			e.solver.add(e.outside(cut, k.chain, satSpan{k.starts[i], k.end(i)}, []satLit{in})...)
		}
	}
	return []satLit{-in}
}

// from returns a literal that is true where a column has come to place i of a
// scale, or further.
func (e *satEncoder) from(cut *satCut, o satScale, i int) satLit {
	k := o.column
	switch {
	case i <= 0:
		return satYes
	case i >= o.len():
		return satNo
	case !o.down && k.rising || o.down && k.sinks:
		// It is never left again.
		run := firstRun(k, func(rank int) bool { return o.place(rank) >= i })
		return e.has(cut, k.chain.event(e.comp, k.starts[run]))
	case o.down && k.rising || !o.down && k.sinks:
		run := firstRun(k, func(rank int) bool { return o.place(rank) < i })
		return -e.has(cut, k.chain.event(e.comp, k.starts[run]))
	}
	return e.ladder(cut, o) + satLit(i) - 1
}

// place returns where the class of some rank stands on the scale.
func (o satScale) place(rank int) int {
	if o.down {
		return o.len() - 1 - rank
	}
	return rank
}

// firstRun returns the first run of a monotone column to whose rank something
// applies, as it does to that of all runs after it.
func firstRun(k *satColumn, applies func(rank int) bool) int {
	lo, hi := 0, len(k.class)
	for lo < hi {
		if mid := (lo + hi) / 2; applies(int(k.rank[k.class[mid]])) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// ladder returns the first of the literals "at place 1 of the scale or further",
// "at place 2 …" and so on.
func (e *satEncoder) ladder(cut *satCut, o satScale) satLit {
	first, ok := cut.ranks[o]
	if ok {
		return first
	}
	first = e.solver.newVars(o.len() - 1)
	cut.ranks[o] = first
	for i := 2; i < o.len(); i++ {
		e.solver.add(-(first + satLit(i) - 1), first+satLit(i)-2)
	}
	k := o.column
	for i, class := range k.class {
		if place := o.place(int(k.rank[class])); place > 0 {
			e.solver.add(e.outside(cut, k.chain, satSpan{k.starts[i], k.end(int32(i))}, []satLit{first + satLit(place) - 1})...)
		}
	}
	return first
}

// eventsOf lists the events that the clauses of a node speak of.
func eventsOf(c *graphs.Computation, root *satNode) []graphs.Event {
	var list []graphs.Event
	seen := make(map[*satNode]bool)
	columns := make(map[*satColumn]bool)
	var visit func(n *satNode)
	visit = func(n *satNode) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, p := range n.spans {
			list = append(list, n.chain.event(c, p.lo))
			if _, last := n.chain.bounds(c); p.hi <= last {
				list = append(list, n.chain.event(c, p.hi))
			}
		}
		for _, d := range n.edges {
			list = append(list, d.From, d.To)
		}
		if n.atom != nil {
			for _, k := range n.atom.columns {
				if !columns[k] {
					columns[k] = true
					for _, s := range k.starts {
						list = append(list, k.chain.event(c, s))
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
