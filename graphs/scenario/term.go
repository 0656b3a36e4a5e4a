package scenario

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
	opLoop             // l, n times, any number of times for -1
	opDone             // occurrence m of the trace, which has happened on lifeline n
)

// A node is a term. Equal terms are one node, so comparing them takes time O(1), and a state of the
// search is a cut and a number.
type node struct {
	head
	id    int32
	lanes uint64 // lifelines that take part
	noted uint64 // lifelines with notes
	past  uint64 // lifelines where something has happened in it, or all of the page with strict
	most  int    // arrows and receives on a way through it, loops of any number aside
	ends  bool   // it may be over
	quiet bool   // it may be over, but for notes
	busy  bool   // something may happen in it
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
	strict   bool // one after the other on the page, not only on each lifeline
	known    map[head]*node
	empty    *node
	round    int // the greatest most of a round of a loop of any number
}

// manySteps is as good as any larger number of arrows: most does not exceed it.
const manySteps = 1 << 20

func newTable(s *Scenario, strict bool) *table {
	t := &table{scenario: s, strict: strict, known: make(map[head]*node)}
	t.empty = t.node(head{op: opEmpty})
	return t
}

// node returns the term of a head, the same one for equal heads.
func (t *table) node(h head) *node {
	if n := t.known[h]; n != nil {
		return n
	}
	n := &node{head: h, id: int32(len(t.known))}
	for _, sub := range []*node{h.l, h.r} {
		if sub != nil {
			n.lanes |= sub.lanes
			n.noted |= sub.noted
			n.past |= sub.past
			n.busy = n.busy || sub.busy
		}
	}
	switch h.op {
	case opEmpty:
		n.ends, n.quiet = true, true
	case opArrow:
		a := t.scenario.Arrows[h.n]
		n.busy, n.most = true, 1
		n.lanes = bit(a.From)
		if a.Kind == Message {
			n.lanes |= bit(a.To)
		}
	case opReceive:
		n.busy, n.most = true, 1
		n.lanes = bit(t.scenario.Arrows[h.n].To)
		n.past = t.page(bit(t.scenario.Arrows[h.n].From)) // its send
	case opDone:
		n.ends, n.quiet = true, true
		n.past = t.page(bit(int(h.n)))
	case opNote:
		n.lanes = bit(t.scenario.Notes[h.n].Lifeline)
		n.noted, n.quiet = n.lanes, true
	case opAlt:
		n.ends, n.quiet = h.l.ends || h.r.ends, h.l.quiet || h.r.quiet
		n.most = max(h.l.most, h.r.most)
	case opSeq, opPar:
		n.ends, n.quiet = h.l.ends && h.r.ends, h.l.quiet && h.r.quiet
		n.most = min(h.l.most+h.r.most, manySteps)
	case opLoop:
		n.ends, n.quiet = h.n < 0 || h.l.ends, h.n < 0 || h.l.quiet
		n.most = min(max(0, int(h.n))*h.l.most, manySteps)
		if h.n < 0 {
			t.round = max(t.round, h.l.most)
		}
	}
	t.known[h] = n
	return n
}

func (t *table) atom(op operator, n int32) *node { return t.node(head{op: op, n: n}) }

// page returns the lifelines that something of some lifelines orders: with strict, all of the page.
func (t *table) page(lanes uint64) uint64 {
	if t.strict && lanes != 0 {
		return ^uint64(0)
	}
	return lanes
}

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
	next := r
	if r.op == opSeq {
		next = r.l
	}
	switch {
	case next.absorbs(l):
		return r
	case r.op == opSeq && l.absorbs(next):
		return t.seq(l, r.r)
	case l.absorbs(r):
		return l
	}
	return t.node(head{op: opSeq, l: l, r: r})
}

// absorbs reports whether a term stands for itself with another one right before or after it: a loop of any
// number of rounds does for itself, and for a round that may be nothing. So rounds of a loop that some
// lifeline is not part of do not pile up.
func (n *node) absorbs(beside *node) bool {
	return n.op == opLoop && n.n < 0 && (beside == n || beside == n.l && n.l.ends)
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

// alt returns a choice; nil is what cannot be chosen.
func (t *table) alt(l, r *node) *node {
	switch {
	case l == nil || l == r:
		return r
	case r == nil:
		return l
	}
	return t.node(head{op: opAlt, l: l, r: r})
}

func (t *table) loop(round *node, times int32) *node {
	switch {
	case round == t.empty || times == 0:
		return t.empty
	case times == 1:
		return round
	}
	return t.node(head{op: opLoop, l: round, n: times})
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
		return t.par(l, r), one&two | t.page(n.lanes)
	}
	return n, after | t.page(n.lanes)
}

// bare returns a term without leaves of occurrences. Choices and loops have none, as they have not begun.
func (t *table) bare(n *node) *node {
	switch {
	case n.past == 0:
		return n
	case n.op == opDone:
		return t.empty
	case n.op == opSeq:
		return t.seq(t.bare(n.l), t.bare(n.r))
	case n.op == opPar:
		return t.par(t.bare(n.l), t.bare(n.r))
	}
	return n
}

// without prunes a term to the scenarios without a lifeline, nil if there are none. It takes time linear
// in the size of the term.
//
// Example: without A, "A->>B or C->>D" is C->>D, a loop of A->>B any number of times is empty, and one
// of three times is nil.
func (t *table) without(n *node, lane uint64) *node {
	if n.lanes&lane == 0 {
		return n
	}
	switch n.op {
	case opAlt:
		return t.alt(t.without(n.l, lane), t.without(n.r, lane))
	case opSeq:
		return t.seq(t.without(n.l, lane), t.without(n.r, lane))
	case opPar:
		return t.par(t.without(n.l, lane), t.without(n.r, lane))
	case opLoop:
		round := t.without(n.l, lane)
		if round != nil {
			return t.loop(round, n.n)
		}
		if n.n < 0 {
			return t.empty
		}
	}
	return nil
}
