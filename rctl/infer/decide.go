package infer

import (
	"context"
	"time"

	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/rctl/vacuity"
)

// maxMemory bounds the memory for one decision, in bytes; a property that needs more is not worth a
// line.
const maxMemory = 64 << 20

// A judge decides formulas on one run, as the command detect does.
//
// Facts choose candidates, and the judge decides them: the engines of detect have decided each
// printed line. Verdicts are cached by the text of the formula, because several lists need the same
// ones.
type judge struct {
	run     Run
	timeout time.Duration
	known   map[string]rctl.Verdict
	session *rctl.Session
}

// newJudge returns a judge for a run.
func newJudge(r Run, timeout time.Duration) *judge {
	return &judge{run: r, timeout: timeout, known: make(map[string]rctl.Verdict), session: rctl.NewSession(r.Computation)}
}

// decide returns the verdict on a parsed formula for all times that the clocks allow. It is Unknown
// if the formula does not resolve on the run, or at a limit.
//
// Times against the formula come first: if it holds with them, it holds with all times. It certainly
// fails only if it also fails with the times in its favour. Otherwise the verdict is Unknown.
func (j *judge) decide(ctx context.Context, f *syntax.Formula) rctl.Verdict {
	text := f.String()
	if v, ok := j.known[text]; ok {
		return v
	}
	within, cancel := context.WithTimeout(ctx, j.timeout)
	defer cancel()
	d := j.with(within, f, false)
	if d.clocks && d.verdict != rctl.Holds {
		if d = j.with(within, f, true); d.verdict != rctl.Fails {
			d.verdict = rctl.Unknown
		}
	}
	// A formula that was not decided because ctx has ended may be decided later.
	if ctx.Err() == nil {
		j.known[text] = d.verdict
	}
	return d.verdict
}

// vacuous reports whether a formula holds vacuously on the run.
//
// For example, AG(p -> q) holds vacuously on a run on which p is never true. An error counts as
// vacuous: a line must not depend on a formula that could not be decided.
func (j *judge) vacuous(ctx context.Context, f *syntax.Formula) bool {
	ctx, cancel := context.WithTimeout(ctx, j.timeout)
	defer cancel()
	return j.with(ctx, f, false).vacuous()
}

// A decision is a verdict, with whether it depends on clocks, and a test for vacuity.
type decision struct {
	verdict rctl.Verdict
	clocks  bool
	vacuous func() bool
}

// with decides a formula. Comparisons of times that depend on clocks are decided in its favour, or all
// against it.
func (j *judge) with(ctx context.Context, f *syntax.Formula, inFavour bool) decision {
	times := j.run.Times
	times.InFavour = inFavour
	opts := rctl.Options{MaxMemory: maxMemory, Cores: 1}
	unknown := decision{vacuous: func() bool { return true }}
	found, err := bindings.Check(ctx, j.run.Computation, f, bindings.Options{Options: opts, Times: times})
	if err != nil {
		return unknown
	}
	if found != nil {
		vacuous := func() bool { return found.Total == 0 || len(found.Notes()) > 0 }
		return decision{found.Verdict, found.DependsOnClocks, vacuous}
	}
	about, err := rctl.ResolveWith(ctx, j.run.Computation, f, times)
	if err != nil {
		return unknown
	}
	// A formula about events has a computation with columns.
	session := j.session
	if about.Computation != j.run.Computation {
		session = rctl.NewSession(about.Computation)
	}
	res, err := session.Decide(ctx, about.Formula, opts)
	if err != nil {
		return unknown
	}
	return decision{res.Verdict, about.DependsOnClocks, func() bool {
		return len(vacuity.Find(ctx, session, about.Computation, f, about.Formula, rctl.Holds, opts)) > 0
	}}
}
