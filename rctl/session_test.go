package rctl_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/internal/enginetest"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// A session remembers the slices of formulas. What cannot be decided for want of a
// variable's values is an error to each formula that needs them, not to the first.
func TestSessionKeepsErrors(t *testing.T) {
	b := new(graphs.Builder)
	p := b.Process("P")
	x := b.Variable(p, "x")
	b.Init(x, graphs.Int(0))
	b.Event(p)
	b.Skip(x, graphs.Number)
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	session := rctl.NewSession(c)
	for _, text := range []string{"EF(x@P == 1)", "AG(EF(x@P == 1))", "EF(x@P == 1)"} {
		f, err := syntax.Parse(text)
		if err == nil {
			f, err = syntax.Resolve(context.Background(), f, rctl.Scope(c))
		}
		if err != nil {
			t.Fatal(err)
		}
		var values *atoms.ValuesError
		if _, err := session.Check(context.Background(), f, rctl.Options{Engine: rctl.Slice}); !errors.As(err, &values) {
			t.Errorf("%s: %v, not a *atoms.ValuesError", text, err)
		}
	}
}

// A conjunction is what it is however often its operands are written: of many operands
// slices are made otherwise.
func TestManyOperands(t *testing.T) {
	tally := make(map[rctl.Verdict]int)
	for i := range graphtest.Rounds(t, 400) {
		r := rand.New(rand.NewPCG(12, uint64(i)))
		c := graphtest.Random(r, graphtest.DefaultConfig)
		l := graphtest.NewLattice(c)
		if l.Index(c.Initial()) < 0 {
			continue
		}
		var few, many []*syntax.Formula
		for range 1 + r.IntN(3) {
			few = append(few, syntax.Conjuncts(rctltest.RandomFormula(r, c, rctltest.FormulaConfig{Fragment: rctltest.Regular}))...)
		}
		for len(many) <= 1024 {
			many = append(many, few...)
		}
		op := []syntax.Op{syntax.OpEF, syntax.OpAG, syntax.OpEG}[r.IntN(3)]
		of := func(fs []*syntax.Formula) *syntax.Formula {
			return &syntax.Formula{Op: op, Sub: []*syntax.Formula{{Op: syntax.OpAnd, Sub: fs}}}
		}
		v, err := rctl.Check(context.Background(), c, of(many), rctl.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if (v.Verdict == rctl.Holds) != rctltest.Holds(l, of(few))[l.Index(c.Initial())] {
			t.Fatalf("round %d: %s is %s of many operands", i, of(few), v.Verdict)
		}
		tally[v.Verdict]++
	}
	if n := graphtest.Rounds(t, 400) / 10; tally[rctl.Holds] < n || tally[rctl.Fails] < n {
		t.Errorf("too few: %v", tally)
	}
}

// Evidence for nested operators that stays at a cut makes no slice anew: twice the levels take
// about twice the allocations, not four times.
func TestEvidenceOfManyLevels(t *testing.T) {
	c := enginetest.Exclusive(3, 300, false)
	allocations := func(levels int) float64 {
		text := strings.Repeat("EF(x@P0 >= 1 && ", levels) + "cs@P1" + strings.Repeat(")", levels)
		f, err := rctltest.Resolve(c, text)
		if err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(1, func() {
			res, err := rctl.Check(t.Context(), c, f, rctl.Options{Evidence: true, Cores: 1})
			if err != nil || res.Verdict != rctl.Holds || res.Evidence == nil {
				t.Fatal(res, err)
			}
		})
	}
	few, many := allocations(60), allocations(120)
	t.Logf("%.0f allocations for 60 levels, %.0f for 120", few, many)
	if many > 2.8*few {
		t.Errorf("%.0f allocations for 60 levels, and %.0f for 120", few, many)
	}
}
