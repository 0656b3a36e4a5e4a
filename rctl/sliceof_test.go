package rctl_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
)

// A slice has every cut that satisfies its formula; a lean one has no other.
func TestSliceOf(t *testing.T) {
	lean, loose, refused := 0, 0, 0
	for i := range pairs(t) / 10 {
		r := rand.New(rand.NewPCG(12, uint64(i)))
		c := graphtest.Random(r, graphtest.DefaultConfig)
		l := graphtest.NewLattice(c)
		fragment := []graphtest.Fragment{graphtest.Full, graphtest.Regular, graphtest.Stateless}[r.IntN(3)]
		f := graphtest.RandomFormula(r, c, graphtest.FormulaConfig{Fragment: fragment})
		s, err := rctl.SliceOf(context.Background(), c, f)
		var none *rctl.NoSliceError
		switch {
		case errors.As(err, &none):
			refused++
			continue
		case err != nil:
			t.Fatalf("%d: %s: %v", i, f, err)
		case s.Lean():
			lean++
		default:
			loose++
		}
		cuts := 0
		for j, holds := range l.Holds(f) {
			in := s.Contains(l.Cuts[j])
			if holds && !in || s.Lean() && in && !holds {
				t.Fatalf("%d: %s at %v: holds is %v, in the slice is %v", i, f, l.Cuts[j], holds, in)
			}
			if in {
				cuts++
			}
		}
		if n := len(graphtest.Cuts(s.Computation())); n != cuts {
			t.Fatalf("%d: %s: the slice read as a computation has %d cuts, not %d", i, f, n, cuts)
		}
	}
	t.Logf("%d lean, %d not, %d refused", lean, loose, refused)
	if n := pairs(t) / 500; lean < n || loose < n || refused < n {
		t.Error("too few of one kind")
	}
}
