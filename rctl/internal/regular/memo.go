package regular

import (
	"slices"
	"sync"

	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Memo remembers results for formulas on one computation. It makes equal formulas the
// same *Formula, so that what one has is found again for another. It is safe for
// concurrent use.
type Memo struct {
	mu sync.Mutex // of what follows; slices are not made under it

	recipes   map[*syntax.Formula]*recipe         // nil where slices do not decide
	negations map[*syntax.Formula]*syntax.Formula // in negation normal form
	eithers   map[*syntax.Formula]*syntax.Formula // p || q of E[p U q] and E[p W q]
	ends      map[*syntax.Formula]atEnds          // of atoms and their negations

	atoms  syntax.Exprs
	leaves []distinct // by the number of their atom
	same   map[string]distinct
	count  uint32 // distinct formulas
}

// distinct is a formula that stands for all that are equal to it, and its number.
type distinct struct {
	*syntax.Formula
	number uint32
}

// NewMemo returns an empty memo.
func NewMemo() *Memo {
	return &Memo{
		recipes:   make(map[*syntax.Formula]*recipe),
		negations: make(map[*syntax.Formula]*syntax.Formula),
		eithers:   make(map[*syntax.Formula]*syntax.Formula),
		ends:      make(map[*syntax.Formula]atEnds),
		same:      make(map[string]distinct),
	}
}

// atEnds is what a predicate is at the initial and at the final cut.
type atEnds struct{ now, last bool }

// AtEnds returns what an atom or its negation is at the initial and at the final cut. The
// error is a *atoms.ValuesError.
func (k *Slices) AtEnds(f *syntax.Formula) (now, last bool, err error) {
	k.mu.Lock()
	at, ok := k.ends[f]
	k.mu.Unlock()
	if !ok {
		p, err := atoms.Compile(k.comp, f)
		if err != nil {
			return false, false, err
		}
		at = atEnds{p.At(k.comp.Initial(), p.Env()), p.At(k.comp.Final(), p.Env())}
		k.mu.Lock()
		k.ends[f] = at
		k.mu.Unlock()
	}
	return at.now, at.last, nil
}

// Normal returns the negation normal form of f.
func (m *Memo) Normal(f *syntax.Formula) *syntax.Formula {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.normal(f)
}

func (m *Memo) normal(f *syntax.Formula) *syntax.Formula {
	return m.intern(syntax.NNF(f), make(map[*syntax.Formula]distinct)).Formula
}

// Negation returns the negation normal form of !f.
func (m *Memo) Negation(f *syntax.Formula) *syntax.Formula {
	m.mu.Lock()
	defer m.mu.Unlock()
	not, ok := m.negations[f]
	if !ok {
		not = m.normal(syntax.Not(f))
		m.negations[f] = not
	}
	return not
}

// intern returns the formula that stands for all that are equal to f.
func (m *Memo) intern(f *syntax.Formula, done map[*syntax.Formula]distinct) distinct {
	if f.Op == syntax.OpAtom {
		return m.leaf(f)
	}
	if d, ok := done[f]; ok {
		return d
	}
	subs := make([]*syntax.Formula, len(f.Sub))
	key := make([]byte, 0, 1+4*len(subs))
	key = append(key, byte(f.Op))
	for i, sub := range f.Sub {
		d := m.intern(sub, done)
		n := d.number
		subs[i], key = d.Formula, append(key, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	d, ok := m.same[string(key)]
	if !ok {
		g := f
		if !slices.Equal(subs, f.Sub) {
			g = new(*f)
			g.Sub = subs
		}
		d = m.distinct(g)
		m.same[string(key)] = d
	}
	done[f] = d
	return d
}

// leaf is intern for an atom.
func (m *Memo) leaf(f *syntax.Formula) distinct {
	n := m.atoms.Number(f.Expr)
	if n == len(m.leaves) {
		m.leaves = dense.Append(m.leaves, m.distinct(f))
	}
	return m.leaves[n]
}

func (m *Memo) distinct(f *syntax.Formula) distinct {
	m.count++
	return distinct{f, m.count}
}
