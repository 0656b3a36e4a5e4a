package syntax

import (
	"math"
	"math/big"
)

// This file computes how near a verdict was. The slack of a bound on time is the number of seconds
// by which it is met, negative if it is missed. The slack of p && q is the smaller of the two, that
// of p || q the greater, and that of !p is the negated slack of p. A formula with a positive slack
// holds. Thus a single comparison determines the slack of a formula, and is reported to the user.
//
// Example: let e be answered after 4 s and after 9 s, and f after 7 s alone. Then
//
//	forall e in events(op == "recv"): exists d in events(op == "done" && req == e.req): d.time - e.time <= 5s
//
// has the slacks 1 s and -4 s for e, of which exists takes the greater, 1 s, and the slack -2 s for f.
// The formula fails by 2 s: the slowest answer that matters took 7 s.

// What a margin is about.
const (
	Slowest  = "slowest"
	Fastest  = "fastest"
	Longest  = "longest"
	Shortest = "shortest"
)

// A Margin says how near a bound on time was to the other truth value.
type Margin struct {
	Took
	Rel   Relop
	Bound *big.Rat // in seconds
	What  string   // Slowest, Fastest, Longest or Shortest: which of the bounded durations Took is

	negated bool // whether the formula holds if the bound is not met
}

// of reports whether a time is within the bound.
func (m *Margin) of(took Took) bool {
	switch {
	case took.Below:
		return m.Rel.Relates(-1)
	case took.Seconds == nil:
		return m.Rel.Relates(1)
	}
	return m.Rel.Relates(took.Seconds.Cmp(m.Bound))
}

// Met reports whether the bound is met.
func (m *Margin) Met() bool { return m.of(m.Took) }

// Holds reports whether a formula with this margin holds.
func (m *Margin) Holds() bool { return m.Met() != m.negated }

// before reports whether the slack of m is less than that of n.
func (m *Margin) before(n *Margin) bool {
	if m.Holds() != n.Holds() {
		return n.Holds()
	}
	return m.slack() < n.slack()
}

// slack returns the number of seconds by which the formula holds; it is negative if the formula fails.
func (m *Margin) slack() float64 {
	x := math.Inf(1)
	if m.Seconds != nil {
		x, _ = new(big.Rat).Sub(m.Seconds, m.Bound).Float64()
	}
	if x = math.Abs(x); !m.Holds() {
		x = -x
	}
	return x
}

// MarginOf returns the margin of a resolved formula; nil if other things than bounds on time decide
// it.
func MarginOf(f *Formula) *Margin { return marginOf(f, func(f *Formula) *Formula { return f }) }

// marginOf is MarginOf for a formula whose atoms stand for other formulas.
func marginOf(f *Formula, stands func(atom *Formula) *Formula) *Margin {
	m, _ := slackOf(f, stands)
	return m
}

// slackOf returns the margin of a formula and its truth. The margin is nil for a truth value without
// one, and the truth is open if other things than bounds on time decide it.
func slackOf(f *Formula, stands func(atom *Formula) *Formula) (m *Margin, truth verdict) {
	if f.Op == OpAtom {
		if f = stands(f); f.Op == OpAtom {
			return nil, open
		}
	}
	switch f.Op {
	case OpTrue:
		return f.margin, holds
	case OpFalse:
		return f.margin, fails
	case OpNot:
		m, v := slackOf(f.Sub[0], stands)
		return m.opposite(), -v
	case OpAnd:
		return leastSlack(f.Sub, stands)
	case OpOr: // the negation of a conjunction of negations
		negations := Mapped(f.Sub, func(sub *Formula) *Formula { return New(OpNot, f.Pos, sub) })
		m, v := leastSlack(negations, stands)
		return m.opposite(), -v
	case OpImplies:
		return slackOf(New(OpOr, f.Pos, New(OpNot, f.Pos, f.Sub[0]), f.Sub[1]), stands)
	case OpAG, OpEF, OpAF, OpEG: // bounds have the same truth at all cuts
		return slackOf(f.Sub[0], stands)
	}
	return nil, open
}

// A verdict is the truth of a part, or open if it is not known.
type verdict int

const (
	fails verdict = -1
	open  verdict = 0
	holds verdict = 1
)

// leastSlack returns the margin of a conjunction: the least one of its conjuncts.
func leastSlack(subs []*Formula, stands func(atom *Formula) *Formula) (least *Margin, truth verdict) {
	truth = holds
	certain := false // whether a conjunct without a margin fails
	for _, sub := range subs {
		m, v := slackOf(sub, stands)
		if v == fails || v == open && truth == holds {
			truth = v
		}
		certain = certain || m == nil && v == fails
		if m != nil && (least == nil || m.before(least)) {
			least = m
		}
	}
	// The margin is meaningless if a conjunct without one decides.
	if certain || least != nil && truth == open && least.Holds() {
		return nil, truth
	}
	return least, truth
}

// opposite returns the margin of the negation.
func (m *Margin) opposite() *Margin {
	if m == nil {
		return nil
	}
	n := *m
	n.negated = !m.negated
	return &n
}

// NearestMargin returns the margin of a quantifier over instances with the margins some and other: the
// one with the least slack for forall, and with the greatest for exists. It reports whether that is
// other.
func NearestMargin(op Op, some, other *Margin) (m *Margin, isOther bool) {
	if some == nil || other != nil && other.before(some) == (op == OpForall) {
		return other, other != nil
	}
	return some, false
}
