package syntax

import (
	"hash/maphash"
	"math"
)

// Exprs numbers distinct expressions in the order of their first appearance. The zero Exprs
// has none.
type Exprs struct {
	list []*Expr
	// numbers by the hash of their expression, or the next hash that was free
	numbers map[uint64]int32
}

// Number returns the number of e. Expressions that are Equal have the same number. The time
// complexity of Number is O(|e|).
func (t *Exprs) Number(e *Expr) int {
	h := hashOf(e)
	n, ok := t.numbers[h]
	for ok && !t.list[n].Equal(e) {
		h++
		n, ok = t.numbers[h]
	}
	if ok {
		return int(n)
	}

	if t.numbers == nil {
		t.numbers = make(map[uint64]int32)
	}
	t.numbers[h] = int32(len(t.list))
	t.list = append(t.list, e)
	return len(t.list) - 1
}

// Same returns the first expression that Equals e.
func (t *Exprs) Same(e *Expr) *Expr { return t.list[t.Number(e)] }

var seed = maphash.MakeSeed()

// hashOf returns a hash that equal expressions share.
func hashOf(e *Expr) uint64 {
	h := hasher(e.Op)
	h.text(e.Text)
	h.text(e.Process.Text)
	h.add(uint64(e.Int))
	if e.Float != 0 {
		h.add(math.Float64bits(e.Float))
	}
	if e.Bool {
		h.add(1)
	}
	if e.Op == ExprTransit {
		h.text(e.From.Text)
		h.text(e.To.Text)
	}

	for _, rel := range e.Rel {
		h.add(uint64(rel))
	}
	switch {
	case e.Op == ExprCount:
		h.quantifier(e.Quant)
		h.formula(e.Form)
	case e.Op.IsAggregate():
		h.quantifier(e.Quant)
		h.add(hashOf(e.Term))
	default:
		for _, arg := range e.Args {
			h.add(hashOf(arg))
		}
	}

	return uint64(h)
}

// A hasher accumulates the hash of an expression. It must not depend on anything
// that Equal ignores, such as positions and types.
type hasher uint64

// add mixes a word into the hash: a multiplication by the golden ratio, with the
// high bits folded down.
func (h *hasher) add(x uint64) {
	*h = (*h ^ hasher(x)) * 0x9e3779b97f4a7c15
	*h ^= *h >> 29
}

// text adds a string by its own hash.
func (h *hasher) text(s string) { h.add(maphash.String(seed, s)) }

// quantifier adds the names that a quantifier binds and its domain.
func (h *hasher) quantifier(q *Quantifier) {
	h.text(q.Glob)
	for _, names := range [][]Name{q.Names, q.Domain, q.Having} {
		h.add(uint64(len(names)))
		for _, name := range names {
			h.text(name.Text)
		}
	}
}

// formula adds a counted formula. Counts are small, so shared subformulas are
// hashed again.
func (h *hasher) formula(f *Formula) {
	h.add(uint64(f.Op))
	if f.Op == OpAtom {
		h.add(hashOf(f.Expr))
	}
	if f.Quant != nil {
		h.quantifier(f.Quant)
	}
	for _, sub := range f.Sub {
		h.formula(sub)
	}
}
