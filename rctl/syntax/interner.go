package syntax

import (
	"encoding/binary"
	"slices"
)

// An Interner makes equal formulas the same *Formula, so that comparing two of them takes
// constant time. The zero Interner knows none.
type Interner struct {
	exprs Exprs
	known map[string]interned   // by operator and operands
	done  map[*Formula]interned // the results for subformulas, so that each is looked at once
}

// interned is the formula that stands for all equal ones, with its number.
type interned struct {
	*Formula
	number uint32
}

// Same returns the first formula that was equal to f. Its time complexity is O(new), for
// the subformulas that the interner has not looked at.
func (t *Interner) Same(f *Formula) *Formula { return t.intern(f).Formula }

// Seen returns how many subformulas the interner keeps because it has looked at them.
func (t *Interner) Seen() int { return len(t.done) }

// Forget lets go of them. Forgetting costs time only: equal formulas still become the same.
func (t *Interner) Forget() { t.done = nil }

// intern returns the entry for f. It goes down first, so that equal operands have
// equal numbers when their operator is looked up.
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
	case f.Op == OpAtom: // told apart by their expressions alone
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
