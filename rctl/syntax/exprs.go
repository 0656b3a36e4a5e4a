package syntax

import "hash/maphash"

// Exprs numbers distinct expressions in the order of their first appearance. The zero Exprs
// has none.
type Exprs struct {
	// numbers by hash; if several expressions share a hash, the later ones are at the next free ones
	numbers map[uint64]int32
	list    []*Expr
}

// Number returns the number of e. Expressions that are Equal have the same number. The time
// complexity of Number is O(|e|).
func (t *Exprs) Number(e *Expr) int {
	if t.numbers == nil {
		t.numbers = make(map[uint64]int32)
	}
	for h := hashOf(e); ; h++ {
		n, ok := t.numbers[h]
		if !ok {
			n = int32(len(t.list))
			t.numbers[h] = n
			t.list = append(t.list, e)
		}
		if t.list[n].Equal(e) {
			return int(n)
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
	from, to        string // the ends of a channel
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
	if e.Aggregate != nil || e.Past != nil { // the written form tells them apart
		return h ^ maphash.String(seed, e.String())
	}
	for _, arg := range e.Args {
		// The order of operands matters, so they are multiplied, by the golden ratio.
		h = h*0x9e3779b97f4a7c15 ^ hashOf(arg)
	}
	return h
}
