package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/order"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// What is tried for a remedy: traces of so many events, and engines that are polynomial, so
// that what is found does not depend on time. Of many executions it is the first few.
const mostRemedied = 100_000

// remedy says what to do about a verdict on f that is possibly spurious: at which bound of
// clock skew it would be the opposite, or that causality has to be added otherwise.
func (v *decision) remedy(f *syntax.Formula) (note, bool) {
	const other = "add what is missing by --order (pota help traces)"
	_, plain := v.show.(*textReport)
	if v.in == nil || v.several && !(plain && v.early) || v.cli.Bool("quiet") || v.in.skew != nil {
		return note{}, false
	}
	if !readable(v.trace) || v.execution.Computation.NumEvents() > mostRemedied || v.result.Engine >= rctl.SAT || v.spin {
		return note{Kind: noteRemedy, Text: "clocks may tell more: --skew-sweep says at which bounds of clock skew the verdict would be another"}, true
	}
	in := *v.in
	in.options.Times, in.announce = true, false
	executions, err := v.read(&in, v.trace)
	i := slices.IndexFunc(executions, func(e format.Execution) bool { return e.Name == v.execution.Name })
	if err != nil || i < 0 {
		return note{}, false
	}
	stretches, err := v.flips(&executions[i], f)
	if is[*limitError](err) {
		return note{}, false
	}
	if err != nil {
		return note{Kind: noteRemedy, Text: other}, true // no event has a time, or clocks contradict the trace
	}
	for _, s := range stretches {
		if s.To != nil && s.Verdict != v.result.Verdict.String() && s.Verdict != rctl.Unknown.String() {
			return clocksHelp(s.Verdict, s.From, *s.To), true
		}
	}
	return note{Kind: noteRemedy, Text: fmt.Sprintf("clocks do not help, it %s however well they agree; %s", v.result.Verdict, other)}, true
}

// clocksHelp is the remedy that holds at bounds of clock skew between two.
func clocksHelp(verdict string, from, to int64) note {
	within := shortDuration(time.Duration(to))
	text := fmt.Sprintf("it %s if clocks agree within %s; if they do, decide with --skew %s", verdict, within, within)
	return note{noteRemedy, text, bounds{verdict, from, to}}
}

// bounds of clock skew at which a verdict is another.
type bounds struct {
	verdict  string
	from, to int64 // nanoseconds
}

// and returns the bounds that are among both, if there are any and the verdict is the same.
func (b bounds) and(other bounds) (bounds, bool) {
	both := bounds{b.verdict, max(b.from, other.from), min(b.to, other.to)}
	return both, b.verdict != "" && b.verdict == other.verdict && both.from <= both.to
}

// readable reports whether a trace can be read again: a file or a directory, not a pipe.
func readable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && (info.Mode().IsRegular() || info.IsDir())
}

// flips returns the verdicts at all bounds of clock skew.
func (v *decision) flips(e *format.Execution, f *syntax.Formula) ([]stretch, error) {
	const doing = "deciding at bounds of clock skew"
	return do(v.session, doing, func(ctx context.Context) ([]stretch, error) {
		clocks, err := order.NewClocks(ctx, e.Computation, v.in.unit)
		if err != nil {
			return nil, err
		}
		quiet := *v.detection
		quiet.opts.Evidence = false
		s := &sweep{
			detection: &quiet, ctx: ctx, execution: e, clocks: clocks, grain: grainOf(e.Computation, v.in.unit), formula: f,
			verdicts: make(map[int64]rctl.Verdict), decided: make(map[int64]rctl.Verdict),
		}
		if err := s.run(); err != nil {
			return nil, err
		}
		return s.report(v.property).Sweep, nil
	})
}
