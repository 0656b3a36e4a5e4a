package syntax

import (
	"math"
	"slices"
)

// inverse maps each relational operator to its negation.
var inverse = [...]Relop{Less: GreaterEqual, LessEqual: Greater, Equal: NotEqual, NotEqual: Equal, GreaterEqual: Less, Greater: LessEqual}

// Invert returns the negation of a comparison with one relational operator:
// x > 1 for x <= 1. It is not ok for any other expression.
func Invert(e *Expr) (*Expr, bool) {
	if !e.ComparesTwo() {
		return nil, false
	}
	return e.comparing(e.Args[0], inverse[e.Rel[0]], e.Args[1]), true
}

// comparing returns another comparison at the place of e.
func (e *Expr) comparing(x *Expr, rel Relop, y *Expr) *Expr {
	g := new(*e)
	g.Args = []*Expr{x, y}
	g.Rel = []Relop{rel}
	return g
}

// Split returns comparisons with one relational operator each that together are the comparison
// e: 0 <= x and x <= y for 0 <= x <= y. An == that would be a difference of two variables were
// it an inequality becomes two inequalities. Other expressions are returned unchanged.
func Split(e *Expr) []*Expr {
	if e.Op != ExprCompare {
		return []*Expr{e}
	}
	var parts []*Expr
	for _, part := range Neighbours(e) {
		if part.Rel[0] == Equal && calculates(part) {
			x, y := part.Args[0], part.Args[1]
			atMost := part.comparing(x, LessEqual, y)
			if _, ok := differenceOf(atMost); ok {
				parts = append(parts, atMost, part.comparing(x, GreaterEqual, y))
				continue
			}
		}
		parts = append(parts, part)
	}

	return parts
}

// Neighbours returns the comparisons of neighbouring sides that together are the
// comparison e.
func Neighbours(e *Expr) []*Expr {
	if len(e.Rel) == 1 {
		return []*Expr{e}
	}
	parts := make([]*Expr, len(e.Rel))
	for i := range parts {
		parts[i] = e.comparing(e.Args[i], e.Rel[i], e.Args[i+1])
	}
	return parts
}

// calculates reports whether the two sides of e are known to be numbers.
func calculates(e *Expr) bool {
	return slices.ContainsFunc(e.Args, func(arg *Expr) bool {
		return arg.Type == NumberType || arg.Type == UnknownType && arg.Op != ExprVar && arg.Op != ExprString && arg.Op != ExprBool
	})
}

// A difference bounds x - y, for two variables of different processes: x - y <= bound, or x -
// y < bound if it is strict. It is regular if neither ever decreases.
type difference struct {
	x, y, bound *Expr // bound is an ExprNumber
	strict      bool
}

// differenceOf understands comparisons such as x@P - y@Q <= 3, x@P <= y@Q + 3 and
// y@Q + 3 >= x@P. Before Resolve, variables with different owners as written and bare
// variables with different names count as variables of different processes.
//
// The bound is exact for whole numbers. With floats, e itself may be rounded; unless whole
// numbers are beyond 2^53, it is true for no x greater and no y less than where it is false,
// as each of them occurs once.
func differenceOf(e *Expr) (difference, bool) {
	if !e.ComparesTwo() {
		return difference{}, false
	}
	d, ok := leftMinusRight(e)
	rel := e.Rel[0]
	if ok && (rel == Greater || rel == GreaterEqual) {
		d, ok = d.times(-1)
		rel = rel.Mirrored()
	}
	if !ok || len(d.terms) != 2 || rel != Less && rel != LessEqual {
		return difference{}, false
	}
	x, y := d.terms[0], d.terms[1]
	if x.factor < 0 {
		x, y = y, x
	}
	if x.factor != 1 || y.factor != -1 || x.of.Op != ExprVar || y.of.Op != ExprVar {
		return difference{}, false
	}
	p, q := chainOfVar(x.of), chainOfVar(y.of)
	k, ok := d.constant.negated()
	if !ok || p == q || p.owner == Shared || q.owner == Shared {
		return difference{}, false
	}
	bound := wholeNumber(k.i, e.Pos)
	bound.Float, bound.IsFloat = k.x, k.float
	return difference{x.of, y.of, bound, rel == Less}, true
}

