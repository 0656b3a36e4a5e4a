package syntax

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/abort"
)

// This file compares times of events if clocks are not exact. A difference of two times is then only
// known to lie between two bounds, and a comparison may depend on clocks. All such comparisons get
// the truth value in favour of the formula, or all get the one against it. A formula that holds with
// all against it holds for all readings that the clocks allow, and a formula that fails with all in
// its favour fails for all of them.
//
// Example: let clocks agree within 1 s, e be at 10 s and d at 14 s. The time from e to d is from 3 s to 5 s. So
//
//	d.time - e.time <= 5s    is true
//	d.time - e.time <= 2s    is false
//	d.time - e.time <= 4s    depends on clocks
//
// A formula that is just the third comparison is neither known to hold nor known to fail.

// Comparisons describes how a formula compares times of bound events.
type Comparisons struct {
	// Durations is the sum of the durations written in the formula.
	Durations time.Duration
	// Any says that the formula compares times. Only says in addition that its truth depends only on
	// the assignments of events and on these comparisons: less exact clocks leave more of them
	// open, and change nothing else.
	Any, Only bool
}

// ComparisonsOf returns how f, as written, compares times.
func ComparisonsOf(f *Formula) Comparisons {
	c := Comparisons{Only: Temporal(f) == nil}
	inside := make(map[*Expr]bool) // operators with bounds
	w := &walker{quantifier: func(q *Quantifier) { c.Only = c.Only && q.Data != nil }, expr: func(e *Expr) {
		switch {
		case e.Op.isBounded():
			c.Any = true
			for _, cond := range e.Conds {
				WalkExprs(cond, func(e *Expr) { inside[e] = true })
			}
		case inside[e] && e.Op != ExprNumber: // clocks affect only how long a state lasts, not the state
		case isTime(e):
			c.Any = true
		case e.Op == ExprNumber && e.Text != "":
			nanoseconds, _ := new(big.Rat).Mul(e.Seconds(), big.NewRat(1e9, 1)).Float64()
			c.Durations += time.Duration(min(max(nanoseconds, -nanoseconds)+1, math.MaxInt64/1e6))
		case e.Op == ExprVar, e.Op == ExprTransit, e.Past != nil && e.Op != ExprOf:
			c.Only = false
		}
	}}
	w.formula(f)
	c.Only = c.Only && c.Any
	return c
}

// Constant reports whether f, as written, is obviously true at all cuts or at none: all its
// quantifiers are over data, and its atoms compare their names.
func Constant(f *Formula) bool {
	steps := func(f *Formula) bool { return f.Op.IsTemporal() && (len(f.Sub) > 1 || f.Op == OpEX || f.Op == OpAX) }
	varies := func(e *Expr) bool {
		switch e.Op {
		case ExprNumber, ExprString, ExprBool, ExprNeg, ExprAdd, ExprSub, ExprMul, ExprCompare:
		case ExprBefore, ExprOf, ExprValue, ExprField, ExprOwn, ExprHas:
		default:
			return true
		}
		return false
	}
	return Find(f, steps) == nil && !f.speaks(varies, func(q *Quantifier) bool { return q.Data == nil })
}

// The signs say how the truth of a part affects that of the formula.
const (
	positive = 1  // a true part can only make the formula true
	either   = 0  // a true part can make the formula true or false
	negative = -1 // a true part can only make the formula false
)

// A times is a linear combination of times of events, plus a constant.
type times struct {
	events   map[graphs.Event]*big.Rat // the factor of each event's time; never 0
	constant *big.Rat                  // in seconds
}

// isTime reports whether e is the time of a bound event.
func isTime(e *Expr) bool { return e.Op == ExprOf && e.Text == "time" }

// isOwnTime reports whether e is the time of the event of a condition.
func isOwnTime(e *Expr) bool { return e.Op == ExprOwn && e.Text == "time" }

// ofTimes reports whether an expression reads times of bound events.
func ofTimes(e *Expr) bool { return e.Mentions(isTime) }

// timed resolves a comparison of times, with its margin; it returns nil for any other atom.
func (r *resolver) timed(f *Formula) (g *Formula) {
	if f.Expr.Op != ExprCompare || !ofTimes(f.Expr) {
		return nil
	}
	// Wrong types and absent times are errors, whether or not clocks are exact.
	e := r.expr(f.Expr)
	if e == nil {
		return decided(false, f.Pos)
	}
	err := r.try(func() { g = r.compared(f) })
	switch {
	case err == nil:
		return g
	case r.events.Believed():
		return fold(f.Expr, e, f.Pos) // with exact clocks, all values are known
	}
	panic(abort.Error{Err: err})
}

