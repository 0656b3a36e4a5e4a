package syntax

import (
	"hash/maphash"
	"slices"
)

// Exprs numbers distinct expressions in the order of their first appearance. The zero Exprs
// has none.
type Exprs struct {
	// 0, or a number plus 1, at the hash or in the next slot that was free; at most
	// half of them are taken
	slots []int32
	list  []*Expr
	hash  []uint64 // of list
}

// Number returns the number of e. Expressions that are Equal have the same number. The time
// complexity of Number is O(|e|).
func (t *Exprs) Number(e *Expr) int {
	if 2*len(t.list) >= len(t.slots) {
		t.slots = make([]int32, max(16, 2*len(t.slots)))
		t.list = slices.Grow(t.list, len(t.slots)/2-len(t.list))
		t.hash = slices.Grow(t.hash, len(t.slots)/2-len(t.hash))
		for n, h := range t.hash {
			i := t.slot(h, func(int) bool { return false })
			t.slots[i] = int32(n) + 1
		}
	}

	h := hashOf(e)
	i := t.slot(h, func(n int) bool { return t.hash[n] == h && t.list[n].Equal(e) })
	if t.slots[i] == 0 {
		t.list, t.hash = append(t.list, e), append(t.hash, h)
		t.slots[i] = int32(len(t.list))
	}

	return int(t.slots[i]) - 1
}

// slot returns the first slot, from the one that a hash names, that is free or holds a number
// accepted by isIt.
func (t *Exprs) slot(hash uint64, isIt func(n int) bool) int {
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		if n := t.slots[i]; n == 0 || isIt(int(n)-1) {
			return int(i)
		}
	}
}

// Same returns the first expression that Equals e.
func (t *Exprs) Same(e *Expr) *Expr { return t.list[t.Number(e)] }

var seed = maphash.MakeSeed()

// A head is what an expression has itself, beside its relations and operands.
type head struct {
	op              ExprOp
	isFloat, isTrue bool
	text, process   string
	from, to        string // of a channel
	integer         int64
	float           float64
}

// head returns the head of e.
func (e *Expr) head() head {
	h := head{op: e.Op, isFloat: e.IsFloat, isTrue: e.Bool, text: e.Text, process: e.Process.Text, integer: e.Int, float: e.Float}
	if e.Channel != nil {
		h.from, h.to = e.From.Text, e.To.Text
	}
	return h
}

// hashOf returns a hash that equal expressions share.
func hashOf(e *Expr) uint64 {
	h := maphash.Comparable(seed, e.head())
	if e.Aggregate != nil || e.Past != nil { // as it is written, without the instances
		return h ^ maphash.String(seed, e.String())
	}
	for _, arg := range e.Args {
		// The order of operands matters, so they are multiplied, by the golden ratio.
		h = h*0x9e3779b97f4a7c15 ^ hashOf(arg)
	}
	return h
}
