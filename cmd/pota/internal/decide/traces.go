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

// A Set is all that is decided in a run: each property on each execution of each trace.
type Set struct {
	Properties []syntax.Property
	Late       error // the limit that was reached while they were read, nil for none
	Paths      []string
}

// Decide decides everything, and passes it to the report in the order of the traces.
func (s *Set) Decide(r *job.Run, in *load.Reader, report present.Reporter, opts Options) {
	opts.Jobs = max(min(opts.Jobs, len(s.Paths)), 1)
	d := newDecider(r, in, opts, len(s.Paths)*len(s.Properties))
	if len(s.Paths) > 1 {
		in.Together()
		defer in.Remarks(r)
	}
	// One trace at a time shows each verdict as soon as it is known.
	if opts.Jobs > 1 {
		s.concurrently(d, report)
		return
	}
	for i := range s.Paths {
		s.trace(d, i, report)
	}
}

// A traceResult is what came of one trace that was decided beside others. As a reporter it keeps what
// another one will get in its turn.
type traceResult struct {
	records []*present.Record
	notes   bytes.Buffer
	status  exit.Status
}

// Verdict implements present.Reporter.
func (t *traceResult) Verdict(r *present.Record) { t.records = append(t.records, r) }

// concurrently decides several traces at a time. A trace is held in memory until all before it
// have been delivered: so only about twice as many are begun as are decided at a time.
func (s *Set) concurrently(d *decider, report present.Reporter) {
	results := make(chan chan *traceResult, 2*d.opts.Jobs) // in the order of the traces
	var group errgroup.Group
	group.SetLimit(d.opts.Jobs)
	// The loop below writes to the run, so goroutines get their own.
	base := d.run.Fork(nil)
	go func() {
		defer close(results)
		for i := range s.Paths {
			// Room for the result: a job ends without waiting for its turn in the output.
			result := make(chan *traceResult, 1)
			results <- result // blocks until the output has caught up
			group.Go(func() error {
				j := new(traceResult)
				// Only the run differs.
				own := *d // the decisions that are left are those of all
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
		// A fork has its own status, for errors beside the verdicts.
		d.run.Worsen(j.status)
		for _, r := range j.records {
			report.Verdict(r)
		}
	}
}

// trace decides all properties on the trace of a number.
func (s *Set) trace(d *decider, number int, to present.Reporter) {
	path := s.Paths[number]
	k := execution{
		Path:      path,
		Execution: &format.Execution{Name: path},
		Number:    number,
		Several:   len(s.Paths) > 1,
	}
	switch {
	case s.Late != nil: // no trace is read any more
		to.Verdict(present.Unread(path, s.Late))
		return
	case d.opts.Stream:
		d.stream(k, s.Properties, to)
		return
	}

	// Until a trace has been read it counts as one execution; from now on, its share of the time is
	// that of all its executions.
	executions, err := d.in.Read(d.run, path)
	d.left.Add(int64((len(executions) - 1) * len(s.Properties)))
	// A trace that takes too long is undecided, not wrong: each property gets a verdict.
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

		// Properties share a session, because they have slices and subformulas in common.
		session := rctl.NewSession(k.Execution.Computation)
		for j, p := range s.Properties {
			r := d.decide(k, session, j, p)
			d.view(k, r)
			to.Verdict(r)
		}
	}
}
