package syntax

import (
	"encoding/binary"
	"slices"
)

// An Interner makes equal formulas the same *Formula, so that comparing two of them takes
// constant time. The zero Interner knows none.
type Interner struct {
	atoms  Exprs
	leaves []interned // by the number of their atom
	inner  map[string]interned
	done   map[*Formula]interned // what was found for subformulas: each is looked at once
	count  uint32
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
	if f.Op == OpAtom {
		return t.leaf(f)
	}
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

	if f.Quant != nil {
		var text printer
		text.put(f.Quant)
		key = append(key, text.String()...)
	}

	found, ok := t.inner[string(key)]
	if !ok {
		g := f
		if !slices.Equal(subs, f.Sub) {
			g = new(*f)
			g.Sub = subs
		}
		if t.inner == nil {
			t.inner = make(map[string]interned)
		}
		found = t.add(g)
		t.inner[string(key)] = found
	}

	if t.done == nil {
		t.done = make(map[*Formula]interned)
	}
	t.done[f] = found
	return found
}

// leaf is intern for an atom. Atoms are told apart by their expressions alone.
func (t *Interner) leaf(f *Formula) interned {
	n := t.atoms.Number(f.Expr)
	if n == len(t.leaves) {
		t.leaves = append(t.leaves, t.add(f))
	}
	return t.leaves[n]
}

// add makes f the representative of the formulas that equal it.
func (t *Interner) add(f *Formula) interned {
	t.count++
	return interned{f, t.count}
}
