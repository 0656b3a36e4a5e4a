package frontier

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/pota-project/pota/graphs"
)

// A writer draws formulas over n processes of a computation.
type writer struct {
	r *rand.Rand
	n int
	c *graphs.Computation
}

// one draws one of some texts.
func (w writer) one(of ...string) string { return of[w.r.IntN(len(of))] }

// number draws a number from 0 up to before another.
func (w writer) number(below int) int { return w.r.IntN(below) }

// local is a predicate of one of some processes.
func (w writer) local(of []int) string {
	p := of[w.r.IntN(len(of))]
	// Six forms with equal shares; the last is the comparison with most values.
	switch w.number(6) {
	case 0:
		return fmt.Sprintf("b@P%d", p)
	case 1:
		return fmt.Sprintf("!b@P%d", p)
	case 2:
		return fmt.Sprintf("c@P%d", p)
	case 3:
		return fmt.Sprintf("s@P%d %s %q", p, w.one("==", "!="), w.one("idle", "req", "cs", "done"))
	case 4:
		return fmt.Sprintf("y@P%d %s %d", p, w.one("<=", ">=", "==", "!="), w.number(4))
	}
	return fmt.Sprintf("x@P%d %s %d", p, w.one("<", "<=", ">", ">=", "==", "!="), w.number(7))
}

// clauses is a conjunction of clauses over all processes.
func (w writer) clauses() string {
	var all []string
	// There are n to 2n-1 clauses, of two or three literals each.
	for range w.n + w.number(w.n) {
		var literals []string
		for range 2 + w.number(2) {
			literals = append(literals, w.local(w.some(w.n)))
		}
		all = append(all, "("+strings.Join(literals, " || ")+")")
	}
	return strings.Join(all, " && ")
}

// some draws k different processes.
func (w writer) some(k int) []int { return w.r.Perm(w.n)[:k] }

// global is a predicate that all processes have a part in.
func (w writer) global() string {
	// Aggregates over all processes have no slice, and are decided by other engines.
	counted := func() string {
		return "(count i: " + w.one("b@i", "c@i", "x@i >= 3", `s@i == "cs"`, `s@i == "req"`) + ")"
	}
	// Nine forms; counts have two shares, since formulas in use ask for them most.
	switch w.number(9) {
	case 0, 1:
		return fmt.Sprintf("%s %s %d", counted(), w.one("<=", ">=", "==", "!="), w.number(w.n))
	case 2:
		return fmt.Sprintf("(sum i: x@i) %s %d", w.one("<=", ">=", "==", "!="), w.n+w.number(4*w.n))
	case 3:
		return counted() + " " + w.one(">", "<", "==") + " " + counted()
	case 4:
		// Parity: no slice and no bound helps here.
		count, odd := counted(), w.number(2)
		var all []string
		for k := odd; k <= w.n; k += 2 {
			all = append(all, fmt.Sprintf("%s == %d", count, k))
		}
		return strings.Join(all, " || ")
	case 5:
		return "exists i != j: " + w.one("b@i && b@j", "c@i && x@j == 3", "x@i == x@j && y@i == y@j", `x@i > x@j && s@j == "req"`)
	case 6:
		return "forall i != j: " + w.one(`s@i != "cs" || s@j != "cs"`, "x@i + x@j <= 9", "x@i == x@j -> b@i", "b@i || b@j || x@i != x@j")
	case 7:
		return fmt.Sprintf("(%s i: x@i) %s %d", w.one("min", "max"), w.one("<=", ">=", "=="), w.number(8))
	}
	return w.clauses()
}

// operator writes a temporal operator over formulas.
func (w writer) operator(next bool, of func() string) string {
	k := w.number(10)
	// A next operator has one share of ten, if it is allowed.
	switch {
	case next && k == 0:
		return w.one("EX", "AX") + "(" + of() + ")"
	case k < 7:
		return w.one("EF", "AF", "EG", "AG") + "(" + of() + ")"
	}
	return w.one("E", "A") + "[" + of() + " " + w.one("U", "W", "R") + " " + of() + "]"
}

