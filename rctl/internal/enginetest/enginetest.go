// Package enginetest helps to test engines: it makes problems, and computations and
// formulas of the kinds that engines decide.
package enginetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/internal/replay"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// Problem returns the problem of deciding formulas at c's initial cut, without limits.
func Problem(c *graphs.Computation, evidence bool) *engine.Problem {
	ctx := context.Background()
	return &engine.Problem{Slices: regular.New(ctx, c, regular.NewMemo()), Ctx: ctx, Comp: c, Evidence: evidence}
}

// Decide lets an engine decide op f. The verdict is Unknown if the engine does not accept
// the formula.
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

// LocalPredicate writes a predicate of the Boolean variables and numbers of process p, or "" if p has
// no such variable.
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

// Twin decides f from the initial cut of p by an engine. It fails t if the engine has a
// verdict and brute force on the lattice l another, or if a run does not show the
// verdict. It returns ok = false if the engine does not accept f. Failures name the
// caller's case.
func Twin(t testing.TB, number uint64, l *graphtest.Lattice, p *engine.Problem, prepare engine.Engine, f *syntax.Formula) (a engine.Answer, ok bool) {
	t.Helper()
	task, err := prepare(p, f)
	if err != nil {
		t.Fatalf("case %d: %v", number, err)
	}
	if task == nil {
		return a, false
	}
	if a, err = task.Decide(); err != nil {
		t.Fatalf("case %d: %v", number, err)
	}
	// The lattice may hold cuts before the initial one of p.
	want := engine.VerdictOf(rctltest.Holds(l, f)[l.Index(p.Comp.Initial())])
	if a.Verdict != engine.Unknown && a.Verdict != want {
		t.Fatalf("case %d: %s from %v: %v, brute force says %v", number, f, p.Comp.Initial(),
			a.Verdict, want)
	}
	for _, run := range a.Runs {
		if err := CheckRun(l, p.Comp, run); err != nil {
			t.Fatalf("case %d: %s: %v", number, f, err)
		}
	}
	return a, true
}

// RandomFormula returns a formula of any kind. Every third one has longer runs than most: it says
// that one of some predicates of single processes holds until several do, or at all cuts.
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
	// Brute force uses only the cuts of the run, not how it was found.
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
