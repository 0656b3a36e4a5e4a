package syntax

import (
	"math"
	"math/big"
	"slices"
)

// inverse maps each relational operator to its negation.
var inverse = [...]Relop{Less: GreaterEqual, LessEqual: Greater, Equal: NotEqual, NotEqual: Equal, GreaterEqual: Less, Greater: LessEqual}

// Invert returns the negation of a comparison with one relational operator:
// x > 1 for x <= 1. It returns false for any other expression.
func Invert(e *Expr) (*Expr, bool) {
	if !e.ComparesTwo() {
		return nil, false
	}
	return e.comparing(e.Args[0], inverse[e.Rel[0]], e.Args[1]), true
}

// comparing returns the comparison x rel y with the position of e.
func (e *Expr) comparing(x *Expr, rel Relop, y *Expr) *Expr {
	g := new(*e)
	g.Args = []*Expr{x, y}
	g.Rel = []Relop{rel}
	return g
}

// Split returns comparisons with one relational operator each whose conjunction is e:
// 0 <= x and x <= y for 0 <= x <= y. An == that bounds the difference of two variables becomes
// two inequalities. Other expressions are returned unchanged.
func Split(e *Expr) []*Expr {
	if e.Op != ExprCompare {
		return []*Expr{e}
	}
	var parts []*Expr
	for _, part := range Neighbours(e) {
		if part.Rel[0] == Equal && calculates(part) {
			x, y := part.Args[0], part.Args[1]
			atMost := part.comparing(x, LessEqual, y)
			if _, _, ok := differenceOf(atMost); ok {
				parts = append(parts, atMost, part.comparing(x, GreaterEqual, y))
				continue
			}
		}
		parts = append(parts, part)
	}

	return parts
}

// Neighbours returns the comparisons of adjacent sides, whose conjunction is the
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

// differenceOf recognizes comparisons that bound x - y, for variables of different processes:
// x@P - y@Q <= 3, x@P < y@Q + 3 and y@Q + 3 >= x@P. They are regular if neither variable ever
// decreases. Before Resolve, variables with different owners as written, and bare variables with
// different names, count as variables of different processes.
//
// Even with rounding, a false e stays false as x grows or y decreases, because each occurs once.
func differenceOf(e *Expr) (x, y *Expr, ok bool) {
	if !e.ComparesTwo() {
		return nil, nil, false
	}
	d, ok := leftMinusRight(e)
	rel := e.Rel[0]
	if !ok || len(d.terms) != 2 || rel == Equal || rel == NotEqual || d.terms[0].subtracted == d.terms[1].subtracted {
		return nil, nil, false
	}
	x, y = d.terms[0].of, d.terms[1].of
	if d.terms[0].subtracted == rel.Relates(-1) {
		x, y = y, x
	}
	if x.Op != ExprVar || y.Op != ExprVar {
		return nil, nil, false
	}
	p, q := chainOfVar(x), chainOfVar(y)
	return x, y, p != q && p.owner != Shared && q.owner != Shared
}

// A ChannelBound says that at least AtLeast and at most AtMost messages are in
// transit from one process to another.
type ChannelBound struct {
	Channel
	AtLeast int64 // 0 if there is no lower bound
	// NoBound if there is no upper bound; negative if no number is small enough
	AtMost int64
}

// A Regular says why a comparison is a regular predicate. If Channel and X are nil, it is
// about one chain.
type Regular struct {
	Channel *ChannelBound // the bound on the messages of a channel
	// the variables, which never decrease, whose difference is bounded
	X, Y *Expr
}

// RegularPart returns why a part of a comparison, from Split, is regular, and ok = false if
// it is not. rise reports whether x and y never decrease, and whether the comparison part of
// them preserves order; a nil rise stands for always true.
func RegularPart(part *Expr, rise func(part, x, y *Expr) bool) (r Regular, ok bool) {
	if supportOfExpr(part).count < several {
		return Regular{}, true
	}
	if b, ok := transitBound(part); ok {
		return Regular{Channel: &b}, true
	}
	x, y, ok := differenceOf(part)
	return Regular{X: x, Y: y}, ok && (rise == nil || rise(part, x, y))
}

// NoBound is the AtMost of a ChannelBound that has none.
const NoBound = math.MaxInt64

