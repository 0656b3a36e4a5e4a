package rctl

import (
	"math"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// A treeTerm is a part of a formula without temporal operators, over parts of
// smaller numbers. Leaves read one chain of events, or one channel.
type treeTerm struct {
	op    termOp
	args  []int32
	rel   []syntax.Relop // of termCompare
	leaf  treeSlot       // of termLeaf
	value graphs.Value   // of termConstant

	// Where exact, the value is a whole number between lo and hi, and sums and
	// products of parts may be taken in any order without a rounding.
	exact  bool
	lo, hi int64
	parts  int // upper bound of the states that reading it can be in between two processes
}

type termOp uint8

const (
	termConstant termOp = iota
	termLeaf
	termNot
	termAnd
	termOr
	termSame    // args[0] == args[1], of truth values
	termCompare // args[0] rel[0] args[1] rel[1] …
	termNegative
	termSum // of numbers; counts where they are truth values
	termProduct
	termMin
	termMax
)

// mostExact bounds numbers that are exact as float64, too.
const mostExact = 1 << 53

// A termBuilder takes formulas apart as far as they are of several chains.
type termBuilder struct {
	space *treeSpace
	terms []treeTerm
	err   error
}

func (b *termBuilder) add(t treeTerm) int32 {
	t.parts = max(t.parts, 1)
	b.terms = append(b.terms, t)
	return int32(len(b.terms)) - 1
}

// formula adds the term of a formula and returns its number.
func (b *termBuilder) formula(f *syntax.Formula) int32 {
	if f.Op == syntax.OpAtom {
		return b.expr(f.Expr)
	}
	k := &compiler{comp: b.space.comp, bySource: make(map[any]int)}
	holds := k.formula(f)
	if n, ok := b.whole(k, func(env []graphs.Value) graphs.Value { return graphs.Boolean(holds(env)) }); ok {
		return n
	}
	args := make([]int32, len(f.Sub))
	for i, sub := range f.Sub {
		args[i] = b.formula(sub)
	}
	switch f.Op {
	case syntax.OpNot:
		return b.truth(termNot, args)
	case syntax.OpAnd:
		return b.truth(termAnd, args)
	case syntax.OpOr:
		return b.truth(termOr, args)
	case syntax.OpImplies:
		return b.truth(termOr, []int32{b.truth(termNot, args[:1]), args[1]})
	case syntax.OpIff:
		return b.truth(termSame, args)
	}
	panic("this cannot happen, because only propositional formulas without quantifiers are taken apart: " + f.String())
}

// whole adds a leaf for what only one chain decides.
func (b *termBuilder) whole(k *compiler, of value) (int32, bool) {
	if k.err != nil {
		b.err = k.err
		return b.add(treeTerm{}), true
	}
	if len(k.slots) == 0 {
		return b.constant(of(nil)), true
	}
	for _, s := range k.slots {
		if s.variable == nil || s.variable.Process != k.slots[0].variable.Process {
			return 0, false
		}
	}
	if k.slots[0].variable.Process != graphs.Shared {
		return b.leaf(newTreeLocal(b.space, k.slots, of)), true
	}
	if len(k.slots) > 1 {
		return 0, false
	}
	return b.leaf(newTreeShared(b.space, k.slots[0].variable, of)), true
}

func (b *termBuilder) constant(x graphs.Value) int32 {
	t := treeTerm{op: termConstant, value: x}
	t.lo, t.hi, t.exact = rangeOf([]graphs.Value{x})
	return b.add(t)
}

func (b *termBuilder) leaf(leaf treeSlot) int32 {
	values := leaf.values()
	if len(leaf.vars()) == 0 {
		read, _ := leaf.read(0, -1, 0, nil, nil)
		return b.constant(values[read])
	}
	t := treeTerm{op: termLeaf, leaf: leaf}
	t.lo, t.hi, t.exact = rangeOf(values)
	if len(leaf.vars()) > 1 {
		t.parts = len(values) + 1
	}
	return b.add(t)
}

// rangeOf returns the least and the greatest of whole numbers or truth values, if
// they are that and not too large.
func rangeOf(values []graphs.Value) (lo, hi int64, ok bool) {
	lo, hi = math.MaxInt64, math.MinInt64
	for _, x := range values {
		n := int64(0)
		switch {
		case x.Kind == graphs.Bool && x.Bool():
			n = 1
		case x.Kind == graphs.Bool:
		case x.Kind != graphs.Number || x.Float:
			return 0, 0, false
		default:
			n = x.Int64()
		}
		lo, hi = min(lo, n), max(hi, n)
	}
	return lo, hi, len(values) > 0 && lo > -mostExact && hi < mostExact
}

// truth adds a term that is true or false.
func (b *termBuilder) truth(op termOp, args []int32) int32 {
	return b.add(treeTerm{op: op, args: args, hi: 1, exact: true, parts: min(b.product(args), mostParts)})
}

// mostParts is where parts are no longer told apart.
const mostParts = 1 << 20

// product returns how many states the arguments can be in between two processes:
// what is certain of one is put together with the others, what is not is kept.
func (b *termBuilder) product(args []int32) int {
	n := 1
	for _, a := range args {
		n = min(n*b.terms[a].parts, mostParts)
	}
	return n
}

// kept is product for arguments each of whose values has to be kept until all are
// certain.
func (b *termBuilder) kept(args []int32) int {
	n := b.product(args)
	for _, a := range args {
		values := mostParts
		switch t := &b.terms[a]; {
		case t.op == termConstant:
			values = 1
		case t.leaf != nil:
			values = len(t.leaf.values())
		case t.exact:
			values = int(min(t.hi-t.lo+1, mostParts))
		}
		n = min(n*values, mostParts)
	}
	return n
}

// expr adds the term of an expression.
func (b *termBuilder) expr(e *syntax.Expr) int32 {
	k := &compiler{comp: b.space.comp, bySource: make(map[any]int)}
	of := k.value(e)
	if n, ok := b.whole(k, of); ok {
		return n
	}
	args := make([]int32, 0, len(e.Args)+len(e.Sub))
	if e.Op == syntax.ExprTransit {
		return b.leaf(newTreeChannel(b.space, k.slots[0]))
	}
	for _, a := range e.Args {
		args = append(args, b.expr(a))
	}
	for _, f := range e.Sub {
		args = append(args, b.formula(f))
	}
	switch e.Op {
	case syntax.ExprCompare:
		return b.compare(args, e.Rel)
	case syntax.ExprNeg:
		return b.negative(args[0])
	case syntax.ExprAdd, syntax.ExprSum, syntax.ExprCount:
		return b.sum(args)
	case syntax.ExprSub:
		return b.sum([]int32{args[0], b.negative(args[1])})
	case syntax.ExprMul:
		return b.multiply(args)
	case syntax.ExprMin:
		return b.extreme(termMin, args)
	case syntax.ExprMax:
		return b.extreme(termMax, args)
	}
	panic("this cannot happen, because an expression of several chains has operands: " + e.String())
}

// compare adds a comparison. That of two exact sides is one of their difference
// with 0, so that what is known of both sides becomes one number.
func (b *termBuilder) compare(args []int32, rel []syntax.Relop) int32 {
	t := treeTerm{op: termCompare, args: args, rel: rel, hi: 1, exact: true}
	if len(args) == 2 && b.exact(args) {
		difference := b.sum([]int32{args[0], b.negative(args[1])})
		if b.terms[difference].exact {
			t.args = []int32{difference, b.constant(graphs.Int(0))}
			t.parts = b.terms[difference].parts
			return b.add(t)
		}
	}
	t.parts = b.kept(args)
	return b.add(t)
}

// exact reports whether all args are exact numbers.
func (b *termBuilder) exact(args []int32) bool {
	for _, a := range args {
		if !b.terms[a].exact || b.isTruth(a) {
			return false
		}
	}
	return true
}

func (b *termBuilder) isTruth(a int32) bool {
	switch t := &b.terms[a]; t.op {
	case termConstant:
		return t.value.Kind == graphs.Bool
	case termLeaf:
		return t.leaf.values()[0].Kind == graphs.Bool
	default:
		return t.op <= termCompare
	}
}

func (b *termBuilder) negative(a int32) int32 {
	t := b.terms[a]
	if t.op == termConstant {
		return b.constant(graphs.Int(0).Sub(t.value))
	}
	return b.add(treeTerm{op: termNegative, args: []int32{a}, exact: t.exact, lo: -t.hi, hi: -t.lo, parts: t.parts})
}

// sum adds the sum of numbers, or the number of true ones.
func (b *termBuilder) sum(args []int32) int32 {
	t := treeTerm{op: termSum, exact: true}
	for _, a := range args {
		u := b.terms[a]
		t.exact = t.exact && u.exact
		t.lo, t.hi = t.lo+u.lo, t.hi+u.hi
		t.exact = t.exact && t.lo > -mostExact && t.hi < mostExact
	}
	if !t.exact {
		t.args, t.parts = args, b.kept(args)
		return b.add(t)
	}
	t.args = args
	t.parts = int(min(t.hi-t.lo+1, mostParts))
	t.parts = min(t.parts*b.product(args), mostParts)
	return b.add(t)
}

func (b *termBuilder) multiply(args []int32) int32 {
	t := treeTerm{op: termProduct, args: args, parts: b.kept(args)}
	if b.exact(args) {
		x, y := b.terms[args[0]], b.terms[args[1]]
		most := func(t treeTerm) float64 { return math.Max(math.Abs(float64(t.lo)), math.Abs(float64(t.hi))) }
		if most(x)*most(y) < mostExact {
			corners := []int64{x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi}
			t.exact, t.lo, t.hi = true, slices.Min(corners), slices.Max(corners)
		}
	}
	return b.add(t)
}

func (b *termBuilder) extreme(op termOp, args []int32) int32 {
	t := treeTerm{op: op, args: args, exact: b.exact(args), parts: b.kept(args)}
	if t.exact {
		t.lo, t.hi = b.terms[args[0]].lo, b.terms[args[0]].hi
		for _, a := range args[1:] {
			u := b.terms[a]
			if op == termMin {
				t.lo, t.hi = min(t.lo, u.lo), min(t.hi, u.hi)
			} else {
				t.lo, t.hi = max(t.lo, u.lo), max(t.hi, u.hi)
			}
		}
		t.parts = min(int(min(t.hi-t.lo+2, mostParts))*b.product(args), mostParts)
	}
	return b.add(t)
}
