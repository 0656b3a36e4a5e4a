package rctl_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// A slice has every cut that satisfies its formula; a lean one has no other.
func TestSliceOf(t *testing.T) {
	lean, loose, refused := 0, 0, 0
	for i := range pairs(t) / 10 {
		r := rand.New(rand.NewPCG(12, uint64(i)))
		c := graphtest.Random(r, graphtest.DefaultConfig)
		l := graphtest.NewLattice(c)
		fragment := []rctltest.Fragment{rctltest.Full, rctltest.Regular, rctltest.Stateless}[r.IntN(3)]
		f := rctltest.RandomFormula(r, c, rctltest.FormulaConfig{Fragment: fragment})
		text := countText(r, c)
		counted := text != "" && r.IntN(8) == 0
		if counted {
			f = resolved(t, c, text)
		}
		s, err := rctl.SliceOf(context.Background(), c, f)
		var none *rctl.NoSliceError
		switch {
		case errors.As(err, &none) && !counted:
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
		for j, holds := range rctltest.Holds(l, f) {
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

// The slice of a negation of a regular formula, and of a disjunction of such, is the
// least one: its cuts are what unions and intersections make of those that satisfy it.
func TestSliceOfNegationIsLeast(t *testing.T) {
	loose := 0
	rounds := graphtest.Rounds(t, 3000)
	for i := range rounds {
		r := rand.New(rand.NewPCG(35, uint64(i)))
		c := graphtest.Random(r, graphtest.DefaultConfig)
		l := graphtest.NewLattice(c)
		f := rctltest.RandomFormula(r, c, rctltest.FormulaConfig{Fragment: rctltest.Regular})
		if op := []syntax.Op{syntax.OpTrue, syntax.OpEF, syntax.OpAG, syntax.OpEG}[r.IntN(4)]; op != syntax.OpTrue {
			f = &syntax.Formula{Op: op, Sub: []*syntax.Formula{f}}
		}
		f = syntax.Not(f)
		s, err := rctl.SliceOf(context.Background(), c, f)
		if err != nil {
			t.Fatalf("%d: %s: %v", i, f, err)
		}
		closed := closure(l, rctltest.Holds(l, f))
		for j, in := range closed {
			if s.Contains(l.Cuts[j]) != in {
				t.Fatalf("%d: %s at %v: in the slice is %v, in the least one %v", i, f, l.Cuts[j], !in, in)
			}
		}
		if !s.Lean() && !s.Empty() {
			loose++
		}
	}
	if loose < rounds/100 {
		t.Errorf("only %d of %d slices are not lean", loose, rounds)
	}
}

// closure adds unions and intersections to a set of cuts until there are no others.
func closure(l *graphtest.Lattice, set []bool) []bool {
	set = slices.Clone(set)
	for grown := true; grown; {
		grown = false
		for i := range set {
			for j := range i {
				if !set[i] || !set[j] {
					continue
				}
				for _, cut := range []graphs.Cut{l.Cuts[i].Join(l.Cuts[j]), l.Cuts[i].Meet(l.Cuts[j])} {
					if k := l.Index(cut); !set[k] {
						set[k], grown = true, true
					}
				}
			}
		}
	}
	return set
}

// countText compares how many processes satisfy a predicate each, "" where there are none.
func countText(r *rand.Rand, c *graphs.Computation) string {
	bools := make(map[string]bool)
	for _, v := range c.Variables() {
		if v.Kind == graphs.Bool && v.Process >= 0 {
			bools[v.Name] = true
		}
	}
	names := slices.Sorted(maps.Keys(bools))
	if len(names) == 0 {
		return ""
	}
	forms := []string{"forall i != j having %[1]s: !(%[1]s@i && %[1]s@j)", "EF((count i having %[1]s: %[1]s@i) >= 2)", "AG((count i having %[1]s: !%[1]s@i) != 1)"}
	return fmt.Sprintf(forms[r.IntN(len(forms))], names[r.IntN(len(names))])
}

// A variable that a comparison adds on both sides is one of it still.
func TestSliceOfWhatCancels(t *testing.T) {
	sliced := 0
	for i := range pairs(t) / 10 {
		r := rand.New(rand.NewPCG(13, uint64(i)))
		c := graphtest.Random(r, graphtest.DefaultConfig)
		p, q := c.Processes()[r.IntN(c.NumProcesses())], c.Processes()[r.IntN(c.NumProcesses())]
		f, err := rctltest.Resolve(c, fmt.Sprintf("EG(n@%[1]q <= n@%[2]q - rounds@%[1]q + %[3]d + n@%[1]q)", p, q, r.IntN(4)))
		if err != nil {
			continue // there are no such variables
		}
		s, err := rctl.SliceOf(context.Background(), c, f)
		if err != nil {
			continue
		}
		sliced++
		l := graphtest.NewLattice(c)
		for j, holds := range rctltest.Holds(l, f) {
			if in := s.Contains(l.Cuts[j]); holds && !in || s.Lean() && in != holds {
				t.Fatalf("%d: %s at %v: holds is %v, in the slice is %v", i, f, l.Cuts[j], holds, in)
			}
		}
	}
	if sliced == 0 {
		t.Error("there was no slice")
	}
}
