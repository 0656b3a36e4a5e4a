package scenario

import "cmp"

// A query asks for the derivatives of a term: its rests after something happens on a lifeline.
//
// Example: the term is A->>B: x, then C->>D: y. After the send of x, message 7, the rest is the receive
// of 7, then C->>D: y. After the send of y, message 8, it is A->>B: x, then the receive of 8: x has
// nothing on lifeline C. With strict, y has no rest before x is over.
type query struct {
	*search
	lane  int
	match func(*node) *node // the rest of an arrow, a receive or a note; nil if it is not the one
	weak  bool              // only lifelines are in order, and not the page
}

// A rest is a derivative: the term that is left, and the part that was taken out.
type rest struct {
	to    *node
	of    *node   // the arrow, receive or note that was matched
	after []int32 // occurrences that the diagram has right before it on the lifeline
}

// steps returns all rests.
func (q *query) steps(n *node) []rest {
	if n.lanes&bit(q.lane) == 0 {
		return nil
	}
	switch n.op {
	case opArrow, opReceive, opNote:
		// An arrow begins with its send.
		if n.op == opArrow && q.scenario.Arrows[n.n].From != q.lane {
			return nil
		}
		if to := q.match(n); to != nil {
			return []rest{{to: to, of: n}}
		}
	case opSeq:
		return q.sequence(n)
	case opPar:
		left, right := q.steps(n.l), q.steps(n.r)
		for i := range left {
			left[i].to = q.par(left[i].to, n.r)
		}
		for i := range right {
			right[i].to = q.par(n.l, right[i].to)
		}
		return append(left, right...)
	case opAlt:
		return append(q.steps(n.l), q.steps(n.r)...)
	case opLoop:
		return q.round(n)
	}
	return nil
}

// sequence matches in the first part, or in the second if the first can do without the lifeline. Then
// the first loses its branches with that lifeline: of "alt A->>B or C->>D", before a later send of A,
// C->>D is left.
func (q *query) sequence(n *node) []rest {
	all := q.steps(n.l)
	for i := range all {
		all[i].to = q.seq(all[i].to, n.r)
	}
	first := q.before(n.l)
	if first == nil || n.r.lanes&bit(q.lane) == 0 {
		return all
	}
	second := q.steps(n.r)
	for i := range second {
		second[i].to = q.seq(first, second[i].to)
		if second[i].after == nil {
			second[i].after = q.last(first)
		}
	}
	return append(all, second...)
}

// before returns what a part may still be when something behind it happens, nil if nothing may.
func (q *query) before(n *node) *node {
	if q.strict && !q.weak {
		return q.without(n, ^uint64(0))
	}
	return q.without(n, bit(q.lane))
}

// last lists the occurrences of a term on the lifeline that have happened, and no others after them.
func (q *query) last(n *node) []int32 {
	if n.past&bit(q.lane) == 0 {
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

// round matches in a round of a loop, after rounds without the lifeline. A loop of n rounds then is k
// earlier rounds, this one, and n-1-k later ones, for every k; if the earlier rounds are empty, all k
// but the first add nothing.
func (q *query) round(n *node) []rest {
	var all []rest
	earlier := q.before(n.l)
	if earlier == nil {
		earlier = q.empty
	}
	for _, r := range q.steps(n.l) {
		round := r.to
		if n.n < 0 {
			r.to = q.seq(q.loop(earlier, -1), q.seq(round, n))
			all = append(all, r)
			continue
		}
		for k := int32(0); k < n.n && (k == 0 || earlier != q.empty); k++ {
			r.to = q.seq(q.loop(earlier, k), q.seq(round, q.loop(n.l, n.n-1-k)))
			all = append(all, r)
		}
	}
	return all
}

// takes matches an occurrence with arrows and receives. A send leaves the receive of its message, and the
// last occurrence of a message leaves leaves for all that comes after it. With strict, the receive alone
// is enough, for it is after the send.
func (s *search) takes(i int32) func(*node) *node {
	o := &s.Occurrences[i]
	return func(n *node) *node {
		if n.op == opNote {
			return nil
		}
		a := &s.scenario.Arrows[n.n]
		switch {
		case n.op == opReceive && o.Phase == Receive && o.Message == n.m:
			if s.strict {
				return s.done(i, a.To)
			}
			return s.par(s.done(s.sends[n.m], a.From), s.done(i, a.To))
		case n.op != opArrow || o.Phase == Receive || (o.Phase == Act) != (a.Kind == Action) || !s.stands(i, n.n):
			return nil
		case a.Kind == Message:
			return s.table.node(head{op: opReceive, n: n.n, m: o.Message})
		}
		return s.done(i, a.From)
	}
}

// done returns the leaf of an occurrence, for comparison with those right after it.
func (s *search) done(i int32, lane int) *node {
	return s.table.node(head{op: opDone, n: int32(lane), m: i})
}

// holds matches the notes that hold at this state.
func (s *search) holds() func(*node) *node {
	counts := s.counts()
	return func(n *node) *node {
		if n.op == opNote && s.Holds(int(n.n), counts) {
			return s.empty
		}
		return nil
	}
}

// settle passes the notes that hold now and that nothing is before: to do so is never wrong.
func (s *search) settle(n *node, holds func(*node) *node, blocked uint64) *node {
	if n.noted&^blocked == 0 {
		return n
	}
	switch n.op {
	case opNote:
		return cmp.Or(holds(n), n)
	case opSeq:
		l := s.settle(n.l, holds, blocked)
		if s.strict && l.lanes != 0 {
			return s.seq(l, n.r)
		}
		return s.seq(l, s.settle(n.r, holds, blocked|l.lanes))
	case opPar:
		return s.par(s.settle(n.l, holds, blocked), s.settle(n.r, holds, blocked))
	}
	return n
}

// firsts lists the steps that may be next, where some lifelines are blocked: something before the term has
// to happen there first.
//
// Example: of A->>B: x, then A->>C: y, then D->>C: z, the steps are the send of x and that of z.
func (t *table) firsts(n *node, blocked uint64) (all []Expected) {
	first := Expected{Arrow: n.n, Note: -1, Phase: Send, message: -1, lanes: n.lanes}
	from := n.lanes
	switch n.op {
	case opArrow:
		from = bit(t.scenario.Arrows[n.n].From)
	case opReceive:
		first.Phase, first.message = Receive, n.m
	case opNote:
		first = Expected{Arrow: -1, Note: n.n, message: -1, lanes: n.lanes}
	case opSeq:
		all = t.firsts(n.l, blocked)
		if t.strict && !n.l.ends {
			return all
		}
		// Lifelines that every way through the first part has block the second.
		for _, lane := range lifelines(n.l.lanes) {
			if t.without(n.l, bit(lane)) == nil {
				blocked |= bit(lane)
			}
		}
		return append(all, t.firsts(n.r, blocked)...)
	default:
		for _, sub := range []*node{n.l, n.r} {
			if sub != nil {
				all = append(all, t.firsts(sub, blocked)...)
			}
		}
		return all
	}
	if from&blocked == 0 {
		all = append(all, first)
	}
	return all
}
