package syntax

import "math"

// inverse maps each relational operator to its negation.
var inverse = [...]Relop{Less: GreaterEqual, LessEqual: Greater, Equal: NotEqual, NotEqual: Equal, GreaterEqual: Less, Greater: LessEqual}

// Invert returns the negation of a comparison with one relational operator:
// x > 1 for x <= 1. It is not ok for any other expression.
func Invert(e *Expr) (*Expr, bool) {
	if e.Op != ExprCompare || len(e.Rel) != 1 {
		return nil, false
	}
	g := new(*e)
	g.Rel = []Relop{inverse[e.Rel[0]]}
	return g, true
}

// Split returns comparisons with one relational operator each that together
// are the comparison e: 0 <= x and x <= y for 0 <= x <= y. An == that
// would be a difference of two variables were it an inequality becomes two
// inequalities. Any other
// expression is returned as it is.
func Split(e *Expr) []*Expr {
	if e.Op != ExprCompare {
		return []*Expr{e}
	}
	var parts []*Expr
	for _, part := range neighbours(e) {
		if part.Rel[0] == Equal && calculates(part) {
			atMost, atLeast := new(*part), new(*part)
			atMost.Rel, atLeast.Rel = []Relop{LessEqual}, []Relop{GreaterEqual}
			if _, ok := differenceOf(atMost); ok {
				parts = append(parts, atMost, atLeast)
				continue
			}
		}
		parts = append(parts, part)
	}
	return parts
}

// neighbours returns the comparisons of neighbouring sides that together are the
// comparison e.
func neighbours(e *Expr) []*Expr {
	if len(e.Rel) == 1 {
		return []*Expr{e}
	}
	parts := make([]*Expr, len(e.Rel))
	for i := range parts {
		parts[i] = new(*e)
		parts[i].Args, parts[i].Rel = e.Args[i:i+2:i+2], e.Rel[i:i+1:i+1]
	}
	return parts
}

// calculates reports whether the two sides of e are known to be numbers.
func calculates(e *Expr) bool {
	for _, arg := range e.Args {
		if arg.Type == NumberType || arg.Type == UnknownType && arg.Op != ExprVar && arg.Op != ExprString && arg.Op != ExprBool {
			return true
		}
	}
	return false
}

// A difference says that x - y <= bound, or x - y < bound where it is strict, of two
// variables of different processes. It is regular if neither ever decreases.
type difference struct {
	x, y, bound *Expr // bound is an ExprNumber
	strict      bool
}

// differenceOf understands comparisons such as x@P - y@Q <= 3, x@P <= y@Q + 3 and
// y@Q + 3 >= x@P. Before Resolve, variables with different owners as written and bare
// variables with different names count as variables of different processes.
//
// The bound is exact for whole numbers. With floats, e itself may round
// differently.
func differenceOf(e *Expr) (difference, bool) {
	if e.Op != ExprCompare || len(e.Rel) != 1 {
		return difference{}, false
	}
	d, ok := leftMinusRight(e)
	if !ok || len(d.terms) != 2 || max(d.terms[0].factor, d.terms[1].factor) != 1 || min(d.terms[0].factor, d.terms[1].factor) != -1 {
		return difference{}, false
	}
	rel := e.Rel[0]
	if rel == Greater || rel == GreaterEqual {
		if d, ok = d.times(-1); !ok {
			return difference{}, false
		}
		rel = rel.Mirrored()
	}
	x, y := d.terms[0].of, d.terms[1].of
	if d.terms[0].factor < 0 {
		x, y = y, x
	}
	if rel != Less && rel != LessEqual || x.Op != ExprVar || y.Op != ExprVar {
		return difference{}, false
	}
	p, q := chainOfVar(x), chainOfVar(y)
	k, ok := d.constant.negated()
	if !ok || p == q || p.owner == Shared || q.owner == Shared {
		return difference{}, false
	}
	bound := &Expr{Op: ExprNumber, Int: k.i, Float: k.x, IsFloat: k.float, Type: NumberType, Owner: Unresolved, Pos: e.Pos}
	return difference{x, y, bound, rel == Less}, true
}

// A ChannelBound says that at least AtLeast and at most AtMost messages are in
// transit from one process to another.
type ChannelBound struct {
	From, To     Name
	FromID, ToID int   // as set by Resolve
	AtLeast      int64 // 0 when there is no lower bound
	AtMost       int64 // NoBound when there is no upper bound; negative when no number is small enough
}

// A Regular says why a comparison is a regular predicate: it is of one chain where
// Channel and X are nil.
type Regular struct {
	Channel *ChannelBound // it bounds the messages of a channel
	X, Y    *Expr         // it bounds the difference of two variables that never decrease
}