// nested writes depth levels of operators and connectives over atoms.
func (w writer) nested(depth int, next bool, atom func() string) string {
	if depth == 0 {
		return "(" + atom() + ")"
	}
	// One operand has the full depth, the other any smaller one, so that formulas are not all
	// balanced trees.
	of := func() string { return w.nested(depth-1, next, atom) }
	shallow := func() string { return w.nested(w.number(depth), next, atom) }
	switch w.number(5) {
	case 0:
		return "(" + of() + w.one(" && ", " || ", " -> ") + shallow() + ")"
	case 1:
		return "!(" + of() + ")"
	}
	return w.operator(next, of)
}

// both draws a predicate of all processes that holds at the first and at the last cut.
func (w writer) both() string {
	text := "(" + w.global() + ")"
	// Formulas that an end of the computation decides are too easy: EG f is false at once if f is
	// false there.
	first, err := at(w.c, text, w.c.Initial())
	if err != nil {
		panic(err)
	}
	last, err := at(w.c, text, w.c.Final())
	switch {
	case err != nil:
		panic(err)
	case first != last:
		// A predicate that differs at the two ends is drawn again.
		return w.both()
	case first:
		return text
	}
	return "!" + text
}

// neither draws one that holds at neither.
func (w writer) neither() string { return "!" + w.both() }

// A family is a kind of formulas.
type family struct {
	name string
	draw func(w writer) string
}

// Families are numbered by their place here; the numbers are part of what a seed means, so new
// ones go to the end.
var families = [...]family{
	{"RCTL", func(w writer) string {
		conjunction := func() string {
			var all []string
			for range 1 + w.number(w.n) {
				all = append(all, w.local(w.some(w.n)))
			}
			return "(" + strings.Join(all, " && ") + ")"
		}
		f := conjunction()
		for range 1 + w.number(3) {
			// Operators of RCTL with conjunctions between them.
			if f = w.one("EF", "EG", "AG") + "(" + f + ")"; w.number(2) == 0 {
				f = "(" + f + " && " + conjunction() + ")"
			}
		}
		return "EF(" + f + ")"
	}},
	{"2 to 4 visible processes", func(w writer) string {
		// All atoms are about the same few processes, so that a projection is small.
		of := w.some(2 + w.number(min(3, w.n-1)))
		return w.operator(true, func() string {
			return w.nested(1+w.number(2), true, func() string {
				if w.number(4) == 0 {
					return fmt.Sprintf("x@P%d + x@P%d %s %d", of[0], of[1], w.one("<=", ">=", "=="), 2+w.number(10))
				}
				return w.local(of)
			})
		})
	}},
	{"over all processes", func(w writer) string {
		return w.operator(false, func() string {
			if w.number(4) == 0 {
				return w.operator(false, w.global)
			}
			return w.global()
		})
	}},
	{"deeply nested", func(w writer) string {
		return w.operator(true, func() string {
			return w.nested(3+w.number(3), true, func() string {
				switch w.number(4) {
				case 0:
					return w.global()
				case 1:
					of := w.some(2)
					return fmt.Sprintf("x@P%d + x@P%d %s %d", of[0], of[1], w.one("<=", ">="), 2+w.number(10))
				}
				return w.local(w.some(w.n))
			})
		})
	}},
	{"open at both ends", func(w writer) string {
		switch w.number(9) {
		case 0:
			return "EG(" + w.both() + ")"
		case 1:
			return "EF(" + w.neither() + ")"
		case 2:
			return "E[" + w.both() + " U " + w.neither() + "]"
		case 3:
			return "A[" + w.both() + " U " + w.neither() + "]"
		case 4:
			return "AG(" + w.neither() + " -> AF(" + w.neither() + "))"
		case 5:
			return "EF(" + w.neither() + " && EG(" + w.both() + "))"
		case 6:
			return "AG(" + w.neither() + " -> E[" + w.both() + " U " + w.neither() + "])"
		case 7:
			return "EG(" + w.both() + " && EF(" + w.neither() + "))"
		}
		return "A[" + w.neither() + " R " + w.both() + "]"
	}},
}
