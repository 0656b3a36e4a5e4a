package infer

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/rctl/vacuity"
)

// maxMemory bounds an enumeration of cuts: a property that needs more is not worth a line.
const maxMemory = 64 << 20

// A judge decides formulas on one run, as the command detect does: in all orders that causality
// allows, or in the recorded one.
//
// Facts choose candidates, and the judge decides: each printed line was decided by the same
// engines as those of detect. Verdicts are kept by the text of the formula, because several lists
// ask for the same one.
type judge struct {
	run      Run
	recorded bool // the order is the recorded one
	timeout  time.Duration
	known    map[string]rctl.Verdict

	comp    *graphs.Computation // for the first decision, as session is
	session *rctl.Session
}

// newJudge returns a judge for a run.
func newJudge(r Run, recorded bool, timeout time.Duration) *judge {
	return &judge{run: r, recorded: recorded, timeout: timeout, known: make(map[string]rctl.Verdict)}
}

// recordedOrder returns the computation with the recorded order as its only run; that order must be
// known. Its time complexity is O(|V|+|edges|).
func recordedOrder(c *graphs.Computation) *graphs.Computation {
	ordered, err := c.Ordered(slices.Values(c.RunEdges(c.Recorded())))
	if err != nil {
		panic(fmt.Sprintf("this cannot happen, because what was recorded is a run: %v", err))
	}
	return ordered
}

// decide returns the verdict on a formula, as parsed, for all times that the clocks allow. It is
// Unknown where the run lacks what the formula speaks of, or at a limit.
//
// Times against the formula come first: if it holds with them, it holds with all. It fails for
// certain only if the times in its favour break it, too. Between the two lies Unknown.
func (j *judge) decide(ctx context.Context, f *syntax.Formula) rctl.Verdict {
	text := f.String()
	if v, ok := j.known[text]; ok {
		return v
	}
	within, cancel := context.WithTimeout(ctx, j.timeout)
	defer cancel()
	d := j.with(within, f, j.run.Against, false)
	if d.clocks && d.verdict != rctl.Holds {
		if d = j.with(within, f, j.run.InFavour, false); d.verdict != rctl.Fails {
			d.verdict = rctl.Unknown
		}
	}
	// What was not decided because the time is over may be decided another time.
	if ctx.Err() == nil {
		j.known[text] = d.verdict
	}
	return d.verdict
}

// vacuous reports whether it says little that a formula holds on the run.
//
// For example, AG(p -> q) holds vacuously on a run that never comes to p. An error counts as
// vacuous: a line must not rest on something that could not be looked at.
func (j *judge) vacuous(ctx context.Context, f *syntax.Formula) bool {
	ctx, cancel := context.WithTimeout(ctx, j.timeout)
	defer cancel()
	return j.with(ctx, f, j.run.Against, true).vacuous
}

// A decision is a verdict, whether clocks decide it, and whether it says little.
type decision struct {
	verdict         rctl.Verdict
	clocks, vacuous bool
}

// with decides a formula for some times of events. Vacuity is looked for where it is asked, for a
// formula that holds.
func (j *judge) with(ctx context.Context, f *syntax.Formula, times scope.Times, whetherVacuous bool) decision {
	if j.session == nil {
		j.comp = j.run.Computation
		if j.recorded {
			j.comp = recordedOrder(j.comp)
		}
		j.session = rctl.NewSession(j.comp)
	}
	opts := rctl.Options{MaxMemory: maxMemory, Cores: 1}
	unknown := decision{vacuous: true}
	found, err := bindings.Check(ctx, j.comp, f, bindings.Options{Options: opts, Times: times})
	if err != nil {
		return unknown
	}
	if found != nil {
		return decision{found.Verdict, found.DependsOnClocks, found.Total == 0 || len(found.Notes()) > 0}
	}
	about, err := rctl.ResolveWith(ctx, j.comp, f, times)
	if err != nil {
		return unknown
	}
	// Columns of events make another computation.
	session := j.session
	if about.Computation != j.comp {
		session = rctl.NewSession(about.Computation)
	}
	if whetherVacuous {
		notes := vacuity.Find(ctx, session, about.Computation, f, about.Formula, rctl.Holds, opts)
		return decision{rctl.Holds, about.DependsOnClocks, len(notes) > 0}
	}
	res, err := session.Decide(ctx, about.Formula, opts)
	if err != nil {
		return unknown
	}
	return decision{res.Verdict, about.DependsOnClocks, false}
}
