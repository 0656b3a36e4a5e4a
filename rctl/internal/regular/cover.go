package regular

import (
	"fmt"

	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// A NoSliceError names an operator without slices.
type NoSliceError struct {
	Formula *syntax.Formula // the subformula
}

func (e *NoSliceError) Error() string {
	return fmt.Sprintf("no slice is known for %s: there are slices of regular predicates and of &&, ||, EF, AG, EG, E[p U p && q], E[q R p] and E[p W p && q] over them", e.Formula)
}

// Cover returns a slice that has every cut that satisfies f, a formula in negation
// normal form: the lean one if f is regular, the least one if its negation is.
// Otherwise each || has the least slice around the slices of its operands, and the
// operators above are applied to that. Errors are *NoSliceError and those of Err.
func (k *Slices) Cover(f *syntax.Formula) (*slice.Slice, error) {
	s, err := k.cover(f)
	if k.err != nil {
		err = k.err
	}
	return s, err
}

// cover returns a slice that has every cut that satisfies f.
func (k *Slices) cover(f *syntax.Formula) (*slice.Slice, error) {
	if s := k.Of(f); s != nil || k.err != nil {
		return s, k.err
	}
	if s := k.Of(k.Negation(f)); s != nil {
		return slice.Not(s), nil
	} else if k.err != nil {
		return nil, k.err
	}
	// Neither f nor its negation has a lean slice: what is left is to cover the
	// operands, where the operator keeps what it gets.
	switch f.Op {
	case syntax.OpAtom:
		if counted := syntax.Threshold(f.Expr, maxCounted); counted != nil {
			return k.cover(k.Normal(counted))
		}
		return nil, &NoSliceError{f}
	case syntax.OpAnd:
		// A conjunction of least slices can have cuts that the least slice of the
		// conjunction has not: || is lifted out first.
		if ds, ok := Disjuncts(f, maxCovered); ok && len(ds) > 1 {
			return k.cover(syntax.Or(ds...))
		}
	case syntax.OpOr, syntax.OpEF, syntax.OpAG, syntax.OpEG, syntax.OpER:
	default:
		return nil, &NoSliceError{f}
	}
	subs := make([]*slice.Slice, len(f.Sub))
	for i, sub := range f.Sub {
		s, err := k.cover(sub)
		if err != nil {
			return nil, err
		}
		subs[i] = s
	}
	return apply(f.Op, subs), nil
}

// maxCounted bounds the operators that say by && and || what a count says.
const maxCounted = 1 << 10

// maxCovered bounds the disjuncts that come of distributing && over ||, done so that
// the slice is the least one.
const maxCovered = 64
