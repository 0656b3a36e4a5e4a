package ist

import (
	"math"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// A term is a part of a formula without temporal operators, over terms of smaller
// numbers. Each is an operand of one other at most.
type term struct {
	op    op
	args  []int32
	minus bool           // of a sum: the last of args is subtracted
	rel   []syntax.Relop // of a comparison
	leaf  *leaf
	value int32 // of a constant: its number

	// Where exact, the value is a whole number between lo and hi, or a truth value
	// (0 or 1), and sums and products may be computed in any order without rounding.
	exact  bool
	lo, hi int64

	values int // at most; maxStates where that is not known
	states int // that its evaluation can be in between two processes, at most
}

type op uint8

const (
	opConstant op = iota
	opLeaf
	opAnd
	opOr
	opSame    // args[0] == args[1], of truth values
	opCompare // args[0] rel[0] args[1] rel[1] …
	opSum     // of numbers; counts where they are truth values
	opProduct
	opMin
	opMax
)

const (
	maxExact  = 1 << 53 // numbers below are exact as float64, too
	maxStates = 1 << 20 // more are not told apart
)

// A builder takes a formula apart down to the parts of single chains.
type builder struct {
	space  *space
	terms  []term
	breaks [][]int32 // by variable: its values at which leaves change

	values  []graphs.Value
	valueNo map[graphs.Value]int32
	err     error // *atoms.ValuesError
}

// number returns the number of a value.
func (b *builder) number(x graphs.Value) int32 {
	n, ok := b.valueNo[x]
	if !ok {
		n = int32(len(b.values))
		b.values = append(b.values, x)
		b.valueNo[x] = n
	}
	return n
}

// add adds a term and returns its number. Operands are added before: they have smaller
// numbers.
func (b *builder) add(t term) int32 {
	if t.values == 0 {
		t.values = maxStates
		if t.exact {
			t.values = int(min(t.hi-t.lo+1, maxStates))
		}
	}
	b.terms = append(b.terms, t)
	return int32(len(b.terms)) - 1
}

// formula adds the term of a formula and returns its number.
func (b *builder) formula(f *syntax.Formula) int32 {
	if f.Op == syntax.OpAtom {
		return b.expr(f.Expr)
	}
	p, err := atoms.Compile(b.space.comp, f)
	if err != nil {
		b.err = err
		return b.constant(graphs.Value{})
	}
	of := func(env []graphs.Value) graphs.Value { return graphs.Boolean(p.Of(env)) }
	if n, ok := b.column(&atoms.Term{Slots: p.Slots, Of: of}); ok {
		return n
	}
	args := make([]int32, len(f.Sub))
	for i, sub := range f.Sub {
		args[i] = b.formula(sub)
	}
	switch f.Op {
	case syntax.OpNot:
		return b.not(args[0])
	case syntax.OpAnd:
		return b.truth(opAnd, args...)
	case syntax.OpOr:
		return b.truth(opOr, args...)
	case syntax.OpImplies:
		return b.truth(opOr, b.not(args[0]), args[1])
	case syntax.OpIff:
		return b.truth(opSame, args...)
	}
	panic("this cannot happen, because only propositional formulas without quantifiers are taken apart: " + f.String())
}

// expr adds the term of an expression.
func (b *builder) expr(e *syntax.Expr) int32 {
	of, err := atoms.CompileTerm(b.space.comp, e)
	if err != nil {
		b.err = err
		return b.constant(graphs.Value{})
	}
	if n, ok := b.column(of); ok {
		return n
	}
	if e.Op == syntax.ExprTransit { // of two processes: what one has sent, what the other has received
		var args [2]int32
		for i := range of.Slots {
			args[i], _ = b.column(of.Slots[i].Term(b.space.comp))
		}
		return b.sum(true, args[:]...)
	}
	// Several chains decide it: take it apart into its operands.
	var args []int32
	for _, a := range e.Args {
		args = append(args, b.expr(a))
	}
	for _, f := range e.Counted() {
		args = append(args, b.formula(f))
	}
	switch e.Op {
	case syntax.ExprCompare:
		return b.compare(e.Rel, args)
	case syntax.ExprAdd, syntax.ExprSum, syntax.ExprCount:
		return b.sum(false, args...)
	case syntax.ExprSub, syntax.ExprNeg:
		return b.sum(true, args...)
	case syntax.ExprMul:
		return b.multiply(args)
	case syntax.ExprMin:
		return b.extreme(opMin, args)
	case syntax.ExprMax:
		return b.extreme(opMax, args)
	}
	panic("this cannot happen, because an expression of several chains has operands: " + e.String())
}

// column adds the leaf or the constant of what one chain decides, or none. It is
// not ok where there are several.
func (b *builder) column(f *atoms.Term) (n int32, ok bool) {
	if _, ok := f.Chain(); !ok && len(f.Slots) > 0 {
		return 0, false
	}
	k := atoms.Along(f).Between(b.space.comp)
	if len(k.Events) == 0 {
		return b.constant(k.Values[0]), true
	}
	// One chain decides it: its column is a leaf.
	values := make([]int32, len(k.Values))
	for i, x := range k.Values {
		values[i] = b.number(x)
	}
	l := b.newLeaf(k, values)
	distinct := slices.Clone(values)
	slices.Sort(distinct)
	t := term{op: opLeaf, leaf: l, values: len(slices.Compact(distinct)), states: 1}
	t.lo, t.hi, t.exact = rangeOf(k.Values...)
	if len(l.vars) > 1 {
		t.states = len(k.Values) + 1
	}
	return b.add(t), true
}

// constant adds a term that has one value.
func (b *builder) constant(x graphs.Value) int32 {
	t := term{op: opConstant, value: b.number(x), values: 1, states: 1}
	t.lo, t.hi, t.exact = rangeOf(x)
	return b.add(t)
}

// rangeOf returns the least and the greatest of whole numbers or truth values. It
// is not ok if they are not that or too large.
func rangeOf(values ...graphs.Value) (lo, hi int64, ok bool) {
	lo, hi = math.MaxInt64, math.MinInt64
	for _, x := range values {
		switch {
		case x.Kind == graphs.Bool:
			x = count(x)
		case x.Kind != graphs.Number || x.Float:
			return 0, 0, false
		}
		lo, hi = min(lo, x.Int64()), max(hi, x.Int64())
	}
	return lo, hi, lo > -maxExact && hi < maxExact
}

// count returns 1 for true and 0 for false.
func count(truth graphs.Value) graphs.Value {
	if truth.Bool() {
		return graphs.Int(1)
	}
	return graphs.Int(0)
}

// truth adds a term that is true or false.
func (b *builder) truth(op op, args ...int32) int32 {
	return b.add(term{op: op, args: args, hi: 1, exact: true, states: b.product(args)})
}

func (b *builder) not(a int32) int32 {
	return b.truth(opSame, a, b.constant(graphs.Boolean(false)))
}

// product returns how many states the evaluation of all args can have. Known operands
// are put together, the others kept.
func (b *builder) product(args []int32) int {
	n := 1
	for _, a := range args {
		n = min(n*b.terms[a].states, maxStates)
	}
	return n
}

// kept is product for args that all have to be kept until the last one is known.
func (b *builder) kept(args []int32) int {
	n := b.product(args)
	for _, a := range args {
		n = min(n*b.terms[a].values, maxStates)
	}
	return n
}

// exact reports whether all args are exact.
func (b *builder) exact(args []int32) bool {
	return !slices.ContainsFunc(args, func(a int32) bool { return !b.terms[a].exact })
}

// compare adds a comparison. Two exact sides are compared by their difference with 0,
// so that the known parts of both become one number.
func (b *builder) compare(rel []syntax.Relop, args []int32) int32 {
	t := term{op: opCompare, args: args, rel: rel, hi: 1, exact: true, states: b.kept(args)}
	if len(args) == 2 {
		if difference := b.sumOf(true, args); difference.exact {
			t.states = difference.states
			t.args = []int32{b.add(difference), b.constant(graphs.Int(0))}
		}
	}
	return b.add(t)
}

// sum adds the sum of numbers, the last of them subtracted where minus is set, or
// the number of true values.
func (b *builder) sum(minus bool, args ...int32) int32 { return b.add(b.sumOf(minus, args)) }

// sumOf makes the term of a sum. An exact sum needs a state for each partial sum only,
// not for each combination of operands.
func (b *builder) sumOf(minus bool, args []int32) term {
	t := term{op: opSum, args: args, minus: minus, exact: b.exact(args)}
	for i, a := range args {
		lo, hi := b.terms[a].lo, b.terms[a].hi
		if minus && i == len(args)-1 {
			lo, hi = -hi, -lo
		}
		t.lo, t.hi = t.lo+lo, t.hi+hi
		t.exact = t.exact && t.lo > -maxExact && t.hi < maxExact
	}
	t.states = b.kept(args)
	if t.exact {
		t.states = min(int(min(t.hi-t.lo+1, maxStates))*b.product(args), maxStates)
	}
	return t
}

// multiply adds a product of two numbers. It is exact if no corner of the ranges is too
// large.
func (b *builder) multiply(args []int32) int32 {
	t := term{op: opProduct, args: args, states: b.kept(args)}
	if b.exact(args) {
		x, y := &b.terms[args[0]], &b.terms[args[1]]
		most := func(t *term) float64 { return math.Max(math.Abs(float64(t.lo)), math.Abs(float64(t.hi))) }
		if most(x)*most(y) < maxExact {
			corners := []int64{x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi}
			t.exact = true
			t.lo, t.hi = slices.Min(corners), slices.Max(corners)
		}
	}
	return b.add(t)
}

// extreme adds the least or the greatest of numbers.
func (b *builder) extreme(op op, args []int32) int32 {
	t := term{op: op, args: args, exact: b.exact(args), states: b.kept(args)}
	if t.exact {
		better := func(x, y int64) int64 { return max(x, y) }
		if op == opMin {
			better = func(x, y int64) int64 { return min(x, y) }
		}
		t.lo, t.hi = b.terms[args[0]].lo, b.terms[args[0]].hi
		for _, a := range args[1:] {
			t.lo, t.hi = better(t.lo, b.terms[a].lo), better(t.hi, b.terms[a].hi)
		}
		t.states = min(int(min(t.hi-t.lo+2, maxStates))*b.product(args), maxStates)
	}
	return b.add(t)
}