// compared compares times. If there are two bounds, as in 1s <= d.time - e.time <= 5s, the margin is
// that of the nearer one.
func (r *resolver) compared(f *Formula) *Formula {
	if r.contradicts(f.Expr) {
		return decided(false, f.Pos)
	}
	var all []*Formula
	for i, rel := range f.Expr.Rel {
		difference := &times{events: make(map[graphs.Event]*big.Rat), constant: new(big.Rat)}
		r.addTimes(difference, f.Expr.Args[i], big.NewRat(1, 1))
		r.addTimes(difference, f.Expr.Args[i+1], big.NewRat(-1, 1))
		g := r.related(difference, rel, f)
		if all = append(all, g); g.Op == OpFalse {
			break
		}
	}
	g := decided(all[len(all)-1].Op == OpTrue, f.Pos)
	g.margin, _ = leastSlack(all, func(f *Formula) *Formula { return f })
	return g
}

// contradicts reports whether no number satisfies both bounds of e, as in 5s <= d.time - e.time < 5s.
// Each bound alone may depend on clocks, but both together do not.
func (r *resolver) contradicts(e *Expr) bool {
	if len(e.Rel) != 2 || ofTimes(e.Args[0]) || ofTimes(e.Args[2]) {
		return false
	}
	low, high := r.exactly(e.Args[0]), r.exactly(e.Args[2])
	one, sum := big.NewRat(1, 1), new(big.Rat).Add(low, high)
	middle := sum.Quo(sum, big.NewRat(2, 1))
	// Relations to two constants change only at these. If a number satisfies both relations, so does
	// one of the constants, their mean, or a number next to them.
	for _, x := range []*big.Rat{
		low, high, middle,
		new(big.Rat).Sub(low, one), new(big.Rat).Add(low, one),
		new(big.Rat).Sub(high, one), new(big.Rat).Add(high, one),
	} {
		if e.Rel[0].Relates(low.Cmp(x)) && e.Rel[1].Relates(x.Cmp(high)) {
			return false
		}
	}
	return true
}

// addTimes adds factor times an operand of a comparison.
func (r *resolver) addTimes(x *times, e *Expr, factor *big.Rat) {
	opposite := new(big.Rat).Neg(factor)
	switch {
	case isTime(e):
		event := r.event(e.Event)
		sum := new(big.Rat).Set(factor)
		if old := x.events[event]; old != nil {
			sum.Add(sum, old)
		}
		if x.events[event] = sum; sum.Sign() == 0 {
			delete(x.events, event)
		}
	case e.Op == ExprNeg:
		r.addTimes(x, e.Args[0], opposite)
	case e.Op == ExprAdd:
		r.addTimes(x, e.Args[0], factor)
		r.addTimes(x, e.Args[1], factor)
	case e.Op == ExprSub:
		r.addTimes(x, e.Args[0], factor)
		r.addTimes(x, e.Args[1], opposite)
	case e.Op == ExprMul:
		i := slices.IndexFunc(e.Args, func(arg *Expr) bool { return !ofTimes(arg) })
		if i < 0 {
			panic(r.untimed(e.Pos, e.String()))
		}
		value := r.exactly(e.Args[i])
		r.addTimes(x, e.Args[1-i], value.Mul(value, factor))
	default:
		value := r.exactly(e)
		x.constant.Add(x.constant, value.Mul(value, factor))
	}
}

// exactly returns the value of an operand without times, and refuses one that is not constant.
func (r *resolver) exactly(e *Expr) *big.Rat {
	value := exact(r.expr(e))
	if value == nil {
		panic(r.untimed(e.Pos, e.String()))
	}
	return new(big.Rat).Set(value)
}

// untimed returns the error for a comparison that is not about one difference of times.
func (r *resolver) untimed(pos int, text string) abort.Error {
	return r.errorf(pos, "as in d.time - e.time <= 5s",
		"where clocks are not believed, one difference of two times is compared with a constant, and %s is none", clip(text))
}

// related decides difference rel 0.
func (r *resolver) related(difference *times, rel Relop, f *Formula) *Formula {
	if m, span := difference.margin(rel, r.events); m != nil {
		return r.judge(m, span, f)
	}
	least, most, ok := difference.bounds(r.events)
	if !ok {
		panic(r.untimed(f.Pos, f.Expr.String()))
	}
	sure, holds := surely(least, rel, most)
	if !sure {
		holds = r.open(f)
	}
	return decided(holds, f.Pos)
}