// RegularPart tells why a comparison with one relational operator, as Split returns
// them, is regular. It is not ok where it is not. never tells whether a variable
// never decreases; a nil never says so of all.
func RegularPart(part *Expr, never func(variable *Expr) bool) (r Regular, ok bool) {
	if supportOfExpr(part).count < several {
		return Regular{}, true
	}
	if b, ok := transitBound(part); ok {
		return Regular{Channel: &b}, true
	}
	d, ok := differenceOf(part)
	return Regular{X: d.x, Y: d.y}, ok && (never == nil || never(d.x) && never(d.y))
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
	for i, part := range neighbours(e) {
		rel := part.Rel[0]
		d, ok := leftMinusRight(part)
		if !ok || len(d.terms) != 1 || d.terms[0].of.Op != ExprTransit {
			return ChannelBound{}, false
		}
		channel := d.terms[0].of
		switch {
		case i == 0:
			b.From, b.To, b.FromID, b.ToID = channel.From, channel.To, channel.FromID, channel.ToID
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
	switch rel {
	case LessEqual:
		b.AtMost = min(b.AtMost, max(low, -1))
	case Less:
		b.AtMost = min(b.AtMost, max(high-1, -1))
	case GreaterEqual:
		b.AtLeast = max(b.AtLeast, high)
	case Greater:
		b.AtLeast = max(b.AtLeast, low+1)
	case Equal:
		b.AtMost = min(b.AtMost, max(low, -1))
		b.AtLeast = max(b.AtLeast, high)
	default:
		return false
	}
	return true
}

// A number is an exact int64 or a float64.
type number struct {
	i     int64
	x     float64
	float bool
}

// asFloat returns k as a float, if it is one exactly.
func (k number) asFloat() (float64, bool) {
	if k.float {
		return k.x, true
	}
	x := float64(k.i)
	return x, k.i > -1<<53 && k.i < 1<<53
}

func (k number) plus(l number) (number, bool) {
	if !k.float && !l.float {
		sum := k.i + l.i
		return number{i: sum}, (sum > k.i) == (l.i > 0)
	}
	x, ok := k.asFloat()
	y, ok2 := l.asFloat()
	return number{x: x + y, float: true}, ok && ok2
}

func (k number) times(l number) (number, bool) {
	if !k.float && !l.float {
		if k.i == 0 || l.i == 0 {
			return number{}, true
		}
		product := k.i * l.i
		return number{i: product}, product/l.i == k.i && !(k.i == -1 && l.i == math.MinInt64) && !(l.i == -1 && k.i == math.MinInt64)
	}
	x, ok := k.asFloat()
	y, ok2 := l.asFloat()
	return number{x: x * y, float: true}, ok && ok2
}

func (k number) negated() (number, bool) { return k.times(number{i: -1}) }

// A linear is a sum of variables and channels with whole factors, none of
// them 0, and a constant.
type linear struct {
	terms    []linearTerm
	constant number
}

type linearTerm struct {
	of     *Expr // ExprVar or ExprTransit
	factor int64
}

// leftMinusRight returns the left side of a comparison minus its right side.
func leftMinusRight(e *Expr) (linear, bool) {
	left, ok := linearOf(e.Args[0])
	if !ok {
		return linear{}, false
	}
	right, ok := linearOf(e.Args[1])
	if ok {
		right, ok = right.times(-1)
	}
	if !ok {
		return linear{}, false
	}
	return left.plus(right)
}

// linearOf returns e as a linear. It is not ok where e is something else, or where its
// numbers do not fit.
func linearOf(e *Expr) (linear, bool) {
	switch e.Op {
	case ExprNumber:
		return linear{constant: number{e.Int, e.Float, e.IsFloat}}, true
	case ExprVar, ExprTransit:
		return linear{terms: []linearTerm{{e, 1}}}, true
	case ExprNeg, ExprAdd, ExprSub, ExprMul:
	default:
		return linear{}, false
	}
	l, ok := linearOf(e.Args[0])
	if !ok {
		return linear{}, false
	}
	if e.Op == ExprNeg {
		return l.times(-1)
	}
	r, ok := linearOf(e.Args[1])
	if !ok {
		return linear{}, false
	}
	switch {
	case e.Op == ExprSub:
		if r, ok = r.times(-1); !ok {
			return linear{}, false
		}
		return l.plus(r)
	case e.Op == ExprAdd:
		return l.plus(r)
	case len(l.terms) == 0 && len(r.terms) == 0:
		k, ok := l.constant.times(r.constant)
		return linear{constant: k}, ok
	case len(l.terms) == 0 && !l.constant.float:
		return r.times(l.constant.i)
	case len(r.terms) == 0 && !r.constant.float:
		return l.times(r.constant.i)
	}
	return linear{}, false
}

func (l linear) plus(r linear) (linear, bool) {
	constant, ok := l.constant.plus(r.constant)
	if !ok {
		return linear{}, false
	}
	sum := linear{constant: constant}
	sum.terms = append(sum.terms, l.terms...)
next:
	for _, t := range r.terms {
		for i := range sum.terms {
			if !sameTerm(sum.terms[i].of, t.of) {
				continue
			}
			factor, ok := number{i: sum.terms[i].factor}.plus(number{i: t.factor})
			if !ok {
				return linear{}, false
			}
			sum.terms[i].factor = factor.i
			if factor.i == 0 {
				sum.terms = append(sum.terms[:i], sum.terms[i+1:]...)
			}
			continue next
		}
		sum.terms = append(sum.terms, t)
	}
	return sum, true
}

func (l linear) times(k int64) (linear, bool) {
	constant, ok := l.constant.times(number{i: k})
	if !ok {
		return linear{}, false
	}
	product := linear{constant: constant}
	for _, t := range l.terms {
		factor, ok := number{i: t.factor}.times(number{i: k})
		if !ok {
			return linear{}, false
		}
		if factor.i != 0 {
			product.terms = append(product.terms, linearTerm{t.of, factor.i})
		}
	}
	return product, true
}

// sameTerm reports whether two variables or channels are the same.
func sameTerm(a, b *Expr) bool {
	if a.Op != b.Op {
		return false
	}
	if a.Op == ExprTransit {
		return a.From.Text == b.From.Text && a.To.Text == b.To.Text
	}
	return a.Text == b.Text && chainOfVar(a) == chainOfVar(b)
}