// transitBound recognizes comparisons of one channel with numbers, such as
// transit(P, Q) <= 3, 2 > transit(P, Q) and 1 <= transit(P, Q) + 1 <= 3. If no number
// satisfies e, AtLeast > AtMost.
func transitBound(e *Expr) (ChannelBound, bool) {
	if e.Op != ExprCompare {
		return ChannelBound{}, false
	}
	b := ChannelBound{AtMost: NoBound}
	for i, part := range Neighbours(e) {
		rel := part.Rel[0]
		d, ok := leftMinusRight(part)
		calculated := part.Args[0].Args != nil || part.Args[1].Args != nil // perhaps with rounding
		if !ok || len(d.terms) != 1 || d.terms[0].of.Op != ExprTransit || !d.exact && calculated {
			return ChannelBound{}, false
		}
		channel := d.terms[0].of
		switch {
		case i == 0:
			b.Channel = *channel.Channel
		case b.From.Text != channel.From.Text || b.To.Text != channel.To.Text:
			return ChannelBound{}, false
		}
		k := d.constant
		if d.terms[0].subtracted {
			rel = rel.Mirrored()
		} else {
			k = k.Neg(k)
		}
		if !b.meet(rel, k) {
			return ChannelBound{}, false
		}
	}

	return b, true
}

// meet adds the bound that the number of messages is in relation rel to k. It returns false if
// that is not an interval, or k is too large.
func (b *ChannelBound) meet(rel Relop, k *big.Rat) bool {
	whole := new(big.Int).Div(k.Num(), k.Denom())
	if whole.BitLen() > 62 { // no trace has that many messages
		return false
	}

	// The numbers up to low are at most k, those from high on at least k.
	low := whole.Int64()
	high := low
	if !k.IsInt() {
		high++
	}
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

// A linear is a sum of a constant and of variables, channels, minima and maxima, each added or
// subtracted once.
type linear struct {
	terms    []linearTerm
	constant *big.Rat
	// whether all constants are whole and far from the limits of 64 bits, so that sums are exact
	exact bool
}

// A linearTerm is a term of a sum that is not decomposed further.
type linearTerm struct {
	of         *Expr // an ExprVar, ExprTransit, ExprMin or ExprMax
	subtracted bool
}

// leftMinusRight returns the left side of a comparison minus its right side, and false if the
// difference is not a linear.
func leftMinusRight(e *Expr) (linear, bool) {
	return linearOf(&Expr{Op: ExprSub, Args: e.Args})
}

// linearOf returns e as a linear. It returns false if e is something else, or has a term twice, such
// as z in x + z - (y + z), even if it cancels: the sums may be rounded.
func linearOf(e *Expr) (linear, bool) {
	switch e.Op {
	case ExprNumber:
		k := e.Seconds()
		return linear{constant: k, exact: k != nil && isSmall(k)}, k != nil
	case ExprVar, ExprTransit, ExprMin, ExprMax:
		return linear{[]linearTerm{{of: e}}, new(big.Rat), true}, true
	case ExprNeg, ExprAdd, ExprSub, ExprMul:
	default:
		return linear{}, false
	}
	var args [2]linear
	for i, arg := range e.Args {
		var ok bool
		if args[i], ok = linearOf(arg); !ok {
			return linear{}, false
		}
	}
	l, r := args[0], args[1]
	switch e.Op {
	case ExprNeg:
		return l.negated(), true
	case ExprAdd:
		return l.plus(r)
	case ExprSub:
		return l.plus(r.negated())
	}
	if len(l.terms) > 0 {
		l, r = r, l
	}
	return l.times(r)
}

// isSmall reports whether a number is whole and so small that the sum of two fits into 64 bits.
func isSmall(k *big.Rat) bool { return k.IsInt() && k.Num().BitLen() <= 61 }

// negated returns -l.
func (l linear) negated() linear {
	opposite := func(t linearTerm) linearTerm { return linearTerm{t.of, !t.subtracted} }
	return linear{Mapped(l.terms, opposite), new(big.Rat).Neg(l.constant), l.exact}
}

// plus returns l + r, and false if they have a term in common.
func (l linear) plus(r linear) (linear, bool) {
	for _, s := range l.terms {
		for _, t := range r.terms {
			if sameTerm(s.of, t.of) {
				return linear{}, false
			}
		}
	}
	constant := new(big.Rat).Add(l.constant, r.constant)
	return linear{append(l.terms, r.terms...), constant, l.exact && r.exact && isSmall(constant)}, true
}

// times returns the product of two constants, or of 1 or -1 and any linear; false for others.
func (k linear) times(r linear) (linear, bool) {
	constant := new(big.Rat).Mul(k.constant, r.constant)
	product := linear{constant: constant, exact: k.exact && r.exact && isSmall(constant)}
	if len(r.terms) == 0 {
		return product, len(k.terms) == 0
	}
	if product.terms = r.terms; k.constant.Sign() < 0 {
		product.terms = r.negated().terms
	}
	return product, len(k.terms) == 0 && k.exact && k.constant.Num().BitLen() == 1
}

// sameTerm reports whether two terms are the same variable, channel or aggregate.
func sameTerm(a, b *Expr) bool {
	if a.Op == ExprVar && b.Op == ExprVar { // one of them may be written without its process
		return a.Text == b.Text && chainOfVar(a) == chainOfVar(b)
	}
	return a.Equal(b)
}
