package scenario

import "slices"

// A query computes derivatives of a term: the terms that remain after something happens on a
// lifeline.
//
// Example: the term is A->>B: x, then C->>D: y. After the send of x, message 7, the remaining term
// is the receive of 7, then C->>D: y. After the send of y, message 8, it is A->>B: x, then the
// receive of 8: x is not on lifeline C. With vertical, y has no derivative before x is over.
type query struct {
	*search
	lanes uint64 // the lifeline, and with vertical the page
	// returns what remains of an arrow, a receive or a note; nil if it does not match
	match func(*node) *node

	// rests and pruned cache the results of steps and without for choices, because branches share
	// the terms after the choice.
	rests  map[*node][]rest
	pruned map[*node]*node
}

// A rest is a derivative: the remaining term, and the part that was removed.
type rest struct {
	to    *node
	of    *node   // the arrow, receive or note that was matched
	after []int32 // the occurrences immediately before it on the lifeline in the diagram
}

// steps returns all derivatives of n.
func (q *query) steps(n *node) (all []rest) {
	if n.lanes&q.lanes == 0 {
		return nil
	}
	switch n.op {
	case opArrow, opReceive, opNote:
		// An arrow begins with its send.
		if n.op == opArrow && q.lanes>>q.scenario.Arrows[n.n].From&1 == 0 {
			return nil
		}
		if to := q.match(n); to != nil {
			return []rest{{to: to, of: n}}
		}
	case opAlt:
		all, ok := q.rests[n]
		if !ok {
			all = slices.Clone(q.steps(n.l))
			for _, r := range q.steps(n.r) {
				same := func(o rest) bool { return o.to == r.to && o.of == r.of && slices.Equal(o.after, r.after) }
				if !slices.ContainsFunc(all, same) {
					all = append(all, r)
				}
			}
			if q.rests == nil {
				q.rests = make(map[*node][]rest)
			}
			q.rests[n] = all
		}
		return all
	case opPar:
		all = q.beside(n.l, n.r, q.par)
		return append(all, q.beside(n.r, n.l, func(r, l *node) *node { return q.par(l, r) })...)
	case opSeq:
		for _, r := range q.steps(n.l) {
			r.to = q.seq(r.to, n.r)
			all = append(all, r)
		}
		return append(all, q.behind(n.l, n.r, q.empty)...)
	case opLoop:
		// Other rounds without the lifeline may come before the round, and the loop comes after it.
		return q.behind(n, n.l, n)
	}
	return all
}

// behind matches in the second of three parts, if the first can do without the lifeline. The first
// then loses its branches with that lifeline: "alt A->>B or C->>D" before a later send of A becomes
// C->>D.
func (q *query) behind(first, second, third *node) (all []rest) {
	if first = q.without(first); first == nil {
		return nil
	}
	for _, r := range q.steps(second) {
		r.to = q.seq(first, q.seq(r.to, third))
		if r.after == nil {
			r.after = q.last(first)
		}
		all = append(all, r)
	}
	return all
}

// beside matches in one branch of a par. The notes of the other branch may have been passed before.
func (q *query) beside(branch, other *node, par func(_, _ *node) *node) (all []rest) {
	for _, r := range q.steps(branch) {
		most := len(q.scenario.Notes)
		if r.of.op == opNote {
			most = 0
		}
		for _, o := range q.ahead(other, most) {
			all = append(all, rest{par(r.to, o), r.of, r.after})
		}
	}
	return all
}

// without prunes a term to the scenarios in which nothing more happens on the lifelines, except
// notes that hold now. It returns nil if there are none. It takes time linear in the size of the
// term.
//
// Example: without A, "A->>B or C->>D" is C->>D, and a loop of A->>B is empty.
func (q *query) without(n *node) *node {
	if n.lanes&q.lanes == 0 {
		return n
	}
	switch n.op {
	case opNote:
		return q.passed(n)
	case opAlt:
		left, ok := q.pruned[n]
		if !ok {
			left = q.alt(q.without(n.l), q.without(n.r))
			if q.pruned == nil {
				q.pruned = make(map[*node]*node)
			}
			q.pruned[n] = left
		}
		return left
	case opSeq:
		if l := q.without(n.l); l != nil {
			return q.seq(l, q.without(n.r))
		}
	case opPar:
		return q.par(q.without(n.l), q.without(n.r))
	case opLoop:
		return q.loop(q.without(n.l))
	}
	return nil
}

// passed returns what remains of a note: the empty term if it holds now, else nil.
func (s *search) passed(n *node) *node {
	if n.op != opNote {
		return nil
	}
	counts := make([]int32, len(s.Processes))
	for t, k := range s.cut {
		counts[s.Occurrences[s.tracks[t][0]].Process] += k
	}
	if s.Holds(int(n.n), counts) {
		return s.empty
	}
	return nil
}

// ahead lists what a term may become by passing notes of the lifelines that hold now, up to a number
// of them. The number of notes in the diagram is enough: before the round of a loop where ahead
// stops, without passes the notes of all earlier rounds.
//
// Example: for a note in a branch of an alt, the list has what remains of the branch, and the alt.
func (q *query) ahead(n *node, most int) (all []*node) {
	if most == 0 {
		return []*node{n}
	}
	for _, lane := range lifelines(n.noted & q.lanes) {
		notes := query{search: q.search, lanes: 1 << lane, match: q.passed}
		for _, r := range notes.steps(n) {
			for _, to := range q.ahead(r.to, most-1) {
				if !slices.Contains(all, to) {
					all = append(all, to)
				}
			}
		}
	}
	return append(all, n)
}

// last lists the occurrences of a term that have happened on the lifeline and have no later ones on
// it.
func (q *query) last(n *node) []int32 {
	if n.past&q.lanes == 0 {
		return nil
	}
	switch n.op {
	case opDone:
		return []int32{n.m}
	case opReceive:
		return []int32{q.sends[n.m]}
	case opPar:
		return append(q.last(n.l), q.last(n.r)...)
	}
	if later := q.last(n.r); later != nil {
		return later
	}
	return q.last(n.l)
}

// after returns what remains of an arrow or a receive after an occurrence. A send leaves the
// receive of its message, and the last occurrence of a message leaves leaves (opDone) for
// everything after it. With vertical, the leaf of the receive is enough, because the page orders it
// after the send.
func (s *search) after(n *node, i int32) *node {
	a := &s.scenario.Arrows[n.n]
	switch {
	case n.op == opReceive && s.page != 0:
		return s.done(i, a.To)
	case n.op == opReceive:
		return s.par(s.done(s.sends[n.m], a.From), s.done(i, a.To))
	case a.Received():
		return s.table.node(head{op: opReceive, n: n.n, m: s.Occurrences[i].Message})
	}
	return s.done(i, a.From)
}
