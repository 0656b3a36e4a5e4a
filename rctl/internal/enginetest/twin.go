package enginetest

import (
	"testing"

	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/rctltest"
	"github.com/pota-project/pota/rctl/syntax"
)

// Twin decides f from the initial cut of p by an engine. It fails t if the engine has a
// verdict and brute force on the lattice l another, or if a run does not show the
// verdict. It is not ok where the engine does not take f on. Failures name the caller's
// case.
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
