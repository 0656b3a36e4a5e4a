package decide

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// maxRemedied bounds the number of events of a trace that is read again for a remedy, which takes
// as long as the decision did.
const maxRemedied = 100_000

// remedy suggests a remedy for a possibly spurious verdict on f: a bound of clock skew with the
// opposite verdict, or else other means to add causality. Only polynomial engines search for
// bounds, so that the answer does not depend on time.
func (d *decider) remedy(k execution, f *syntax.Formula, res *rctl.Result) (report.Note, bool) {
	const other = "add what is missing by --order (pota help traces)"
	none := report.Note{}
	note := func(text string) (report.Note, bool) { return report.Note{Kind: report.Remedy, Text: text}, true }

	// Text lists only the first executions, so a remedy for the others would not be shown.
	late := k.Several && k.Number >= d.opts.Report.ListsFirst()
	if d.opts.Report.Quiet || late || d.in.AssumesClocks() {
		return none, false
	}
	// Trying all bounds takes as long as many decisions.
	tooLarge := k.Execution.Computation.NumEvents() > maxRemedied
	exponential := res.Engine >= rctl.SAT || d.opts.Engine == Spin
	// A pipe cannot be read again.
	info, err := os.Stat(k.Path)
	again := err == nil && (info.Mode().IsRegular() || info.IsDir())
	if !again || tooLarge || exponential || !syntax.DataFree(f) {
		return note("clocks may tell more: --skew-sweep says at which bounds of clock skew the verdict would be another")
	}

	// The trace was read without times, since most decisions need none.
	executions, err := d.in.WithTimes().Read(d.run, k.Path)
	i := slices.IndexFunc(executions, func(e format.Execution) bool { return e.Name == k.Execution.Name })
	if err != nil || i < 0 {
		return none, false
	}
	// Verdicts change at few bounds of clock skew, so the search needs far fewer decisions than there
	// are bounds.
	stretches, err := job.Do(d.run, "deciding at bounds of clock skew", func(ctx context.Context) ([]present.Stretch, error) {
		times, err := newTiming(ctx, executions[i].Computation, d.in.Unit)
		if err != nil {
			return nil, err
		}
		s := d.newSearch(ctx, times, f, f) // the formula is not about data
		err = s.run()
		return s.stretches(), err
	})
	if failure.IsLimit(err) {
		return none, false
	}
	if err != nil {
		return note(other) // no event has a time, or clocks contradict the trace
	}
	// The last stretch has no upper bound. Clocks are not trusted there, as in the decision itself.
	for _, s := range stretches {
		if s.To != nil && s.Verdict != res.Verdict.String() && s.Verdict != rctl.Unknown.String() {
			return present.Remedy(report.Bounds{Verdict: s.Verdict, From: s.From, To: *s.To}), true
		}
	}
	return note(fmt.Sprintf("clocks do not help, it %s however well they agree; %s", res.Verdict, other))
}
