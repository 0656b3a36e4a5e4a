// Package vacuity finds cases in which a verdict says less than it seems to.
//
// # Definitions
//
// A formula is vacuous in the occurrence of a subformula if the verdict stays the same whatever
// replaces it. For the consequent b of an implication a -> b that helps the formula to hold, it
// suffices to try false, because formulas are monotone in each occurrence: if AG(a -> b) holds with
// false for b, then a is never true (Beer, Ben-David, Eisner and Rodeh, Efficient Detection of
// Vacuity in ACTL Formulas, CAV 1997; Kupferman and Vardi, Vacuity Detection in Temporal Model
// Checking, STTT 2003). The findings are:
//
//	Antecedent  the verdict is the same with false for a consequent, of a -> b or !a || b
//	Quantifier  a quantifier has no process, or no pair of processes, to range over
//	Constant    a part without temporal operators is true, or false, at every cut of
//	            every trace; or nothing that the formula mentions ever changes
//	Conjunct    EF of a conjunction fails, and this part of it is never true
//	Value       a variable is compared with a string that it never has, but it has a
//	            similar one, or the variable of another process has it
//	Initial     the values at the initial cut decide the formula: it has no temporal
//	            operator that matters
//
// A finding is not an error: the verdict is right.
package vacuity

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// Kind is the kind of a finding.
type Kind uint8

// The kinds of findings.
const (
	Antecedent Kind = iota
	Quantifier
	Constant
	Value
	Conjunct
	Initial
)

// String returns the kind as reports name it.
func (k Kind) String() string {
	return [...]string{"antecedent", "quantifier", "constant", "value", "conjunct", "initial"}[k]
}

// A Finding is one reason why a verdict says little.
type Finding struct {
	Kind Kind
	Pos  int    // byte offset in the source of the formula
	Text string // one line
}

// Find looks for findings about the verdict on f. f is the formula as parsed, resolved its meaning
// on c, and verdict the decision of session, a session for c. When ctx is done, or a limit of opts
// is reached, Find omits findings that need a further decision. Findings are in the order of the
// formula.
//
// Find decides at most two formulas for each implication of f, and one for each conjunct of an EF
// that fails, within bounds that do not depend on how long the decision of f took (see effort.go).
// The time complexity of the rest is O(|resolved| + assignments to its variables).
func Find(ctx context.Context, session *rctl.Session, c *graphs.Computation, f, resolved *syntax.Formula, verdict rctl.Verdict, opts rctl.Options) []Finding {
	opts.Evidence = false
	s := &search{ctx: ctx, session: session, c: c, root: f, verdict: verdict, opts: opts, searches: maxSearches}
	s.quantifiers()
	s.initial(resolved)
	s.unchanging(resolved)
	s.tautologies(f)
	s.values(resolved)
	s.conjuncts()
	if verdict != rctl.Unknown {
		s.antecedents(&occurrence{form: f, helps: verdict == rctl.Holds})
	}
	slices.SortStableFunc(s.found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Kind, b.Kind))
	})
	return s.found
}

// maxShown is the maximum number of characters of a formula in a finding.
const maxShown = 80

// A search is one run of Find.
type search struct {
	ctx     context.Context
	session *rctl.Session
	c       *graphs.Computation
	root    *syntax.Formula
	verdict rctl.Verdict
	opts    rctl.Options
	found   []Finding

	searches int // how many searches may still be made
}

// report adds a finding at a byte offset of the formula. Formulas among the arguments are
// abbreviated, because they may fill screens.
func (s *search) report(kind Kind, pos int, format string, args ...any) {
	for i, arg := range args {
		if f, ok := arg.(*syntax.Formula); ok {
			args[i] = f.Brief(maxShown)
		}
	}
	s.found = append(s.found, Finding{kind, pos, fmt.Sprintf(format, args...)})
}
