package enginetest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/pota-project/pota/graphs"
)

// Clauses makes a computation that has a cut at which f holds exactly where a random formula
// of three literals a clause can be satisfied: a process for each variable, which may have
// happened or not.
func Clauses(r *rand.Rand, variables, clauses int) (c *graphs.Computation, f string) {
	var b graphs.Builder
	for i := range variables {
		p := b.Process(fmt.Sprintf("P%d", i))
		x := b.Variable(p, "x")
		b.Init(x, graphs.Boolean(false))
		b.Set(x, b.Event(p), graphs.Boolean(true))
	}
	var all []string
	for range clauses {
		var some []string
		for range 3 {
			some = append(some, fmt.Sprintf("%sx@P%d", []string{"", "!"}[r.IntN(2)], r.IntN(variables)))
		}
		all = append(all, "("+strings.Join(some, " || ")+")")
	}
	c, err := b.Build()
	if err != nil {
		panic("this cannot happen, because no event needs another: " + err.Error())
	}
	return c, strings.Join(all, " && ")
}
