package scenario

import "cmp"

// An operator is the operator at the root of a term.
type operator uint8

const (
	opEmpty   operator = iota
	opArrow            // the arrow n
	opReceive          // the receive of arrow n, which was sent as message m of the trace
	opNote             // the note n
	opSeq              // l, then r
	opPar              // l and r
	opAlt              // l or r
	opLoop             // l any number of times
	opDone             // occurrence m of the trace, which has happened on lifeline n
)

// A node is a term. Equal terms are one node, so comparing them takes time O(1), and a state of the
// search is a cut and a number.
type node struct {
	head
	id    int32
	lanes uint64 // the lifelines that take part
	noted uint64 // the lifelines with notes; with vertical, the page if there is any note
	past  uint64 // the lifelines of occurrences in it that have happened
	busy  bool   // whether something may happen in it

	optional bool // whether it may be empty, notes aside
}

// A head identifies a term.
type head struct {
	op   operator
	l, r *node
	n, m int32
}

// A table contains all terms. Its functions simplify: the empty term vanishes from sequences and
// pars, and so do rounds next to a loop that stands for them.
type table struct {
	scenario *Scenario
	asserted func(note int32) bool // whether a note has an assertion, and is not only for people
	// with vertical, the set of one lifeline for the page, on which everything is; else 0
	page  uint64
	known map[head]*node
	empty *node
}

// lanes returns the lifelines that order the occurrences of a lifeline.
func (t *table) lanes(lifeline int) uint64 { return 1<<lifeline | t.page }

// node returns the term with a head; equal heads have the same term.
func (t *table) node(h head) *node {
	if n := t.known[h]; n != nil {
		return n
	}
	n := &node{head: h, id: int32(len(t.known))}
	switch h.op {
	case opArrow:
		a := t.scenario.Arrows[h.n]
		n.busy, n.lanes = true, t.lanes(a.From)
		if a.Received() {
			n.lanes |= t.lanes(a.To)
		}
	case opReceive:
		a := t.scenario.Arrows[h.n]
		n.busy, n.lanes = true, t.lanes(a.To)
		n.past = t.lanes(a.From) // the send has happened
	case opDone:
		n.past = t.lanes(int(h.n))
	case opNote:
		n.lanes = t.lanes(t.scenario.Notes[h.n].Lifeline)
		n.noted = cmp.Or(t.page, n.lanes)
	}
	for _, sub := range []*node{h.l, h.r} {
		if sub != nil {
			n.lanes |= sub.lanes
			n.noted |= sub.noted
			n.past |= sub.past
			n.busy = n.busy || sub.busy
		}
	}
	switch h.op {
	case opEmpty, opLoop, opDone:
		n.optional = true
	case opSeq, opPar:
		n.optional = h.l.optional && h.r.optional
	case opAlt:
		n.optional = h.l.optional || h.r.optional
	}
	t.known[h] = n
	return n
}

func (t *table) atom(op operator, n int32) *node { return t.node(head{op: op, n: n}) }

// seq returns a sequence. It is nil, for no scenario, if l or r is nil.
func (t *table) seq(l, r *node) *node {
	switch {
	case l == nil || r == nil:
		return nil
	case l == t.empty:
		return r
	case r == t.empty:
		return l
	case l.op == opSeq: // nested to the right, so that equal remainders are equal terms
		return t.seq(l.l, t.seq(l.r, r))
	}
	next, rest := r, t.empty
	if r.op == opSeq {
		next, rest = r.l, r.r
	}
	switch {
	case next.absorbs(l):
		return r
	case l.absorbs(next):
		return t.seq(l, rest)
	}
	return t.node(head{op: opSeq, l: l, r: r})
}

// absorbs reports whether n stands for itself with beside immediately before or after it: a loop
// absorbs itself, and a round that may be empty. So rounds of a loop in which some lifeline takes
// no part do not pile up.
func (n *node) absorbs(beside *node) bool {
	return n.op == opLoop && (beside == n || beside == n.l && n.l.optional)
}

// parts lists the arrows, receives and notes of a term that are not in seen, in the order of the
// page.
func (n *node) parts(seen map[*node]bool) []*node {
	if n == nil || seen[n] {
		return nil
	}
	seen[n] = true
	if n.op == opArrow || n.op == opReceive || n.op == opNote {
		return []*node{n}
	}
	return append(n.l.parts(seen), n.r.parts(seen)...)
}

func (t *table) par(l, r *node) *node {
	switch {
	case l == nil || r == nil:
		return nil
	case l == t.empty:
		return r
	case r == t.empty:
		return l
	}
	return t.node(head{op: opPar, l: l, r: r})
}

// alt returns a choice. A nil term cannot be chosen.
func (t *table) alt(l, r *node) *node {
	switch {
	case l == nil || l == r:
		return r
	case r == nil:
		return l
	}
	return t.node(head{op: opAlt, l: l, r: r})
}

// loop returns any number of rounds. If round is nil, there are no rounds.
func (t *table) loop(round *node) *node {
	if round == nil || round == t.empty {
		return t.empty
	}
	return t.node(head{op: opLoop, l: round})
}

// done returns the leaf of an occurrence that has happened, for comparison with those immediately
// after it.
func (t *table) done(i int32, lane int) *node {
	return t.node(head{op: opDone, n: int32(lane), m: i})
}

// trim removes the occurrences with which nothing will be compared: nothing more may come on their
// lifeline, or something else has happened on it since. After is the set of lifelines on which
// something may come after the term. The result adds those of the term, and removes those on which
// something has happened since.
//
// Example: x and y have happened on lifeline A, in that order, and z is next. Then trim removes x,
// because z is only compared with y. If z is on lifeline B, trim removes both.
func (t *table) trim(n *node, after uint64) (*node, uint64) {
	switch {
	case n.op == opDone && n.past&after == 0:
		return t.empty, after
	case n.op == opDone:
		return n, after &^ n.past
	case n.past != 0 && n.op == opSeq:
		r, after := t.trim(n.r, after)
		l, after := t.trim(n.l, after)
		return t.seq(l, r), after
	case n.past != 0 && n.op == opPar:
		l, one := t.trim(n.l, after)
		r, two := t.trim(n.r, after)
		return t.par(l, r), one&two | n.lanes
	}
	return n, after | n.lanes
}
