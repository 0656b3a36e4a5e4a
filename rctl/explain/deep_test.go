package explain_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/syntax"
)

// deep returns an explainer and evidence of so many levels, EF(x == 0 && EF(x == 1 && …)), in a
// trace with so many events and messages beside.
func deep(t *testing.T, levels, beside int) (*explain.Explainer, *rctl.Evidence) {
	t.Helper()
	b := new(graphs.Builder)
	x := b.Variable(b.Process("P"), "x")
	b.Init(x, graphs.Int(0))
	text := strings.Builder{}
	for i := range levels {
		b.SetTime(b.Event(0), fmt.Sprint(i))
		b.Set(x, graphs.Handle(i), graphs.Int(int64(i+1)))
		fmt.Fprintf(&text, "EF(x@P == %d && ", i)
	}
	q, r := b.Process("Q"), b.Process("R")
	for i := range beside / 2 {
		send, recv := b.Event(q), b.Event(r)
		b.SetTime(send, fmt.Sprint(i))
		b.SetTime(recv, fmt.Sprint(i))
		b.Deliver(b.NewMessage("m"), send, recv, -1)
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
	result, err := rctl.Check(t.Context(), c, resolved, rctl.Options{Evidence: true, Cores: 1})
	if err != nil || result.Verdict != rctl.Holds {
		t.Fatal(result, err)
	}
	return &explain.Explainer{Of: c, Property: f}, result.Evidence
}

// The work of an explanation is the same for each level, however many there are, and does not grow
// with events that no level is about, beside one look at each.
func TestDeepFormulas(t *testing.T) {
	// work returns the kilobytes that deciding and explaining take.
	work := func(levels, beside int) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		explainer, evidence := deep(t, levels, beside)
		var text strings.Builder
		if err := explainer.Write(&text, evidence); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if n := strings.Count(text.String(), " holds: "); n < levels-1 {
			t.Errorf("%d levels of %d are explained", n, levels)
		}
		return float64(after.TotalAlloc-before.TotalAlloc) / 1024
	}
	work(50, 50) // what is made once
	few, many := work(100, 0)/100, work(800, 0)/800
	t.Logf("%.1f KB for each of 100 levels, %.1f for each of 800", few, many)
	if many > 1.5*few {
		t.Errorf("%.1f KB for each of 100 levels, but %.1f for each of 800", few, many)
	}
	once, look := work(100, 20_000)-100*few, work(800, 20_000)-800*many
	t.Logf("20,000 events beside add %.0f KB to 100 levels, and %.0f to 800", once, look)
	if look > 1.5*once {
		t.Errorf("20,000 events beside add %.0f KB to 100 levels, but %.0f to 800", once, look)
	}
}

// When its context is done, an explanation looks for no parts of the property any more.
func TestExplanationIsCancelled(t *testing.T) {
	explainer, evidence := deep(t, 20, 0)
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
