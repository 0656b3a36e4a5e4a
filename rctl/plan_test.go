package rctl_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// The plan names the engine that then decides, unless a part of the formula was
// decided sooner and spared the others, or an operand of EX or AX, planned at the initial cut,
// takes more at the cuts that follow.
func TestPlanIsFollowed(t *testing.T) {
	lighter, heavier := 0, 0
	for i := range pairs(t) / 20 {
		r := rand.New(rand.NewPCG(13, uint64(i)))
		c := graphtest.Random(r, graphtest.DefaultConfig)
		f := rctltest.RandomFormula(r, c, rctltest.FormulaConfig{Fragment: rctltest.Fragment(r.IntN(2))})
		if text := specialFormula(r, c); text != "" && r.IntN(4) == 0 {
			f = resolved(t, c, text)
		}
		p, err := rctl.MakePlan(context.Background(), c, f, rctl.Options{})
		if err != nil {
			t.Fatal(err)
		}
		res, err := rctl.Check(context.Background(), c, f, rctl.Options{})
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case res.Engine > p.Engine && syntax.HasNext(f):
			heavier++
		case res.Engine > p.Engine:
			t.Fatalf("%d: %s: the plan is %s, decided by %s", i, f, p.Engine, res.Engine)
		case res.Engine < p.Engine:
			lighter++
		}
	}
	if most := pairs(t) / 1000; heavier > most {
		t.Errorf("%d plans of %d were lighter than needed", heavier, pairs(t)/20)
	}
	if most := pairs(t) / 100; lighter > most {
		t.Errorf("%d plans of %d were heavier than needed", lighter, pairs(t)/20)
	}
}
