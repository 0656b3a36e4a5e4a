package regular

import (
	"strconv"

	"github.com/pota-project/pota/rctl/syntax"
)

// A Memo remembers what was worked out of formulas on one computation. It makes
// equal formulas the same *Formula, so that what one has is found again for
// another.
type Memo struct {
	recipes   map[*syntax.Formula]*recipe         // nil where slices do not decide
	negations map[*syntax.Formula]*syntax.Formula // in negation normal form
	eithers   map[*syntax.Formula]*syntax.Formula // p || q of E[p U q] and E[p W q]

	same    map[string]*syntax.Formula
	numbers map[*syntax.Formula]int // of the formulas of same
	key     []byte                  // that is looked up in same
}

// NewMemo returns an empty memo.
func NewMemo() *Memo {
	return &Memo{
		recipes:   make(map[*syntax.Formula]*recipe),
		negations: make(map[*syntax.Formula]*syntax.Formula),
		eithers:   make(map[*syntax.Formula]*syntax.Formula),
		same:      make(map[string]*syntax.Formula),
		numbers:   make(map[*syntax.Formula]int),
	}
}

// Normal returns the negation normal form of f.
func (m *Memo) Normal(f *syntax.Formula) *syntax.Formula {
	return m.intern(syntax.NNF(f), make(map[*syntax.Formula]*syntax.Formula))
}

// Negation returns the negation normal form of !f.
func (m *Memo) Negation(f *syntax.Formula) *syntax.Formula {
	not, ok := m.negations[f]
	if !ok {
		not = m.Normal(syntax.Not(f))
		m.negations[f] = not
	}
	return not
}

// intern returns the formula that stands for all that are equal to f.
func (m *Memo) intern(f *syntax.Formula, done map[*syntax.Formula]*syntax.Formula) *syntax.Formula {
	if g, ok := done[f]; ok {
		return g
	}
	subs := make([]*syntax.Formula, len(f.Sub))
	for i, sub := range f.Sub {
		subs[i] = m.intern(sub, done)
	}
	key := append(m.key[:0], byte(f.Op))
	if f.Op == syntax.OpAtom {
		key = append(key, f.Expr.String()...)
	}
	for _, sub := range subs {
		key = strconv.AppendInt(append(key, ' '), int64(m.numbers[sub]), 10)
	}
	m.key = key
	g, ok := m.same[string(key)]
	if !ok {
		g = new(*f)
		if len(subs) > 0 {
			g.Sub = subs
		}
		m.same[string(key)] = g
		m.numbers[g] = len(m.numbers)
	}
	done[f] = g
	return g
}
