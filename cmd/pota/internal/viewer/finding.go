package viewer

import (
	"context"
	"slices"

	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/scope"
)

// A Finding is a verdict on an execution, with the reason in words. It comes from a formula, or
// from something else, such as a sequence diagram.
type Finding struct {
	Verdict  rctl.Verdict
	Headline string
	Detail   string
	Culprits []graphs.Event // the events at which the execution goes wrong
	Missing  []graphs.Edge  // the orders that the execution lacks
	Fix      bool           // whether the property holds with the orders in Missing

	// If the verdict does not come from a formula: Run is the longest correct run from the initial
	// cut, with the whole past of its end, and Arrows says what events stand for.
	Run    []graphs.Event
	Arrows map[graphs.Event]string
}

// SaveFinding writes the page about a finding to a file. It opens at the end of its run.
func SaveFinding(r *job.Run, path string, e *format.Execution, f *Finding) error {
	f.Headline = graphs.Printable(f.Headline)
	v := &viewing{execution: e, finding: f, processes: []int{}}
	v.runs = []evidenceRun{{shownRun: shownRun{Claim: f.Headline}, events: f.Run, decisive: len(f.Run), every: true}}
	// The processes of the finding come first, as those of a formula do.
	for event := range f.Arrows {
		v.processes = append(v.processes, e.Computation.Process(event))
	}
	slices.Sort(v.processes)
	v.processes = slices.Compact(v.processes)
	v.processes = v.processes[:min(len(v.processes), maxMentioned)]
	return writePage(r, path, func(ctx context.Context) (*shown, error) { return v.save(ctx, 0, -1) })
}

// A decided is a question with its verdict.
type decided struct {
	load.Question
	plain  *format.Execution // the execution without the columns of the formula
	result *rctl.Result      // nil without a formula
	open   bool              // whether clocks leave the verdict open, so that no run shows it
}

// decide decides a question as pota detect does. For a formula about data, it decides the chosen
// binding, or else the first one that decides. It decides all bindings together if the verdict may
// depend on clocks, or if the question is resolved already.
func decide(ctx context.Context, q *load.Question, only []bindings.Choice, opts rctl.Options) (*decided, error) {
	d := &decided{Question: *q, plain: q.Execution}
	opts.Evidence = true
	check := func() (err error) {
		d.result, err = rctl.Check(ctx, d.Execution.Computation, d.Resolved, opts)
		return err
	}
	switch {
	case q.Formula == nil:
		return d, nil
	case q.Resolved != nil:
		return d, check()
	}
	var err error
	if len(only) > 0 || !load.OnClocks(q.Formula, q.Execution) {
		if d.Property, d.plain, err = load.Narrow(ctx, q.Property, q.Execution, only, opts); err != nil {
			return nil, err
		}
	}
	found, err := whateverClocks(d.plain, func(times scope.Times) (*rctl.Result, bool, error) {
		of, err := rctl.ResolveWith(ctx, d.plain.Computation, d.Formula, times)
		if err != nil {
			return nil, false, failure.InProperty(d.Property, err)
		}
		about := *d.plain
		about.Computation = of.Computation
		d.Execution = &about
		d.Resolved = of.Formula
		err = check()
		return d.result, of.DependsOnClocks, err
	})
	d.open = found != d.result
	d.result = found
	return d, err
}

// whateverClocks decides twice: it first takes comparisons of times that depend on clocks against
// the property, and then in its favour. As with pota detect, the verdict is unknown if only one of
// the two has it. Either may also be unknown because of a limit.
func whateverClocks(e *format.Execution, decide func(scope.Times) (res *rctl.Result, depends bool, err error)) (*rctl.Result, error) {
	unknown := &rctl.Result{Verdict: rctl.Unknown, Reason: "it depends on clocks"}
	for _, inFavour := range []bool{false, true} {
		res, depends, err := decide(load.Times(e, inFavour))
		final := map[bool]rctl.Verdict{false: rctl.Holds, true: rctl.Fails}[inFavour]
		if err != nil || !depends || res.Verdict == final {
			return res, err
		}
		if res.Verdict == rctl.Unknown {
			unknown.Reason = res.Reason
		}
	}
	return unknown, nil
}
