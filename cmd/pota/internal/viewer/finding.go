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

// A Finding is a verdict on an execution, with the reason in words. A formula gives one, or
// something else, such as a sequence diagram.
type Finding struct {
	Verdict  rctl.Verdict
	Headline string
	Detail   string
	Culprits []graphs.Event // where the execution goes wrong
	Missing  []graphs.Edge  // orders that should be there, and are not
	Fix      bool           // Missing are all that it needs

	// Where no formula gives the verdict: from the initial cut the longest run that is as it should
	// be, with all that happened before its end, and what events stand for.
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

// A decided question has its verdict.
type decided struct {
	load.Question
	plain  *format.Execution // without the columns of the formula
	result *rctl.Result      // nil without a formula
	open   bool              // clocks leave the verdict open, so that no run shows it
}

// decide decides a question as pota detect does. Of a formula about data it is about the binding
// that is chosen, or else about the first that decides; where clocks tell of times, and for a
// question that was resolved, it is about all of them.
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

// whateverClocks decides with comparisons of times that depend on clocks against the property, and
// then in its favour. As with pota detect, a verdict that only one of the two has is not known. A
// limit may have kept either from being found.
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
