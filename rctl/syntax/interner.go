package syntax

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
)

// An Interner maps equal formulas to the same *Formula, so that comparing two of them takes
// constant time. The zero Interner is empty.
type Interner struct {
	exprs Exprs
	known map[string]interned   // the formulas by operator and operands
	done  map[*Formula]interned // the results for subformulas, so that each is visited once
}

// interned is the representative of equal formulas, with its number.
type interned struct {
	*Formula
	number uint32
}

// Same returns the first formula that was equal to f. Its time complexity is O(new), the
// number of subformulas that the interner has not visited yet.
func (t *Interner) Same(f *Formula) *Formula { return t.intern(f).Formula }

// Seen returns how many visited subformulas the interner remembers.
func (t *Interner) Seen() int { return len(t.done) }

// Forget forgets the visited subformulas. It costs only time: equal formulas still become the same.
func (t *Interner) Forget() { t.done = nil }

// intern returns the entry for f. It interns operands first, so that equal operands
// have equal numbers when their operator is looked up.
func (t *Interner) intern(f *Formula) interned {
	if found, ok := t.done[f]; ok {
		return found
	}

	// The key is the operator with the numbers of the operands.
	subs := make([]*Formula, len(f.Sub))
	key := make([]byte, 0, 1+4*len(subs))
	key = append(key, byte(f.Op))
	for i, sub := range f.Sub {
		found := t.intern(sub)
		subs[i] = found.Formula
		key = binary.LittleEndian.AppendUint32(key, found.number)
	}

	switch {
	case f.Op == OpAtom: // atoms are equal if their expressions are
		key = binary.LittleEndian.AppendUint32(key, uint32(t.exprs.Number(f.Expr)))
	case f.Quant != nil:
		var text printer
		text.put(f.Quant)
		key = append(key, text.String()...)
	}

	found, ok := t.known[string(key)]
	if !ok {
		g := f
		if !slices.Equal(subs, f.Sub) {
			g = new(*f)
			g.Sub = subs
		}
		if t.known == nil {
			t.known = make(map[string]interned)
		}
		found = interned{g, uint32(len(t.known))}
		t.known[string(key)] = found
	}

	if t.done == nil {
		t.done = make(map[*Formula]interned)
	}
	t.done[f] = found
	return found
}

// Exprs numbers distinct expressions in the order of their first appearance. The zero Exprs
// is empty.
type Exprs struct {
	// the numbers by hash; if hashes collide, the later expressions are at the next free keys
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

// A head has the parts of an expression other than its relations and operands.
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
	if e.Aggregate != nil || e.Past != nil { // Equal compares their written form
		return h ^ maphash.String(seed, e.String())
	}
	for _, arg := range e.Args {
		// The order of operands matters, so h is multiplied by a constant, the golden ratio.
		h = h*0x9e3779b97f4a7c15 ^ hashOf(arg)
	}
	return h
}
