package online

import (
	"context"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/clocks"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Whole is the answer on a whole computation, with a run that shows it.
type Whole struct {
	Answer
	Sound bool // whether no further order of events could change the verdict

	// The subject of the evidence: if the formula has bindings, one of them. The evidence is nil if no
	// run shows the verdict.
	Formula     *syntax.Formula
	Resolved    *syntax.Formula
	Computation *graphs.Computation
	Evidence    *rctl.Evidence
}

// DecideWhole decides a parsed formula on a whole computation: by binding if it has bindings, as pota detect does on a
// recorded trace. A verdict must hold for all clocks that agree within skew; otherwise it is Unknown.
func DecideWhole(ctx context.Context, c *graphs.Computation, f *syntax.Formula, opts bindings.Options, skew time.Duration) Whole {
	if !byClocks(f, skew) {
		return decideWhole(ctx, c, f, opts)
	}
	readings, err := clocks.Read(ctx, c, opts.Times.Unit)
	if err == nil {
		opts.Times.Model, err = readings.Skew(skew)
	}
	if err != nil { // a time is malformed, or the clocks do not agree within skew
		return Whole{Answer: Answer{Reason: err.Error(), Misfit: err}}
	}
	w := decideWhole(ctx, c, f, opts)
	opts.Times.InFavour = true
	if decideWhole(ctx, c, f, opts).Verdict != w.Verdict {
		return Whole{Answer: Answer{Reason: dependsOnClocks}}
	}
	return w
}

// byClocks reports whether a formula compares times while clocks may be off.
func byClocks(f *syntax.Formula, skew time.Duration) bool {
	return skew > 0 && syntax.ComparisonsOf(f).Any
}

// decideWhole decides a formula by the times in opts.
func decideWhole(ctx context.Context, c *graphs.Computation, f *syntax.Formula, opts bindings.Options) (w Whole) {
	opts.Evidence = true
	w.Formula, w.Computation = f, c
	var shown *rctl.Result
	found, err := bindings.Check(ctx, c, f, opts)
	switch {
	case err != nil:
	case found != nil:
		w.Verdict, w.Reason = found.Verdict, found.Reason
		w.Bindings, w.Bound = found, boundOf(found)
		w.Sound = rctl.Sound(f, w.Verdict)
		if len(found.First) > 0 {
			first := &found.First[0]
			w.Formula, w.Computation = first.Formula, first.Computation
			w.Resolved = first.Resolved
			shown = first.Result
		}
	default:
		var of rctl.Resolved
		if of, err = rctl.ResolveWith(ctx, c, f, opts.Times); err == nil {
			shown, err = rctl.Check(ctx, of.Computation, of.Formula, opts.Options)
		}
		if err == nil {
			w.Computation, w.Resolved = of.Computation, of.Formula
			w.Verdict, w.Reason = shown.Verdict, shown.Reason
			w.Sound = rctl.Sound(of.Formula, w.Verdict)
		}
	}
	if err != nil {
		w.Reason, w.Misfit = reasonOf(err), err
		return w
	}
	if shown == nil || shown.Evidence == nil {
		return w
	}
	w.Evidence = shown.Evidence
	for _, e := range w.Evidence.Run {
		w.Steps = append(w.Steps, w.Computation.ID(e))
	}
	if found != nil {
		return w // the cut contains only events of the binding
	}
	for _, n := range w.Evidence.Cut {
		w.Cut = append(w.Cut, int64(n))
	}
	return w
}
