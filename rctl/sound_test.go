package rctl_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// strengthened returns c with a few causal edges more, which tie no further events
// together: all of them lead forwards in one run.
func strengthened(r *rand.Rand, c *graphs.Computation) *graphs.Computation {
	run := c.Topological(c.Initial(), c.Final())
	var added []graphs.Edge
	for range 1 + r.IntN(4) {
		if len(run) < 2 {
			break
		}
		i, j := r.IntN(len(run)), r.IntN(len(run))
		if i > j {
			i, j = j, i
		}
		if e, f := run[i], run[j]; c.Process(e) != c.Process(f) && !c.SameStep(e, f) {
			added = append(added, graphs.Edge{From: e, To: f})
		}
	}
	return c.With(added)
}

func verdictAt(l *graphtest.Lattice, f *syntax.Formula) rctl.Verdict {
	if rctltest.Holds(l, f)[l.Initial] {
		return rctl.Holds
	}
	return rctl.Fails
}

// No sound verdict changes when the trace tells more of causality. Of the others
// many do.
func TestSound(t *testing.T) {
	tally := make(map[string]int)
	for i := range pairs(t) / 20 {
		r := rand.New(rand.NewPCG(31, uint64(i)))
		c := graphtest.Random(r, graphtest.DefaultConfig)
		weak := graphtest.NewLattice(c)
		strong := graphtest.NewLattice(strengthened(r, c))
		if len(weak.Cuts) == len(strong.Cuts) {
			continue
		}
		for range 20 {
			f := rctltest.RandomFormula(r, c, rctltest.FormulaConfig{Fragment: rctltest.Fragment(r.IntN(2)), Depth: 1 + r.IntN(4)})
			if r.IntN(3) == 0 {
				f = resolved(t, c, wholly(r, c))
			}
			if syntax.IsPropositional(f) {
				continue
			}
			was, is := verdictAt(weak, f), verdictAt(strong, f)
			sound := rctl.Sound(f, was)
			if sound && was != is {
				t.Fatalf("seed %d: %s %s and is called sound, with more causality it %s", i, f, was, is)
			}
			tally[fmt.Sprintf("%s, sound %t, changed %t", was, sound, was != is)]++
		}
	}
	t.Log(tally)
	for _, verdict := range []rctl.Verdict{rctl.Holds, rctl.Fails} {
		for _, kind := range []string{"sound true, changed false", "sound false, changed true"} {
			if n := tally[fmt.Sprintf("%s, %s", verdict, kind)]; n < pairs(t)/10_000 {
				t.Errorf("%s, %s: only %d", verdict, kind, n)
			}
		}
	}
}

// wholly is a random formula that one operator over predicates of processes makes.
func wholly(r *rand.Rand, c *graphs.Computation) string {
	p, q := "true", "false"
	for range 4 {
		if text := localText(r, c, r.IntN(c.NumProcesses())); text != "" {
			p, q = q, text
		}
	}
	form := []string{
		"EF(%s || %s)", "EF(%s && %s)", "AF(%s || %s)", "AF(%s && %s)", "EG(%s || %s)", "EG(%s && %s)", "AG(%s || %s)", "AG(%s && %s)",
		"E[%s U %s]", "A[%s U %s]", "E[%s R %s]", "A[%s R %s]", "E[%s W %s]", "A[%s W %s]",
		"EX(%s && %s)", "AX(%s || %s)", "AG(%s -> EF(%s))", "AG(%s -> AF(%s))", "EF(%s && EG(%s))",
	}[r.IntN(19)]
	return fmt.Sprintf(form, p, q)
}

// What is called unsound on the left is so for a reason: of two processes without
// messages, one edge changes the verdict. The formulas on the right look alike and
// do not change.
func TestSoundExamples(t *testing.T) {
	b := new(graphs.Builder)
	var events [2][]graphs.Handle
	for p, name := range []string{"x", "y"} {
		v := b.Variable(b.Process("P"+name), name)
		b.Init(v, graphs.Int(0))
		for k := range 2 {
			h := b.Event(p)
			b.Set(v, h, graphs.Int(int64(k+1)))
			events[p] = append(events[p], h)
		}
	}
	c, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	// y@Py becomes 1 after x@Px has become 2.
	d := c.With([]graphs.Edge{{From: c.Event(0, 2), To: c.Event(1, 1)}})
	weak, strong := graphtest.NewLattice(c), graphtest.NewLattice(d)
	for _, test := range []struct {
		formula         string
		was             rctl.Verdict
		sound, changing bool
	}{
		{"EF(x == 1 && y == 1)", rctl.Holds, false, true},
		{"AG(x != 1 || y != 1)", rctl.Fails, false, true},
		{"EG(x < 2 || y > 0)", rctl.Holds, false, true},
		{"AF(x == 2 && y == 0)", rctl.Fails, false, true},
		{"EX(y == 1)", rctl.Holds, false, true},
		{"AX(x == 1)", rctl.Fails, false, true},
		{"E[x == 0 U y == 1]", rctl.Holds, false, true},
		{"A[y == 0 U x == 2]", rctl.Fails, false, true},
		{"AG(x == 1 -> AX(x == 2))", rctl.Fails, false, true},
		{"AG(EF(x == 2 && y == 0) || y > 0)", rctl.Holds, false, false},
		{"EF(x == 2 && y == 1)", rctl.Holds, false, false}, // holds in every run, which its form does not tell
		{"EF(x == 1)", rctl.Holds, true, false},
		{"EF(x == 1 || y == 1)", rctl.Holds, true, false},
		{"EG(x < 3 && y < 3)", rctl.Holds, true, false},
		{"AG(x < 2 && y < 2)", rctl.Fails, true, false},
		{"AG(x == 1 -> EF(y == 2))", rctl.Holds, true, false},
		{"AG(x == 1 -> EF(y == 3))", rctl.Fails, false, false}, // nor what an unreachable number means,
		{"AF(x == 3)", rctl.Fails, true, false},
		{"EF(x == 3 && y == 1)", rctl.Fails, true, false},
		{"AG(x >= y || y >= x)", rctl.Holds, true, false},
		{"A[x <= 1 R y >= 0] && !EF(x == 1 && y == 3)", rctl.Holds, true, false},
		{"x == 0", rctl.Holds, true, false},
	} {
		f := resolved(t, c, test.formula)
		was, is := verdictAt(weak, f), verdictAt(strong, f)
		if was != test.was || (was != is) != test.changing || rctl.Sound(f, was) != test.sound {
			t.Errorf("%s: %s, then %s, sound %t", test.formula, was, is, rctl.Sound(f, was))
		}
		if !rctl.Sound(f, rctl.Unknown) {
			t.Errorf("%s: unknown is called unsound", test.formula)
		}
	}
}
