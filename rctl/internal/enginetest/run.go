package enginetest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/replay"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// RandomFormula returns a formula of any kind. Every third one has longer runs than most: one of
// some predicates of single processes holds until several do, or all along.
func RandomFormula(r *rand.Rand, c *graphs.Computation) *syntax.Formula {
	var locals []string
	for range 4 {
		if text := LocalPredicate(r, c, r.IntN(c.NumProcesses())); text != "" {
			locals = append(locals, text)
		}
	}
	// Two locals are for the run and at least one for its end.
	if len(locals) < 3 || r.IntN(3) > 0 {
		return rctltest.RandomFormula(r, c,
			rctltest.FormulaConfig{Fragment: rctltest.Fragment(r.IntN(2))})
	}
	along, goal := locals[0]+" || "+locals[1], strings.Join(locals[2:], " && ")
	f, err := rctltest.Resolve(c, [...]string{
		"EG(" + along + ")", "E[" + along + " U " + goal + "]", "E[" + along + " W " + goal + "]", "E[" + goal + " R " + along + "]",
	}[r.IntN(4)])
	if err != nil {
		panic(err)
	}
	return f
}

// CheckRun executes a run of c, a computation with cuts of l only, and checks by brute force what
// the run says of nested formulas. If the run claims to be shortest, that is checked, too.
func CheckRun(l *graphtest.Lattice, c *graphs.Computation, run *engine.Run) error {
	if err := replay.Check(c, c.Initial(), run); err != nil {
		return err
	}
	// Brute force knows the cuts alone, not how the run was found.
	before, end := replay.Obligations(run)
	along, goal := rctltest.Holds(l, before), rctltest.Holds(l, end)
	cut := c.Initial().Clone()
	for _, event := range run.In(c) {
		if i := l.Index(cut); i >= 0 && !along[i] { // within a step there is no cut
			return fmt.Errorf("%s fails at %v", before, cut)
		}
		// Cuts grow by events, since a step of several is a run of events here.
		cut[c.Process(event)]++
	}
	if !goal[l.Index(cut)] {
		return fmt.Errorf("%s fails at the end %v", end, cut)
	}
	// These runs do not claim to be shortest.
	if run.MaybeShorter || run.Whole || run.Formula.Op == syntax.OpEX {
		return nil
	}
	if least := l.LeastSize(goal, along, c.Initial()); cut.Size() != least {
		return fmt.Errorf("the run ends at %v, a nearest cut has %d events", cut, least)
	}
	return nil
}
