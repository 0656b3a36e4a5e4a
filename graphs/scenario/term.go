package scenario

import "cmp"

// An operator is the root of a term.
type operator uint8

const (
	opEmpty   operator = iota
	opArrow            // n is the arrow
	opReceive          // of arrow n, that was sent as message m of the trace
	opNote             // n is the note
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
	lanes uint64 // lifelines that take part
	noted uint64 // lifelines with notes; with vertical, the page has all of them
	past  uint64 // lifelines where something has happened in it
	busy  bool   // something may happen in it

	optional bool // it may be nothing, notes aside
}

// A head tells terms apart.
type head struct {
	op   operator
	l, r *node
	n, m int32
}

// A table has all terms. Its functions simplify: the empty term vanishes from sequences and pars, and so do
// rounds beside a loop that stands for them.
type table struct {
	scenario *Scenario
	asserted func(note int32) bool // it asserts something, and is not for people
	page     uint64                // with vertical, a lifeline for the page, on which everything is
	known    map[head]*node
	empty    *node
}

// lanes returns the lifelines that order what is on one.
func (t *table) lanes(lifeline int) uint64 { return 1<<lifeline | t.page }

// node returns the term of a head, the same one for equal heads.
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
		n.past = t.lanes(a.From) // its send
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

// seq returns a sequence. It is nil, for no scenario, if a part of it is.
func (t *table) seq(l, r *node) *node {
	switch {
	case l == nil || r == nil:
		return nil
	case l == t.empty:
		return r
	case r == t.empty:
		return l
	case l.op == opSeq: // to the right, so that equal rests are equal terms
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

// absorbs reports whether a term stands for itself with another one right before or after it: a loop does
// for itself, and for a round that may be nothing. So rounds of a loop that some lifeline is not part of do
// not pile up.
func (n *node) absorbs(beside *node) bool {
	return n.op == opLoop && (beside == n || beside == n.l && n.l.optional)
}

// parts lists the arrows, receives and notes of a term that have not been seen, from the top of the page.
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

// loop returns any number of rounds. If a round is nil, there are none.
func (t *table) loop(round *node) *node {
	if round == nil || round == t.empty {
		return t.empty
	}
	return t.node(head{op: opLoop, l: round})
}

// done returns the leaf of an occurrence, for comparison with those right after it.
func (t *table) done(i int32, lane int) *node {
	return t.node(head{op: opDone, n: int32(lane), m: i})
}

// trim leaves out the occurrences that nothing will be compared with: on their lifeline, nothing more may
// come, or something else has happened since. Behind the term something may come on the lifelines of
// after. The result has the lifelines where something may come in the term or behind it.
//
// Example: x and y have happened on lifeline A, one after the other, and z is next. Then x is left out,
// for z is only compared with y. If z is on lifeline B, both are.
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
