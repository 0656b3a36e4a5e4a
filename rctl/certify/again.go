package certify

import (
	"context"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/internal/effort"
	"github.com/pota-project/pota/rctl/syntax"
)

// StepsAgain returns how many steps may be spent on a verdict without a proof, for a trace with the
// given number of events, if no other limit was set: about two seconds or, for a long trace, four
// steps for each event.
func StepsAgain(events int) int64 { return max(maxSteps, 4*int64(events)) }

// visits is how many visits of events count as one step.
const visits = 32

// Again decides f, resolved in the scope of c, by the engines one after the other, leaving out
// one of them. It returns the first result, nil if there is none. Steps bounds the work of all
// of them, and 0 means no bound; each gets an equal part of the rest. At first each has least bytes
// of memory. As long as none decides f, and most allows it, all try again with 16 times as many
// bytes, so that an expensive engine does not delay the others. Errors are ctx.Err() and those of
// rctl.Check.
func Again(ctx context.Context, c *graphs.Computation, f *syntax.Formula, but string, steps, least, most int64) (*rctl.Result, error) {
	some, end := effort.Limited(effort.Counted(ctx), steps)
	defer end()
	engines := rctl.Engines()
	// Found on first use and shared by all rounds: projection is a pass over the trace.
	var seen *graphs.Computation // the part that engines from Intervals on read
	wide := 0                    // how many of its processes have events
	// Each round multiplies the memory by 16, so all rounds before the last together cost at most
	// about a fifteenth of it in memory-bound work.
	for memory := least; ; memory *= 16 {
		for e := rctl.Slice; int(e) < len(engines); e++ {
			if engines[e] == but {
				continue
			}
			on, weight := c, int64(1)
			// Engines from Intervals on look only at the events that the formula depends on.
			if e >= rctl.Intervals {
				if seen == nil {
					var err error
					if seen, err = rctl.Projected(some, c, f); err != nil {
						return nil, err
					}
					for p := range seen.NumProcesses() {
						wide += min(seen.Len(p), 1)
					}
					// The engine finds the error.
					_ = effort.Spend(some, int64(wide)*int64(c.NumEvents())/visits)
				}
				on = seen
			}
			// Each engine gets an equal part by time and not by steps: a step of Local costs a
			// cut, as many words as processes, so its part is divided by more.
			if e >= rctl.Local { // for these engines a step is a cut
				weight += int64(wide / visits)
			}
			if e > rctl.Local { // these engines begin with a pass for each process
				// The engine finds the error.
				_ = effort.Spend(some, int64(wide)*int64(on.NumEvents())/visits)
			}
			res, err := by(some, on, f, int64(len(engines)-int(e))*weight, rctl.Options{Engine: e, MaxMemory: min(memory, most), Cores: 1})
			if err != nil || res.Verdict != rctl.Unknown {
				return res, err
			}
			// The steps of all engines are used up, or ctx is done. In the former case
			// ctx.Err() is nil.
			if some.Err() != nil {
				return nil, ctx.Err()
			}
		}
		// Every engine has had all the memory allowed, and none decides.
		if memory >= most {
			return nil, nil
		}
	}
}

// by decides f with one of several equal parts of the steps that are left.
func by(ctx context.Context, c *graphs.Computation, f *syntax.Formula, parts int64, opts rctl.Options) (*rctl.Result, error) {
	left, limited := effort.Left(ctx)
	// At least one step, as zero would mean no bound.
	if limited {
		left = max(left/parts, 1)
	}
	part, end := effort.Limited(ctx, left)
	defer end()
	res, err := rctl.Check(part, c, f, opts)
	if err == nil {
		res.Engine = opts.Engine // the engine may have delegated to a cheaper one
	}
	return res, err
}
