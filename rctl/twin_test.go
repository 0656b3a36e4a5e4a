package rctl_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// pairs is how many random pairs of computation and formula are decided: twenty times as
// many with -full.
func pairs(t *testing.T) int {
	return graphtest.RoundsUpTo(t, 10_000, 200_000)
}

const formulasEach = 8 // of one computation

// Every verdict of every engine is that of brute force over all cuts; evidence
// replays (Check sees to that), and for EF it is as short as can be.
func TestAgainstBruteForce(t *testing.T) {
	tally := make(map[string]int)
	for i := range pairs(t) / formulasEach {
		r := rand.New(rand.NewPCG(11, uint64(i)))
		config := graphtest.DefaultConfig
		switch i % 4 {
		case 0:
			config.Events = 1 + r.IntN(6)
		case 1:
			config.Kinds |= graphtest.SharedSteps
		}
		c := graphtest.Random(r, config)
		l := graphtest.NewLattice(c)
		session := rctl.NewSession(c)
		for range formulasEach {
			f := rctltest.RandomFormula(r, c, rctltest.FormulaConfig{Fragment: rctltest.Fragment(r.IntN(2))})
			if r.IntN(6) == 0 {
				if special := specialFormula(r, c); special != "" {
					f = resolved(t, c, special)
				}
			}
			if err := compare(r, l, session, f, tally); err != nil {
				t.Fatalf("pair %d: %v", i, err)
			}
		}
	}
	t.Log(tally)
	for _, engine := range rctl.Engines()[1:] {
		if tally[engine] < pairs(t)/1000 {
			t.Errorf("%s: only %d of %d", engine, tally[engine], pairs(t))
		}
		for _, want := range []string{"auto: " + engine + " holds", "auto: " + engine + " fails"} {
			if engine != "local" && tally[want] < pairs(t)/10_000 { // there are too few cuts for local
				t.Errorf("%s: only %d of %d", want, tally[want], pairs(t))
			}
		}
	}
	if tally["run"] < pairs(t)/10 || tally["child"] < pairs(t)/100 || tally["nested run"] < pairs(t)/100 {
		t.Errorf("only %d runs with %d children, %d along which nested operators hold", tally["run"], tally["child"], tally["nested run"])
	}
}

// specialFormula is of a kind that some engine is made for and that random formulas
// hardly ever are of.
func specialFormula(r *rand.Rand, c *graphs.Computation) string {
	var locals []string
	for p := range c.NumProcesses() {
		if text := localText(r, c, p); text != "" {
			locals = append(locals, text)
		}
	}
	if len(locals) < 2 {
		return ""
	}
	switch r.IntN(4) {
	case 0:
		var pairs []string
		for i, a := range locals {
			for _, b := range locals[:i] {
				pairs = append(pairs, fmt.Sprintf("%s && %s", a, b))
			}
		}
		return "EF(" + strings.Join(pairs, " || ") + ")"
	case 1:
		return "EG(" + strings.Join(locals, " || ") + ")"
	case 2:
		return "AF(" + strings.Join(locals, " && ") + ")"
	}
	return "AG(" + locals[0] + " -> EG(" + strings.Join(locals, " || ") + "))"
}

// localText is a predicate of process p, "" where it has no variable.
func localText(r *rand.Rand, c *graphs.Computation, p int) string {
	var mine []*graphs.Variable
	for _, v := range c.Variables() {
		if v.Process == p {
			mine = append(mine, v)
		}
	}
	if len(mine) == 0 {
		return ""
	}
	v := mine[r.IntN(len(mine))]
	name := fmt.Sprintf("%s@%q", v.Name, c.Processes()[p])
	switch v.Kind {
	case graphs.Number:
		return fmt.Sprintf("%s %s %d", name, []string{">=", "<", "==", "!="}[r.IntN(4)], r.IntN(3))
	case graphs.Bool:
		return []string{"", "!"}[r.IntN(2)] + name
	}
	return fmt.Sprintf("%s != %s", name, v.Value(r.IntN(v.Len()+1)-1))
}

