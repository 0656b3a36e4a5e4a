package flow

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/engine"
)

// The example of the package's doc: p adds 3 and needs q, which takes 1.
func TestDocOfMinimumCuts(t *testing.T) {
	var b graphs.Builder
	b.Process("P")
	b.Process("Q")
	p, q := b.Event(0), b.Event(1)
	b.Order(q, p)
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	weight := []int64{0, 3, -1, 0} // ⊥, p, q, ⊤
	cut, err := heavy(t.Context(), c, c.Initial(), c.Final(), weight, 1, math.MaxInt64, 0)
	if err != nil || !cut.Equal(graphs.Cut{1, 1}) {
		t.Errorf("the heaviest cut is %v (%v), not that with both", cut, err)
	}

	g := &closure{comp: c, weights: weight, sign: 1}
	if err := g.build(t.Context(), c.Initial(), c.Final()); err != nil {
		t.Fatal(err)
	}
	left, err := g.saturate(t.Context(), math.MaxInt64, 0)
	if err != nil || left != 2 || slices.Max(g.flow) != 1 {
		t.Errorf("%d are left of flows %v (%v), not 2 of a flow of 1", left, g.flow, err)
	}
}

// The example at passage: P takes 2 and gives them back, Q takes 1 for good, of 2.
func TestDocOfPassages(t *testing.T) {
	var b graphs.Builder
	b.Process("P")
	b.Process("Q")
	for _, p := range []int{0, 0, 1} {
		b.Event(p)
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	weight := []int64{0, 2, -2, 1, 0} // ⊥, P's events, Q's event, ⊤
	s := newPassage(c, weight, 2, c.Initial(), c.Final())
	cut := c.Initial().Clone()
	if run, sum := s.settle(cut, c.Final(), 0, nil); !slices.Equal(run, []graphs.Event{1, 2}) || sum != 0 {
		t.Errorf("at once %v are executed, to the sum %d, not P's events", run, sum)
	}
	s.enough = 1
	s.states = maxStates
	o, err := s.attempt(context.Background(), 0)
	if err != nil || o.verdict != engine.Holds || !slices.Equal(o.run, []graphs.Event{1, 2, 3}) {
		t.Errorf("%v: %v (%v), not P first and then Q", o.verdict, o.run, err)
	}
}
