package enginetest

import (
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// Twin decides f from the initial cut of p by an engine, and fails t where brute force on the
// lattice l says otherwise, unless the engine does not know, or where a run does not show the
// verdict. It is not ok where the engine does not take f on.
func Twin(t testing.TB, l *graphtest.Lattice, p *engine.Problem, prepare engine.Engine, f *syntax.Formula) (a engine.Answer, ok bool) {
	t.Helper()
	task, err := prepare(p, f)
	if err != nil {
		t.Fatal(err)
	}
	if task == nil {
		return a, false
	}
	if a, err = task.Decide(); err != nil {
		t.Fatal(err)
	}
	want := engine.VerdictOf(l.Holds(f)[l.Index(p.Comp.Initial())])
	if a.Verdict != engine.Unknown && a.Verdict != want {
		t.Fatalf("%s from %v: %v, brute force says %v", f, p.Comp.Initial(), a.Verdict, want)
	}
	for _, run := range a.Runs {
		if err := CheckRun(l, p.Comp, run); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
	}
	return a, true
}