// open decides an atom that depends on clocks. It refuses an atom whose sign is either.
func (r *resolver) open(f *Formula) bool {
	if r.sign == either {
		panic(r.errorf(f.Pos, "write a <-> b as (a -> b) && (b -> a)",
			"%s depends on clocks, and it can make the formula both true and false", f.Expr))
	}
	return r.events.Open(r.sign == positive)
}

// margin returns the margin of x rel 0, without its Took, and the span from one event to the other.
// The margin is nil unless x is a bounded difference of two times.
func (x *times) margin(rel Relop, known Events) (*Margin, Span) {
	events := slices.Sorted(maps.Keys(x.events))
	if len(events) != 2 || rel == Equal || rel == NotEqual || new(big.Rat).Add(x.events[events[0]], x.events[events[1]]).Sign() != 0 {
		return nil, Span{}
	}
	// x rel 0 is factor · (to - from) + constant rel 0, hence to - from rel bound.
	from, to := events[0], events[1]
	factor := x.events[to]
	bound := new(big.Rat).Neg(new(big.Rat).Quo(x.constant, factor))
	if factor.Sign() < 0 {
		rel = rel.Mirrored()
	}
	// The bound is shown as 5 s after, not as -5 s before.
	if bound.Sign() < 0 || bound.Sign() == 0 && (rel == Greater || rel == GreaterEqual) {
		from, to = to, from
		bound.Neg(bound)
		rel = rel.Mirrored()
	}
	m := &Margin{Rel: rel, Bound: bound, What: Slowest}
	if rel == Greater || rel == GreaterEqual {
		m.What = Fastest
	}
	return m, known.Between(from, to)
}

// bounds returns the least and the largest value; nil means unbounded. If clocks are not exact, it
// returns false for more than a multiple of one time, or of one difference of two times.
func (x *times) bounds(known Events) (least, most *big.Rat, ok bool) {
	if known.Believed() {
		sum := new(big.Rat).Set(x.constant)
		for event, factor := range x.events {
			at, ok, err := known.Time(event)
			if !ok || err != nil {
				return nil, nil, false
			}
			sum.Add(sum, at.Mul(at, factor))
		}
		return sum, sum, true
	}
	var factor *big.Rat
	events := slices.Collect(maps.Keys(x.events))
	switch len(events) {
	case 0:
		return x.constant, x.constant, true
	case 1:
		factor = x.events[events[0]]
		least, most = known.Window(events[0])
	case 2:
		factor = x.events[events[1]]
		if new(big.Rat).Add(factor, x.events[events[0]]).Sign() != 0 {
			return nil, nil, false
		}
		span := known.Between(events[0], events[1])
		least, most = span.Least.Seconds, span.Most.Seconds
	default:
		return nil, nil, false
	}
	scaled := func(bound *big.Rat) *big.Rat {
		if bound == nil {
			return nil
		}
		bound = new(big.Rat).Mul(bound, factor)
		return bound.Add(bound, x.constant)
	}
	least, most = scaled(least), scaled(most)
	if factor.Sign() < 0 {
		least, most = most, least
	}
	return least, most, true
}

// surely decides x rel 0 for all x from least to most, where nil means no bound. sure is false if some
// x satisfy the relation and others do not.
func surely(least *big.Rat, rel Relop, most *big.Rat) (sure, holds bool) {
	// The relation depends only on the sign of x, and x has every sign between those of its bounds.
	low, high := -1, 1
	if least != nil {
		low = least.Sign()
	}
	if most != nil {
		high = most.Sign()
	}
	holds = rel.Relates(low)
	for sign := low; sign <= high; sign++ {
		if rel.Relates(sign) != holds {
			return false, false
		}
	}
	return true, holds
}

// sign returns how the truth of an operand affects that of the operator's formula.
func (op Op) sign(operand int) int {
	switch {
	case op == OpNot, op == OpImplies && operand == 0:
		return negative
	case op == OpIff:
		return either
	}
	return positive
}

// noTimes refuses a condition about the time of its event if clocks are not exact, because clocks
// would determine which events satisfy it.
func (r *resolver) noTimes(e *Expr) {
	if r.events.Believed() {
		return
	}
	at := -1
	WalkExpr(e, func(e *Expr) {
		if isOwnTime(e) {
			at = e.Pos
		}
	})
	if at >= 0 {
		panic(r.errorf(at, "compare times outside of the condition: exists d in events(…): d.time - e.time <= 5s",
			"where clocks are not believed, a condition cannot speak of @time: %s", e))
	}
}
