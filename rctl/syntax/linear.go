package syntax

import "math/big"

// A linear is a sum of variables, channels, and least and greatest values, each added or subtracted once, and a
// constant.
type linear struct {
	terms    []linearTerm
	constant *big.Rat
	// All numbers are whole, and far from the ends of 64 bits: nothing is rounded where they are added.
	exact bool
}

// A linearTerm is something that is added, or subtracted, and not taken apart any further.
type linearTerm struct {
	of         *Expr // ExprVar, ExprTransit, ExprMin or ExprMax
	subtracted bool
}

// leftMinusRight returns the left side of a comparison minus its right side. It is not ok where that is no linear.
func leftMinusRight(e *Expr) (linear, bool) {
	return linearOf(&Expr{Op: ExprSub, Args: e.Args})
}

// linearOf returns e as a linear. It is not ok where e is something else, or has a term several times, such as z in
// x + z - (y + z), even if it cancels: the sums may be rounded.
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

// isSmall reports whether a number is whole, and the sum of two such numbers within 64 bits.
func isSmall(k *big.Rat) bool { return k.IsInt() && k.Num().BitLen() <= 61 }

// negated returns the opposite.
func (l linear) negated() linear {
	opposite := func(t linearTerm) linearTerm { return linearTerm{t.of, !t.subtracted} }
	return linear{Mapped(l.terms, opposite), new(big.Rat).Neg(l.constant), l.exact}
}

// plus returns the sum of two that have no term in common.
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

// times returns the product of two constants, or of 1 or -1 with another.
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

// sameTerm reports whether two variables, channels or aggregates are the same.
func sameTerm(a, b *Expr) bool {
	if a.Op == ExprVar && b.Op == ExprVar { // one of them may be written without its process
		return a.Text == b.Text && chainOfVar(a) == chainOfVar(b)
	}
	return a.Equal(b)
}
