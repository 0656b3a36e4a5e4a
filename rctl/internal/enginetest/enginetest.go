// Package enginetest is what the tests of several engines need: problems, and
// computations and formulas of the kinds that engines are made for.
package enginetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/syntax"
)

// Problem is to decide formulas at c's initial cut, without limits.
func Problem(c *graphs.Computation, evidence bool) *engine.Problem {
	ctx := context.Background()
	return &engine.Problem{Slices: regular.New(ctx, c, regular.NewMemo()), Ctx: ctx, Comp: c, Evidence: evidence}
}

// Decide lets an engine decide op f; it is Unknown where the engine does not take it
// on.
func Decide(tb testing.TB, prepare engine.Engine, p *engine.Problem, op syntax.Op, f *syntax.Formula) (a engine.Answer) {
	tb.Helper()
	task, err := prepare(p, &syntax.Formula{Op: op, Sub: []*syntax.Formula{f}})
	if err == nil && task != nil {
		a, err = task.Decide()
	}
	if err != nil {
		tb.Fatalf("%s %s: %v", op, f, err)
	}
	return a
}

// LocalPredicate writes a predicate of the Boolean variables and numbers of process p, "" if p has
// none.
func LocalPredicate(r *rand.Rand, c *graphs.Computation, p int) string {
	var all []string
	// Names are quoted, as random processes have names that need it.
	for _, v := range c.Variables() {
		name := fmt.Sprintf("%s@%q", v.Name, c.Processes()[p])
		switch {
		case v.Process != p:
		case v.Kind == graphs.Bool:
			all = append(all, name, "!"+name)
		case v.Kind == graphs.Number:
			all = append(all, fmt.Sprintf("%s > %d", name, r.IntN(3)),
				fmt.Sprintf("%s < %d", name, r.IntN(3)))
		}
	}
	if len(all) == 0 {
		return ""
	}
	// a and b may be the same: engines have to simplify such formulas, too.
	a, b := all[r.IntN(len(all))], all[r.IntN(len(all))]
	switch r.IntN(4) {
	case 0:
		return "(" + a + " || " + b + ")"
	case 1:
		return "(" + a + " && " + b + ")"
	}
	return a
}
