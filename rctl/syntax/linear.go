package syntax

import (
	"math"
	"slices"
)

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

// plus returns the sum. It is not ok if whole numbers overflow, or if one is not exact as
// the float it is added as.
func (k number) plus(l number) (number, bool) {
	if !k.float && !l.float {
		sum := k.i + l.i
		return number{i: sum}, (sum > k.i) == (l.i > 0)
	}
	x, ok := k.asFloat()
	y, ok2 := l.asFloat()
	return number{x: x + y, float: true}, ok && ok2
}

// times returns the product, with the conditions of plus.
func (k number) times(l number) (number, bool) {
	if !k.float && !l.float {
		if k.i == 0 || l.i == 0 {
			return number{}, true
		}
		product := k.i * l.i
		return number{i: product}, product/l.i == k.i && (l.i != -1 || k.i != math.MinInt64)
	}
	x, ok := k.asFloat()
	y, ok2 := l.asFloat()
	// rounded before it is added
	return number{x: float64(x * y), float: true}, ok && ok2
}

// negated returns the opposite. The least int64 has none.
func (k number) negated() (number, bool) { return k.times(number{i: -1}) }

// A linear is a sum of variables, channels, and least and greatest values, with whole factors, none of
// them 0, and a constant.
type linear struct {
	terms    []linearTerm
	constant number
}

// A linearTerm is a multiple of something that is not taken apart any further.
type linearTerm struct {
	of     *Expr // ExprVar, ExprTransit, ExprMin or ExprMax
	factor int64
}

// leftMinusRight returns the left side of a comparison minus its right side. It is not ok
// where they have a term several times, such as z in x + z <= y + z, even if it cancels:
// the sides may be rounded.
func leftMinusRight(e *Expr) (linear, bool) {
	l, ok := linearOf(&Expr{Op: ExprSub, Args: e.Args})
	return l, ok && len(l.terms) == countTerms(e)
}

// countTerms returns how many times e has a variable, a channel or an aggregate.
func countTerms(e *Expr) int {
	if e.Op == ExprVar || e.Op == ExprTransit || e.Op.IsAggregate() {
		return 1
	}
	n := 0
	for _, arg := range e.Args {
		n += countTerms(arg)
	}
	return n
}

// linearOf returns e as a linear. It is not ok where e is something else, or where its
// numbers do not fit.
func linearOf(e *Expr) (linear, bool) {
	switch e.Op {
	case ExprNumber:
		return linear{constant: number{e.Int, e.Float, e.IsFloat}}, true
	case ExprVar, ExprTransit, ExprMin, ExprMax:
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
	if ok && e.Op == ExprSub {
		r, ok = r.times(-1)
	}
	switch {
	case !ok:
		return linear{}, false
	case e.Op != ExprMul:
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

// largestConstant keeps the sum of a whole constant and a term, neither of them larger,
// within 64 bits: it is exact.
const largestConstant = 1 << 61

// plus returns the sum, without terms that cancel. It is not ok if a number overflows.
func (l linear) plus(r linear) (linear, bool) {
	constant, ok := l.constant.plus(r.constant)
	if !ok || constant.i > largestConstant || constant.i < -largestConstant {
		return linear{}, false
	}
	sum := linear{constant: constant}
	sum.terms = append(sum.terms, l.terms...)
	for _, t := range r.terms {
		i := slices.IndexFunc(sum.terms, func(s linearTerm) bool { return sameTerm(s.of, t.of) })
		if i < 0 {
			sum.terms = append(sum.terms, t)
			continue
		}
		factor, ok := number{i: sum.terms[i].factor}.plus(number{i: t.factor})
		if !ok {
			return linear{}, false
		}
		if sum.terms[i].factor = factor.i; factor.i == 0 {
			sum.terms = slices.Delete(sum.terms, i, i+1)
		}
	}

	return sum, true
}

// times returns a multiple. A factor of 0 leaves the constant 0.
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

// sameTerm reports whether two variables, channels or aggregates are the same.
func sameTerm(a, b *Expr) bool {
	if a.Op == ExprVar && b.Op == ExprVar { // one of them may be written without its process
		return a.Text == b.Text && chainOfVar(a) == chainOfVar(b)
	}
	return a.Equal(b)
}
