package slice

import "github.com/pota-project/pota/graphs"

// Complement returns lean slices whose union is what is not in s, a lean slice:
// for each added edge u→v that the computation does not imply, the cuts with v and
// without u. It is not ok where there would be more than most of them.
//
// The time complexity of Complement is O(|V|+|edges|) for each of them, and that of
// Edges for slices of E[p U q] and E[q R p].
func (s *Slice) Complement(most int) (pieces []*Slice, ok bool) {
	c := s.comp
	if s.Empty() {
		return []*Slice{All(c)}, true
	}
	low, high := s.low, s.high
	flat := s
	if len(s.needs) > 0 || len(s.ahead) > 0 {
		low, high = s.Least(), s.Greatest()
		flat = withEdges(c, low, high, s.skeleton(), false)
		flat.edges = append(flat.edges, s.edges...)
	}
	add := func(least, greatest graphs.Cut) bool {
		pieces = append(pieces, newSlice(c, least, greatest, true))
		return len(pieces) <= most
	}
	for p := range low {
		if low[p] > c.Initial()[p] {
			without, _ := c.Below(c.Final(), c.Event(p, int(low[p])))
			if !add(c.Initial(), without) {
				return nil, false
			}
		}
		if high[p] < c.Final()[p] {
			with, _ := c.Above(c.Initial(), c.Event(p, int(high[p])+1))
			if !add(with, c.Final()) {
				return nil, false
			}
		}
	}
	for e := range flat.unimplied() {
		with, _ := c.Above(c.Initial(), e.To)
		without, _ := c.Below(c.Final(), e.From)
		if !add(with, without) {
			return nil, false
		}
	}
	return pieces, true
}

// Within reports whether it is obvious that every cut of s is one of t: t's bounds
// are the wider ones, and it adds nothing that s does not add. When it reports
// false nothing is known. The time complexity of Within is O(n+parts), parts being
// what And put together.
func (s *Slice) Within(t *Slice) bool {
	if s.none {
		return true
	}
	if t.none || !t.low.Within(s.low) || !s.high.Within(t.high) {
		return false
	}
	for i := range t.edges {
		if !hasEdges(s.edges, t.edges[i]) {
			return false
		}
	}
	return len(t.needs) == 0 && len(t.ahead) == 0
}

func hasEdges(all []edges, e edges) bool {
	for i := range all {
		if &all[i].list[0] == &e.list[0] {
			return true
		}
	}
	return false
}
