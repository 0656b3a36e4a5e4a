package promela

import (
	"fmt"

	"github.com/pota-project/pota/rctl/syntax"
)

// An InexpressibleError says that a formula has no equivalent that a never claim
// can state, because of a subformula.
type InexpressibleError struct {
	Formula *syntax.Formula // the subformula, in negation normal form
	Next    bool            // because it speaks of the next cut
}

func (e *InexpressibleError) Error() string {
	why := "has no equivalent in LTL that is known, and no lean slice"
	if e.Next {
		why = "counts steps, which SPIN's partial-order reduction does not keep"
	}
	return fmt.Sprintf("%s %s; --to smv can express it", e.Formula, why)
}

// A LimitError says that a computation or formula is more than SPIN takes.
type LimitError struct{ Reason string }

func (e *LimitError) Error() string { return e.Reason }
