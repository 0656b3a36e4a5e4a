package scenario

import "slices"

// A query asks for the derivatives of a term: its rests after an occurrence, or after a note.
//
// Example: the term is A->>B: x, then C->>D: y. After the send of x, message 7, the rest is the receive
// of 7, then C->>D: y. After the send of y, message 8, it is A->>B: x, then the receive of 8: x has
// nothing on lifeline C. With strict, y has no rest before x is over.
type query struct {
	*table
	*layout
	occurrence int32 // -1 for a note
	lane       int
	counts     []int32 // for a note: the moment
	weak       bool    // only lifelines are in order, and not the page
	marks      bool    // put marks on what comes after the occurrence
	after      []mark  // those that the term is inside of
}

// A rest is what is left of a term.
type rest struct {
	to    *node
	arrow int32   // that the occurrence stands for
	late  []int32 // occurrences that should have happened before it, and did not
	under []mark  // what it comes after
}

// steps returns all rests.
func (q *query) steps(n *node) []rest {
	if n.lanes&bit(q.lane) == 0 {
		return nil
	}
	switch n.op {
	case opArrow:
		return q.arrow(n)
	case opReceive:
		if q.occurrence < 0 {
			return nil
		}
		o := q.Occurrences[q.occurrence]
		if o.Phase == Receive && o.Message == n.m {
			return q.hit(n.n, q.empty, mark{-1, q.sends[n.m]})
		}
	case opNote:
		if q.occurrence < 0 && q.Holds(int(n.n), q.counts) {
			return []rest{{to: q.empty, arrow: -1}}
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
	case opAfter:
		outer := q.after
		q.after = append(slices.Clip(outer), n.mark())
		all := q.steps(n.l)
		q.after = outer
		for i := range all {
			// The occurrence is after the mark, so its own one will do.
			if !slices.Contains(all[i].to.marks(), mark{n.n, q.occurrence}) {
				all[i].to = q.table.after(n.mark(), all[i].to)
			}
		}
		return all
	}
	return nil
}

// arrow matches the first occurrence of an arrow.
func (q *query) arrow(n *node) []rest {
	a := q.scenario.Arrows[n.n]
	if q.occurrence < 0 || a.From != q.lane || !q.stands(q.occurrence, n.n) {
		return nil
	}
	o := q.Occurrences[q.occurrence]
	switch {
	case o.Phase == Receive || (o.Phase == Act) != (a.Kind == Action):
		return nil
	case a.Kind == Message:
		return q.hit(n.n, q.receive(n.n, o.Message))
	}
	return q.hit(n.n, q.empty)
}

// hit makes the rest of a match. With marks, it lists the marked occurrences that did not happen before.
func (q *query) hit(arrow int32, to *node, own ...mark) []rest {
	r := rest{to: to, arrow: arrow}
	if !q.marks {
		return []rest{r}
	}
	r.under = append(own, q.after...)
	for _, m := range r.under {
		c := m.occurrence
		if m.lane >= 0 && int(m.lane) != q.lane || slices.Contains(r.late, c) {
			continue
		}
		if !before(&q.Occurrences[c], &q.Occurrences[q.occurrence]) {
			r.late = append(r.late, c)
		}
	}
	return []rest{r}
}

// sequence matches in the first part, or in the second if the first can do without the lifeline. Then
// the first loses its branches with that lifeline: of "alt A->>B or C->>D", before a later send of A,
// C->>D is left.
func (q *query) sequence(n *node) []rest {
	all := q.steps(n.l)
	for i := range all {
		all[i].to = q.seq(all[i].to, q.mark(n.r, all[i]))
	}
	first := q.before(n.l)
	if first == nil || n.r.lanes&bit(q.lane) == 0 {
		return all
	}
	second := q.steps(n.r)
	for i := range second {
		second[i].to = q.seq(first, second[i].to)
	}
	return append(all, second...)
}

// before returns what a part may still be when something behind it happens, nil if nothing may.
func (q *query) before(n *node) *node {
	switch {
	case q.weak || !q.strict:
		return q.without(n, bit(q.lane))
	case n.ends:
		return q.empty
	}
	return nil
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
		if n.n < 0 {
			r.to = q.seq(q.loop(earlier, -1), q.seq(r.to, q.mark(n, r)))
			all = append(all, r)
			continue
		}
		for k := int32(0); k < n.n && (k == 0 || earlier != q.empty); k++ {
			more := r
			more.to = q.seq(q.loop(earlier, k), q.seq(r.to, q.mark(q.loop(n.l, n.n-1-k), r)))
			all = append(all, more)
		}
	}
	return all
}

// mark puts what comes behind an occurrence after it.
func (q *query) mark(n *node, at rest) *node {
	if !q.marks || q.occurrence < 0 || n == q.empty {
		return n
	}
	own := mark{int32(q.lane), q.occurrence}
	if q.strict {
		own.lane = -1
	} else if n.lanes&bit(q.lane) == 0 {
		return n
	}
	marks := n.marks()
	for n.op == opAfter {
		n = n.l
	}
	for _, m := range marks {
		// What is before the occurrence need not be compared again.
		if m.lane != own.lane || !slices.Contains(at.under, m) {
			n = q.table.after(m, n)
		}
	}
	return q.table.after(own, n)
}

// settle passes the notes that hold now and that nothing is before: to do so is never wrong.
func (q *query) settle(n *node, blocked uint64) *node {
	if n.noted&^blocked == 0 {
		return n
	}
	switch n.op {
	case opNote:
		if q.Holds(int(n.n), q.counts) {
			return q.empty
		}
	case opSeq:
		l := q.settle(n.l, blocked)
		if q.strict && l != q.empty {
			return q.seq(l, n.r)
		}
		return q.seq(l, q.settle(n.r, blocked|l.lanes))
	case opPar:
		return q.par(q.settle(n.l, blocked), q.settle(n.r, blocked))
	case opAfter:
		return q.table.after(n.mark(), q.settle(n.l, blocked))
	}
	return n
}

// firsts lists the steps that may be next.
func (t *table) firsts(n *node, blocked uint64) []Expected {
	switch n.op {
	case opArrow:
		if a := t.scenario.Arrows[n.n]; bit(a.From)&blocked == 0 {
			return []Expected{{Arrow: n.n, Note: -1, Phase: Send, message: -1, lanes: n.lanes}}
		}
	case opReceive:
		if a := t.scenario.Arrows[n.n]; bit(a.To)&blocked == 0 {
			return []Expected{{Arrow: n.n, Note: -1, Phase: Receive, message: n.m, lanes: n.lanes}}
		}
	case opNote:
		if n.lanes&blocked == 0 {
			return []Expected{{Arrow: -1, Note: n.n, message: -1, lanes: n.lanes}}
		}
	case opSeq:
		all := t.firsts(n.l, blocked)
		if t.strict && !n.l.ends {
			return all
		}
		return append(all, t.firsts(n.r, blocked|t.needed(n.l))...)
	case opPar, opAlt:
		return append(t.firsts(n.l, blocked), t.firsts(n.r, blocked)...)
	case opLoop, opAfter:
		return t.firsts(n.l, blocked)
	}
	return nil
}

// needed returns the lifelines that every way through a term has.
func (t *table) needed(n *node) uint64 {
	var set uint64
	for _, lane := range lifelines(n.lanes) {
		if t.without(n, bit(lane)) == nil {
			set |= bit(lane)
		}
	}
	return set
}
