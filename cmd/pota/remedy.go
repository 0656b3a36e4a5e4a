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
// that what is found does not depend on time.
const mostRemedied = 100_000

// remedy says what to do about a verdict on f that is possibly spurious: at which bound of
// clock skew it would be the opposite, or that causality has to be added otherwise.
func (v *decision) remedy(f *syntax.Formula) (note, bool) {
	const other = "add what is missing by --order (pota help traces)"
	if v.in == nil || v.several || v.cli.Bool("quiet") || v.in.skew != nil {
		return note{}, false
	}
	if !readable(v.trace) || v.execution.Computation.NumEvents() > mostRemedied || v.result.Engine >= rctl.Union || v.spin {
		return note{noteRemedy, "clocks may tell more: --skew-sweep says at which bounds of clock skew the verdict would be another"}, true
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
		return note{noteRemedy, other}, true // no event has a time, or clocks contradict the trace
	}
	for _, s := range stretches {
		if s.To != nil && s.Verdict != v.result.Verdict.String() && s.Verdict != rctl.Unknown.String() {
			within := shortDuration(time.Duration(*s.To))
			return note{noteRemedy, fmt.Sprintf("it %s if clocks agree within %s; if they do, decide with --skew %s", s.Verdict, within, within)}, true
		}
	}
	return note{noteRemedy, fmt.Sprintf("clocks do not help, it %s however well they agree; %s", v.result.Verdict, other)}, true
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
