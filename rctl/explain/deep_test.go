package explain_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/syntax"
)

// deep returns an explainer and evidence of so many levels: EF(x == 0 && EF(x == 1 && …)).
func deep(t *testing.T, levels int) (*explain.Explainer, *rctl.Evidence) {
	t.Helper()
	b := new(graphs.Builder)
	x := b.Variable(b.Process("P"), "x")
	b.Init(x, graphs.Int(0))
	text := strings.Builder{}
	for i := range levels {
		b.Set(x, b.Event(0), graphs.Int(int64(i+1)))
		fmt.Fprintf(&text, "EF(x@P == %d && ", i)
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}

	f, err := syntax.Parse(text.String() + "x@P >= 0" + strings.Repeat(")", levels))
	if err != nil {
		t.Fatal(err)
	}
	resolved, err := syntax.Resolve(t.Context(), f, rctl.Scope(c))
	if err != nil {
		t.Fatal(err)
	}
	result, err := rctl.Check(t.Context(), c, resolved, rctl.Options{Evidence: true})
	if err != nil || result.Verdict != rctl.Holds {
		t.Fatal(result, err)
	}
	return &explain.Explainer{Of: c, Property: f}, result.Evidence
}

// Twice the levels take about twice the allocations. Cubic work would take eight times as
// many, quadratic work four times.
func TestDeepFormulas(t *testing.T) {
	allocations := func(levels int) float64 {
		explainer, evidence := deep(t, levels)
		return testing.AllocsPerRun(1, func() {
			depth := 0
			for l := explainer.Outline(evidence); len(l.Children) > 0; l = l.Children[0] {
				depth++
			}
			if depth < levels-2 {
				t.Errorf("%d levels of %d are explained", depth, levels)
			}
		})
	}
	few, many := allocations(120), allocations(240)
	t.Logf("%.0f allocations for 120 levels, %.0f for 240", few, many)
	if many > 2.6*few {
		t.Errorf("%.0f allocations for 120 levels, and %.0f for 240", few, many)
	}
}

// When its context is done, an explanation looks for no parts of the property any more.
func TestExplanationIsCancelled(t *testing.T) {
	explainer, evidence := deep(t, 20)
	whole := explainer.Outline(evidence)
	if whole.Formula != explainer.Property {
		t.Errorf("the first level explains %v, not the property", whole.Formula)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	explainer.Ctx = ctx
	if l := explainer.Outline(evidence); l.Formula != evidence.Formula {
		t.Errorf("the first level explains %v, although there was no time to find it", l.Formula)
	}
}