func resolved(t *testing.T, c *graphs.Computation, text string) *syntax.Formula {
	t.Helper()
	f, err := rctltest.Resolve(c, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return f
}

func compare(r *rand.Rand, l *graphtest.Lattice, session *rctl.Session, f *syntax.Formula, tally map[string]int) error {
	want := rctl.Fails
	if rctltest.Holds(l, f)[l.Initial] {
		want = rctl.Holds
	}
	for e := range rctl.Engines() {
		opts := rctl.Options{Engine: rctl.Engine(e), Evidence: true, NoProjection: r.IntN(2) == 0}
		engine := opts.Engine.String()
		res, err := session.Check(context.Background(), f, opts)
		switch {
		case err != nil:
			return fmt.Errorf("%s by %s: %w", f, engine, err)
		case res.Verdict == rctl.Unknown && opts.Engine != rctl.Auto && opts.Engine != rctl.Explicit:
			continue
		case res.Verdict != want:
			return fmt.Errorf("%s by %s (%s): %s (%s), brute force says %s", f, engine, res.Engine, res.Verdict, res.Reason, want)
		case opts.Engine == rctl.Auto:
			tally["auto: "+res.Engine.String()+" "+res.Verdict.String()]++
		default:
			tally[engine]++
		}
		var shown []*rctl.Evidence
		if res.Evidence != nil {
			if err := checkEvidence(l, f, res.Evidence, tally); err != nil {
				return fmt.Errorf("%s by %s: %w", f, engine, err)
			}
			if shown = res.Evidence.Children; syntax.IsExistential(res.Evidence.Formula) {
				shown = []*rctl.Evidence{res.Evidence}
			}
		}
		if n := runsFor(rctl.Shown(f, want)); len(shown) < n {
			return fmt.Errorf("%s by %s: %d pieces of evidence, not %d", f, engine, len(shown), n)
		}
	}
	return nil
}

// runsFor is how many runs at least show f, in negation normal form, where it holds.
func runsFor(f *syntax.Formula) int {
	n := 0
	switch {
	case syntax.IsExistential(f):
		return 1
	case f.Op == syntax.OpAnd:
		for _, sub := range f.Sub {
			n += runsFor(sub)
		}
	case f.Op == syntax.OpOr:
		n = runsFor(f.Sub[0])
		for _, sub := range f.Sub[1:] {
			n = min(n, runsFor(sub))
		}
	}
	return n
}

// checkEvidence checks that what each run claims is true, by brute force, and that what is to
// hold where it ends has evidence.
func checkEvidence(l *graphtest.Lattice, f *syntax.Formula, e *rctl.Evidence, tally map[string]int) error {
	tally["run"]++
	holds := rctltest.Holds(l, e.Formula)
	if !holds[l.Index(e.Start)] {
		return fmt.Errorf("the evidence shows %s, which is false at %v", e.Formula, e.Start)
	}
	size := -1
	switch e.Formula.Op {
	case syntax.OpEF:
		size = l.LeastSize(rctltest.Holds(l, e.Formula.Sub[0]), nil, e.Start)
	case syntax.OpEU:
		size = l.LeastSize(rctltest.Holds(l, e.Formula.Sub[1]), rctltest.Holds(l, e.Formula.Sub[0]), e.Start)
	}
	if size >= 0 && !e.MaybeShorter && e.Cut.Size() != size {
		return fmt.Errorf("the run for %s from %v ends at %v, the nearest such cut has %d events", e.Formula, e.Start, e.Cut, size)
	}
	if err := checkRun(l, e, tally); err != nil {
		return err
	}
	if reaches := !e.Whole || e.Formula.Op == syntax.OpEF || e.Formula.Op == syntax.OpEX; reaches && syntax.IsExistential(e.Formula) {
		if n := runsFor(syntax.NNF(syntax.Goal(e.Formula))); len(e.Children) < n {
			return fmt.Errorf("the run for %s has %d children, not %d", e.Formula, len(e.Children), n)
		}
	}
	for _, child := range e.Children {
		tally["child"]++
		if !child.Start.Equal(e.Cut) {
			return fmt.Errorf("a child starts at %v, not at %v", child.Start, e.Cut)
		}
		if err := checkEvidence(l, f, child, tally); err != nil {
			return err
		}
	}
	return nil
}

// checkRun checks that what the operator of evidence asks of each cut of its run is true
// there, operators nested in it included, by brute force.
func checkRun(l *graphtest.Lattice, e *rctl.Evidence, tally map[string]int) error {
	f := e.Formula
	if !syntax.IsExistential(f) {
		return nil // each child shows an operand
	}
	during, end := &syntax.Formula{Op: syntax.OpTrue}, f.Sub[len(f.Sub)-1]
	switch f.Op {
	case syntax.OpEG:
		during = end
	case syntax.OpER:
		if during = end; !e.Whole {
			end = syntax.And(f.Sub...)
		}
	case syntax.OpEU, syntax.OpEW:
		if during = f.Sub[0]; e.Whole && f.Op == syntax.OpEW {
			end = syntax.Or(f.Sub...)
		}
	}
	if !syntax.IsPropositional(during) && len(e.Run) > 0 {
		tally["nested run"]++
	}
	cut, c := e.Start.Clone(), l.Computation
	asks, ends := rctltest.Holds(l, during), rctltest.Holds(l, end)
	for run := e.Run; len(run) > 0; {
		if !asks[l.Index(cut)] {
			return fmt.Errorf("the run for %s comes to %v, where %s is false", f, cut, during)
		}
		step := c.Step(run[0])
		for _, e := range run[:len(step)] {
			cut[c.Process(e)]++
		}
		run = run[len(step):]
	}
	if !cut.Equal(e.Cut) || !ends[l.Index(cut)] {
		return fmt.Errorf("the run for %s ends at %v, where %s is false, or not at %v", f, cut, end, e.Cut)
	}
	return nil
}
