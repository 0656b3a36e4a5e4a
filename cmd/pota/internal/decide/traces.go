package decide

import (
	"bytes"

	"golang.org/x/sync/errgroup"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Set describes everything that a run decides: each property on each execution of each trace.
type Set struct {
	Properties []syntax.Property
	Late       error // the limit that was reached while reading properties; nil if none was
	Paths      []string
}

// Decide decides everything, and passes the results to the report in the order of the traces.
func (s *Set) Decide(r *job.Run, in *load.Reader, report present.Reporter, opts Options) {
	opts.Jobs = max(min(opts.Jobs, len(s.Paths)), 1)
	d := newDecider(r, in, opts, len(s.Paths)*len(s.Properties))
	if len(s.Paths) > 1 {
		in.Together()
		defer in.Remarks(r)
	}
	// With one trace at a time, each verdict is shown as soon as it is known.
	if opts.Jobs > 1 {
		s.concurrently(d, report)
		return
	}
	for i := range s.Paths {
		s.trace(d, i, report)
	}
}

// A traceResult is the result for one of several traces that are decided concurrently. It is a
// reporter that keeps records until it is their turn in the report.
type traceResult struct {
	records []*present.Record
	notes   bytes.Buffer
	status  exit.Status
}

// Verdict implements present.Reporter.
func (t *traceResult) Verdict(r *present.Record) { t.records = append(t.records, r) }

// concurrently decides several traces at a time. The results of a trace stay in memory until all
// earlier ones have been reported, so at most about twice as many traces are begun as are decided
// at a time.
func (s *Set) concurrently(d *decider, report present.Reporter) {
	results := make(chan chan *traceResult, 2*d.opts.Jobs) // in the order of the traces
	var group errgroup.Group
	group.SetLimit(d.opts.Jobs)
	// The loop below writes to the run, so each goroutine gets its own.
	base := d.run.Fork(nil)
	go func() {
		defer close(results)
		for i := range s.Paths {
			// The channel is buffered, so that a job ends without waiting for its turn in the output.
			result := make(chan *traceResult, 1)
			results <- result // blocks until the output has caught up
			group.Go(func() error {
				j := new(traceResult)
				// Copy the decider; only the run differs.
				own := *d // all copies share the counter of remaining decisions
				own.run = base.Fork(&j.notes)
				s.trace(&own, i, j)
				j.status = own.run.Status
				result <- j
				return nil
			})
		}
	}()

	for result := range results {
		j := <-result
		_, _ = d.run.Console.Err.Write(j.notes.Bytes()) // there is nowhere to report an error
		// A fork has its own status, for errors other than verdicts.
		d.run.Worsen(j.status)
		for _, r := range j.records {
			report.Verdict(r)
		}
	}
}

// trace decides all properties on the trace with a number.
func (s *Set) trace(d *decider, number int, to present.Reporter) {
	path := s.Paths[number]
	k := execution{
		Path:      path,
		Execution: &format.Execution{Name: path},
		Number:    number,
		Several:   len(s.Paths) > 1,
	}
	switch {
	case s.Late != nil: // read no more traces
		to.Verdict(present.Unread(path, s.Late))
		return
	case d.opts.Stream:
		d.stream(k, s.Properties, to)
		return
	}

	// A trace counts as one execution until it has been read. After that, each of its executions
	// counts.
	executions, err := d.in.Read(d.run, path)
	d.left.Add(int64((len(executions) - 1) * len(s.Properties)))
	// A trace that takes too long is undecided, not wrong, so each property gets a verdict.
	if failure.IsLimit(err) {
		for i, p := range s.Properties {
			r := k.record(i, p)
			d.giveUp(k, r, nil, 0, err)
			to.Verdict(r)
		}
		return
	}
	if err != nil {
		to.Verdict(present.Unread(path, err))
		return
	}
	k.Several = k.Several || len(executions) > 1
	for i := range executions {
		k.Execution = &executions[i]
		k.Number = number + i
		if d.opts.SkewSweep {
			d.sweep(k, s.Properties, to)
			continue
		}
		if err := d.opts.Show.unmatched(k.Execution); err != nil {
			to.Verdict(present.Unread(k.Execution.Name, err))
		}

		// Properties share a session, because they may have slices and subformulas in common.
		session := rctl.NewSession(k.Execution.Computation)
		for j, p := range s.Properties {
			r := d.decide(k, session, j, p)
			d.view(k, r)
			to.Verdict(r)
		}
	}
}
