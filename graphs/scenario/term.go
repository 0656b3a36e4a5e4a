package scenario

import (
	"cmp"
)

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
	opAfter            // l, after occurrence m of the trace: on lifeline n, or on all for -1
)

// A node is a term. Equal terms are one node, so comparing them takes time O(1), and a state of the
// search is a cut and a number.
type node struct {
	head
	id    int32
	lanes uint64 // lifelines that take part
	noted uint64 // lifelines with notes
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

// A mark on a term orders the term after an occurrence of the trace: on one lifeline, or on all for -1.
// A match inside the term checks its marks against happened-before.
type mark struct{ lane, occurrence int32 }

// A table has all terms. Its functions simplify: the empty term vanishes from sequences and pars.
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

// node returns the term of a head.
func (t *table) node(h head) *node {
	if n := t.known[h]; n != nil {
		return n
	}
	n := &node{head: h, id: int32(len(t.known))}
	for _, sub := range []*node{h.l, h.r} {
		if sub != nil {
			n.lanes |= sub.lanes
			n.noted |= sub.noted
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
	case opAfter:
		n.ends, n.quiet = h.l.ends, h.l.quiet
		n.most = h.l.most
	}
	t.known[h] = n
	return n
}

func (t *table) atom(op operator, n int32) *node { return t.node(head{op: op, n: n}) }

func (t *table) receive(arrow, message int32) *node {
	return t.node(head{op: opReceive, n: arrow, m: message})
}

func (t *table) seq(l, r *node) *node {
	switch {
	case l == t.empty:
		return r
	case r == t.empty:
		return l
	case l.op == opSeq: // to the right, so that equal rests are equal terms
		return t.seq(l.l, t.seq(l.r, r))
	}
	return t.node(head{op: opSeq, l: l, r: r})
}

func (t *table) par(l, r *node) *node {
	switch {
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

// after puts a mark on a term, beside its own, if it has the lifeline. The least is the outermost, so
// that equal terms are one node.
func (t *table) after(m mark, n *node) *node {
	if n.lanes == 0 || m.lane >= 0 && n.lanes&bit(int(m.lane)) == 0 {
		return n
	}
	if n.op == opAfter {
		switch own := n.mark(); cmp.Or(cmp.Compare(own.lane, m.lane), cmp.Compare(own.occurrence, m.occurrence)) {
		case 0:
			return n
		case -1:
			return t.node(head{op: opAfter, l: t.after(m, n.l), n: n.n, m: n.m})
		}
	}
	return t.node(head{op: opAfter, l: n, n: m.lane, m: m.occurrence})
}

// mark is that of an opAfter.
func (n *node) mark() mark { return mark{n.n, n.m} }

// marks lists the marks on a term.
func (n *node) marks() (all []mark) {
	for ; n.op == opAfter; n = n.l {
		all = append(all, n.mark())
	}
	return all
}

// bare returns a term without marks.
func (t *table) bare(n *node) *node {
	switch n.op {
	case opAfter:
		return t.bare(n.l)
	case opSeq:
		return t.seq(t.bare(n.l), t.bare(n.r))
	case opPar:
		return t.par(t.bare(n.l), t.bare(n.r))
	}
	return n // choices and loops have not begun, so nothing in them is marked
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
	case opSeq, opPar:
		l, r := t.without(n.l, lane), t.without(n.r, lane)
		if l == nil || r == nil {
			return nil
		}
		if n.op == opSeq {
			return t.seq(l, r)
		}
		return t.par(l, r)
	case opLoop:
		round := t.without(n.l, lane)
		if round != nil {
			return t.loop(round, n.n)
		}
		if n.n < 0 {
			return t.empty
		}
	case opAfter:
		if l := t.without(n.l, lane); l != nil {
			return t.after(n.mark(), l)
		}
	}
	return nil
}
