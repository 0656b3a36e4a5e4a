package slice

import (
	"slices"

	"github.com/pota-project/pota/graphs"
)

// And returns the slice for the conjunction: the cuts that are in all of slices. There
// must be at least one slice, and all must be of one computation. The result is lean if
// they are.
//
// The time complexity of And is O(parts log parts), parts being the bounds, lists of edges,
// needs and lookaheads of all slices.
func And(slices ...*Slice) *Slice {
	first := slices[0]
	if len(slices) == 1 {
		return first
	}
	s := newSlice(first.comp, nil, nil, true)
	for _, t := range slices {
		if t.none {
			return None(first.comp)
		}
		s.low = append(s.low, t.low...)
		s.high = append(s.high, t.high...)
		s.edges = append(s.edges, t.edges...)
		s.needs = append(s.needs, t.needs...)
		s.ahead = append(s.ahead, t.ahead...)
		s.lean = s.lean && t.lean
	}
	s.low, s.high = s.low.joined(larger), s.high.joined(smaller)
	return s
}

// Or returns the least slice that has every cut of any of the operands: for regular
// predicates the slice of their disjunction. There must be at least one operand, and all
// must be of one computation. If the union of the operands is not a lattice, the result
// has cuts that are in no operand, so it is lean only if all but one are empty.
//
// The time complexity of Or is O(n(|V|+|edges|)) for each operand.
func Or(operands ...*Slice) *Slice {
	c := operands[0].comp
	live := slices.DeleteFunc(slices.Clone(operands), (*Slice).Empty)
	switch len(live) {
	case 0:
		return None(c)
	case 1:
		return live[0]
	}
	low, high := live[0].Least(), live[0].Greatest()
	for _, s := range live[1:] {
		low, high = low.Meet(s.Least()), high.Join(s.Greatest())
	}
	columns := make([]func(int) []int32, len(live))
	for i, s := range live {
		columns[i] = s.columns()
	}
	list := skeleton(c, low, high, func(q int) func(graphs.Event) int32 {
		cols := make([][]int32, len(live))
		for i := range live {
			cols[i] = columns[i](q)
		}
		return func(v graphs.Event) int32 {
			least := int32(c.Len(q))
			for i, s := range live {
				if c.Has(s.Greatest(), v) {
					least = min(least, max(cols[i][v], s.Least()[q]))
				}
			}
			return least
		}
	})
	return bounded(c, low, high, false).with(list, false)
}

// Not returns the least slice that has every cut of the computation outside s, the
// slice of the negation. s must be lean. The result is lean only if it or s is empty. A
// cut is outside s when it has v and not u for some edge u→v of s, so the complement is
// a union of lattices, one for each edge.
//
// The time complexity of Not is O(n|V||added edges|), its memory O(n|V|).
func Not(s *Slice) *Slice {
	c := s.comp
	if s.Empty() {
		return All(c)
	}
	past := make([][]int32, c.NumProcesses()) // past[q][v] is how many events of q are up to v
	for q := range past {
		past[q] = c.LastBefore(q)
	}
	before := func(q int, v graphs.Event) int32 {
		if v == graphs.Bottom {
			return c.Initial()[q]
		}
		return max(past[q][v], c.Initial()[q])
	}
	// missing[r] holds the edges u→v with u of process r, ordered by u, that some
	// cut of the computation breaks.
	missing := make([][]graphs.Edge, c.NumProcesses())
	var out []graphs.Edge // the edges ⊤→v
	for _, e := range s.Edges() {
		switch {
		case e.From == c.Top():
			out = append(out, e)
		case !c.Has(c.Initial(), e.From) && (e.To == graphs.Bottom || c.Has(c.Final(), e.To)):
			r := c.Process(e.From)
			if before(r, e.To) < int32(c.Position(e.From)) {
				missing[r] = append(missing[r], e)
			}
		}
	}
	// A cut with y breaks an edge u→v only if y does not need u.
	least := func(q int, y graphs.Event) (int32, bool) {
		k, ok := int32(c.Len(q)), false
		for _, e := range out {
			k, ok = min(k, before(q, e.To)), true
		}
		for r := range missing {
			for i := len(missing[r]) - 1; i >= 0; i-- {
				e := missing[r][i]
				if int32(c.Position(e.From)) <= before(r, y) {
					break
				}
				k, ok = min(k, before(q, e.To)), true
			}
		}
		return max(k, before(q, y)), ok
	}
	low, high := c.Initial().Clone(), c.Final().Clone()
	for q := range low {
		k, ok := least(q, graphs.Bottom)
		if !ok {
			return None(c)
		}
		low[q] = k
	}
	for p := range high {
		for high[p] > low[p] {
			if _, ok := least(p, c.Event(p, int(high[p]))); ok {
				break
			}
			high[p]--
		}
	}
	list := skeleton(c, low, high, func(q int) func(graphs.Event) int32 {
		return func(y graphs.Event) int32 { k, _ := least(q, y); return k }
	})
	return bounded(c, low, high, false).with(list, false)
}