// A ChannelBound says that at least AtLeast and at most AtMost messages are in
// transit from one process to another.
type ChannelBound struct {
	Channel
	AtLeast int64 // 0 when there is no lower bound
	// NoBound when there is no upper bound; negative when no number is small enough
	AtMost int64
}

// A Regular says why a comparison is a regular predicate: it is of one chain where
// Channel and X are nil.
type Regular struct {
	Channel *ChannelBound // it bounds the messages of a channel
	// it bounds the difference of two variables that never decrease
	X, Y *Expr
}

// RegularPart tells why a comparison with one relational operator, as Split returns them, is
// regular. It is not ok for other expressions. rise tells whether two variables never
// decrease, and a comparison of them keeps their order; a nil one says so of all.
func RegularPart(part *Expr, rise func(part, x, y *Expr) bool) (r Regular, ok bool) {
	if supportOfExpr(part).count < several {
		return Regular{}, true
	}
	if b, ok := transitBound(part); ok {
		return Regular{Channel: &b}, true
	}
	d, ok := differenceOf(part)
	return Regular{X: d.x, Y: d.y}, ok && (rise == nil || rise(part, d.x, d.y))
}

// NoBound is the AtMost of a ChannelBound that has none.
const NoBound = math.MaxInt64

// transitBound understands comparisons of one channel with whole numbers, such
// as transit(P, Q) <= 3, 2 > transit(P, Q) and 1 <= transit(P, Q) + 1 <= 3. An
// e that no number satisfies gives AtLeast > AtMost.
func transitBound(e *Expr) (ChannelBound, bool) {
	if e.Op != ExprCompare {
		return ChannelBound{}, false
	}
	b := ChannelBound{AtMost: NoBound}
	for i, part := range Neighbours(e) {
		rel := part.Rel[0]
		d, ok := leftMinusRight(part)
		if !ok || len(d.terms) != 1 || d.terms[0].of.Op != ExprTransit || d.constant.float && !plain(part) {
			return ChannelBound{}, false
		}
		channel := d.terms[0].of
		switch {
		case i == 0:
			b.Channel = *channel.Channel
		case b.From.Text != channel.From.Text || b.To.Text != channel.To.Text:
			return ChannelBound{}, false
		}
		if d.terms[0].factor < 0 {
			rel = rel.Mirrored()
			d, ok = d.times(-1)
		}
		if !ok || d.terms[0].factor != 1 {
			return ChannelBound{}, false
		}
		k, ok := d.constant.negated()
		if !ok || !b.meet(rel, k) {
			return ChannelBound{}, false
		}
	}

	return b, true
}

// plain reports whether the sides of a comparison are not calculated, so that nothing is
// rounded.
func plain(e *Expr) bool { return e.Args[0].Args == nil && e.Args[1].Args == nil }

// meet adds the bound that the number of messages is in relation rel to k.
func (b *ChannelBound) meet(rel Relop, k number) bool {
	const far = 1 << 62 // no trace has that many messages
	low, high := k.i, k.i
	if k.float {
		if math.Abs(k.x) > far {
			return false
		}
		low, high = int64(math.Floor(k.x)), int64(math.Ceil(k.x))
	} else if k.i > far || k.i < -far {
		return false
	}

	// The numbers up to low are at most k, those from high on at least k.
	if !rel.Relates(0) {
		low, high = high-1, low+1
	}
	if !rel.Relates(1) {
		b.AtMost = min(b.AtMost, max(low, -1))
	}
	if !rel.Relates(-1) {
		b.AtLeast = max(b.AtLeast, high)
	}
	return rel != NotEqual
}
