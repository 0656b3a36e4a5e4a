package enginetest

import (
	"fmt"
	"math/rand/v2"

	"github.com/pota-project/pota/graphs"
)

var operators = [...]string{
	"EX(%s)", "AX(%s)", "EF(%s)", "AF(%s)", "EG(%s)", "AG(%s)",
	"E[%s U %s]", "A[%s U %s]", "E[%s W %s]", "A[%s W %s]", "E[%s R %s]", "A[%s R %s]",
}

// Nested writes a formula of operators one below the other, depth of them, over
// predicates that two processes decide.
func Nested(r *rand.Rand, c *graphs.Computation, depth int) string {
	if depth == 0 {
		local := func() string { return LocalPredicate(r, c, r.IntN(c.NumProcesses())) }
		a, b := local(), local()
		switch {
		// Constants are drawn seldom, as they decide operators above them.
		case a == "" || b == "" || r.IntN(20) == 0:
			return []string{"true", "false"}[r.IntN(2)]
		case r.IntN(2) == 0:
			return "(" + a + " && " + b + ")" // for one process, AF is EF
		}
		return "(" + a + " || " + b + ")"
	}
	of := func(below int) any { return Nested(r, c, below) }
	// Deep formulas are joined by && and || now and then, so that not all of them are
	// chains of operators.
	switch op := operators[r.IntN(len(operators))]; {
	case depth > 2 && r.IntN(4) == 0:
		return fmt.Sprintf("(%s && %s)", of(depth-1), of(r.IntN(depth)))
	case depth > 2 && r.IntN(4) == 0:
		return fmt.Sprintf("(%s || %s)", of(depth-1), of(r.IntN(depth)))
	// Operators with brackets have two operands.
	case op[1] != '[':
		return fmt.Sprintf(op, of(depth-1))
	case r.IntN(2) == 0:
		return fmt.Sprintf(op, of(r.IntN(depth)), of(depth-1))
	default:
		return fmt.Sprintf(op, of(depth-1), of(r.IntN(depth)))
	}
}
