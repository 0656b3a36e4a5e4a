package regular

import (
	"sync"

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
	ends      map[*syntax.Formula]atEnds          // of atoms and their negations

	normalizer *syntax.Normalizer
	formulas   syntax.Interner
}

// NewMemo returns an empty memo.
func NewMemo() *Memo {
	return &Memo{
		recipes:    make(map[*syntax.Formula]*recipe),
		negations:  make(map[*syntax.Formula]*syntax.Formula),
		ends:       make(map[*syntax.Formula]atEnds),
		normalizer: syntax.NewNormalizer(),
	}
}

// Full reports whether m has results for so many formulas that an empty memo should take its
// place before the next one is decided.
func (m *Memo) Full() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return max(len(m.recipes), len(m.negations), len(m.ends)) > maxSeen
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
	return m.normal(f, false)
}

// normal returns the negation normal form of f, or of its negation.
func (m *Memo) normal(f *syntax.Formula, negated bool) *syntax.Formula {
	if m.formulas.Seen() > maxSeen {
		m.normalizer = syntax.NewNormalizer()
		m.formulas.Forget()
	}
	return m.formulas.Same(m.normalizer.NNF(f, negated))
}

// Tidy is syntax.Tidy for a formula in negation normal form.
func (m *Memo) Tidy(f *syntax.Formula) *syntax.Formula {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.normalizer.Tidy(f)
}

// maxSeen bounds the subformulas whose normal forms are kept for those that contain them, as a
// formula may be nested a hundred levels deep, and each level is asked for in turn. It bounds
// also the formulas that a memo has results for from one decision to the next.
const maxSeen = 1 << 16

// Negation returns the negation normal form of !f.
func (m *Memo) Negation(f *syntax.Formula) *syntax.Formula {
	m.mu.Lock()
	defer m.mu.Unlock()
	not, ok := m.negations[f]
	if !ok {
		not = m.normal(f, true)
		m.negations[f] = not
	}
	return not
}
