package enginetest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/pota-project/pota/graphs"
)

// Clauses makes a random formula with three literals a clause, and a computation with a process of
// one event for each variable. Some cut satisfies f exactly if the clauses can be satisfied.
func Clauses(r *rand.Rand, variables, clauses int) (c *graphs.Computation, f string) {
	var b graphs.Builder
	// A process for each variable: its one event makes the variable true.
	for i := range variables {
		p := b.Process(fmt.Sprintf("P%d", i))
		x := b.Variable(p, "x")
		b.Init(x, graphs.Boolean(false))
		b.Set(x, b.Event(p), graphs.Boolean(true))
	}
	var all []string
	for range clauses {
		// The three literals may repeat a variable: a clause is then shorter, or true.
		var some []string
		for range 3 {
			some = append(some,
				fmt.Sprintf("%sx@P%d", []string{"", "!"}[r.IntN(2)], r.IntN(variables)))
		}
		all = append(all, "("+strings.Join(some, " || ")+")")
	}
	c, err := b.Build()
	if err != nil {
		panic("this cannot happen, because no event needs another: " + err.Error())
	}
	return c, strings.Join(all, " && ")
}
