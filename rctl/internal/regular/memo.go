package regular

import (
	"sync"

	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Memo remembers results for formulas on one computation. It makes equal formulas the
// same *Formula, so that they share results. It is safe for concurrent use.
type Memo struct {
	mu sync.Mutex // guards the fields below; it is not held while slices are made

	recipes map[*syntax.Formula]*recipe // a nil recipe if slices do not decide the formula
	ends    map[*syntax.Formula]atEnds  // the truth of atoms and their negations
	// the memo of the computation from an earlier cut on, or nil
	base  *Memo
	forms *forms
}

// forms are the normal forms of formulas. They do not depend on a cut.
type forms struct {
	mu        sync.Mutex                          // guards the fields below
	negations map[*syntax.Formula]*syntax.Formula // in negation normal form

	normalizer *syntax.Normalizer
	formulas   syntax.Interner
}

// NewMemo returns an empty memo.
func NewMemo() *Memo {
	return newMemo(nil, &forms{
		negations:  make(map[*syntax.Formula]*syntax.Formula),
		normalizer: syntax.NewNormalizer(),
	})
}

// From returns a memo for the computation from a later cut on. It knows the normal forms of m, and
// takes the slices of m instead of making them anew: evidence for EF(p1 && EF(p2 && …)) starts at a
// later cut for each operator, and would slice all that is left there.
func (m *Memo) From() *Memo {
	base := m
	// Slices that were taken lack those of their parts, which the first memo has.
	if m.base != nil {
		base = m.base
	}
	return newMemo(base, m.forms)
}

func newMemo(base *Memo, forms *forms) *Memo {
	return &Memo{
		recipes: make(map[*syntax.Formula]*recipe),
		ends:    make(map[*syntax.Formula]atEnds),
		base:    base,
		forms:   forms,
	}
}

// Full reports whether m has results for so many formulas that an empty memo should replace it before
// the next decision.
func (m *Memo) Full() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forms.mu.Lock()
	defer m.forms.mu.Unlock()
	return max(len(m.recipes), len(m.forms.negations), len(m.ends)) > maxSeen
}

// atEnds is the truth of a predicate at the initial and at the final cut.
type atEnds struct{ now, last bool }

// AtEnds returns the truth of an atom or its negation at the initial and at the final cut. The
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
	m.forms.mu.Lock()
	defer m.forms.mu.Unlock()
	return m.forms.normal(f, false)
}

// normal returns the negation normal form of f, or of its negation.
func (m *forms) normal(f *syntax.Formula, negated bool) *syntax.Formula {
	if m.formulas.Seen() > maxSeen {
		m.normalizer = syntax.NewNormalizer()
		m.formulas.Forget()
	}
	return m.formulas.Same(m.normalizer.NNF(f, negated))
}

// Tidy is syntax.Tidy for a formula in negation normal form.
func (m *Memo) Tidy(f *syntax.Formula) *syntax.Formula {
	m.forms.mu.Lock()
	defer m.forms.mu.Unlock()
	return m.forms.normalizer.Tidy(f)
}

// maxSeen bounds the subformulas whose normal forms are kept. They are asked for level by level, and
// formulas may be a hundred levels deep. It also bounds the formulas that a memo has results for from
// one decision to the next.
const maxSeen = 1 << 16

// Negation returns the negation normal form of !f.
func (m *Memo) Negation(f *syntax.Formula) *syntax.Formula {
	m.forms.mu.Lock()
	defer m.forms.mu.Unlock()
	not, ok := m.forms.negations[f]
	if !ok {
		not = m.forms.normal(f, true)
		m.forms.negations[f] = not
	}
	return not
}
