package decide

import (
	"bytes"
	"encoding/json"

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

	Certificates bytes.Buffer // filled by Decide, a line each
}

// Decide decides everything, and passes it to the report in the order of the traces.
func (s *Set) Decide(r *job.Run, in *load.Reader, report present.Reporter, opts Options) {
	opts.Jobs = max(min(opts.Jobs, len(s.Paths)), 1)
	d := New(r, in, opts, len(s.Paths)*len(s.Properties))
	// One trace at a time shows each verdict as soon as it is known.
	if opts.Jobs > 1 {
		s.concurrently(d, report)
		return
	}
	for i := range s.Paths {
		s.trace(d, i, func(v delivery) { s.deliver(report, v) })
	}
}

// A delivery is one value that a report gets: what came of a decision, or an error.
type delivery struct {
	outcome Outcome // none if its record is nil
	subject string  // of the error: a path, or the name of an execution
	err     error
	decided bool // there are verdicts all the same
}

// deliver hands a value to the report. Only here does anything become visible, so the order of
// deliveries is the order of the output.
func (s *Set) deliver(report present.Reporter, v delivery) {
	switch {
	case v.outcome.Record != nil:
		s.keep(v.outcome)
		report.Verdict(v.outcome.Record)
	case v.decided:
		report.Problem(v.subject, v.err)
	default:
		report.Refused(v.subject, v.err)
	}
}

// keep keeps a certificate until all have been made: the file has all of them, or is not written.
func (s *Set) keep(o Outcome) {
	if o.Certificate == nil {
		return
	}
	// Formulas in certificates stay readable.
	enc := json.NewEncoder(&s.Certificates)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(o.Certificate); err != nil {
		o.Record.Err = err
	}
}

// A traceResult is what came of one trace that was decided beside others.
type traceResult struct {
	all    []delivery
	notes  bytes.Buffer
	status exit.Status
}

// concurrently decides several traces at a time. A trace is held in memory until all before it
// have been delivered: so only twice as many are begun as are decided at a time.
func (s *Set) concurrently(d *Decider, report present.Reporter) {
	done := make([]chan *traceResult, len(s.Paths))
	for i := range done {
		// Room for the result: a job ends without waiting for its turn in the output.
		done[i] = make(chan *traceResult, 1)
	}
	begun := make(chan struct{}, 2*d.opts.Jobs)
	var group errgroup.Group
	group.SetLimit(d.opts.Jobs)
	// The loop below writes to the run, so goroutines get their own.
	base := d.run.Fork(nil)
	go func() {
		for i := range s.Paths {
			// It blocks until the output has caught up.
			begun <- struct{}{}
			group.Go(func() error {
				j := new(traceResult)
				r := base.Fork(&j.notes)
				s.trace(d.fork(r), i, func(v delivery) { j.all = append(j.all, v) })
				j.status = r.Status
				done[i] <- j
				return nil
			})
		}
	}()

	for i := range done {
		j := <-done[i]
		_, _ = d.run.Console.Err.Write(j.notes.Bytes()) // there is nowhere to report an error
		// A fork has its own status, for errors beside the verdicts.
		d.run.Worsen(j.status)
		for _, v := range j.all {
			s.deliver(report, v)
		}
		<-begun
	}
}

// trace decides all properties on the trace of a number.
func (s *Set) trace(d *Decider, number int, deliver func(delivery)) {
	path := s.Paths[number]
	refuse := func(err error) { deliver(delivery{subject: path, err: err}) }
	k := Case{
		Path:      path,
		Execution: &format.Execution{Name: path},
		Number:    number,
		Several:   len(s.Paths) > 1,
	}
	switch {
	case s.Late != nil: // no trace is read any more
		refuse(s.Late)
		return
	case d.opts.Stream:
		d.stream(k, s.Properties, deliver)
		return
	}

	// Until a trace has been read it counts as one execution; from now on, its share of the time is
	// that of all its executions.
	executions, err := d.in.Read(d.run, path)
	d.left.Add(int64((len(executions) - 1) * len(s.Properties)))
	// A trace that takes too long is undecided, not wrong: each property gets a verdict.
	if failure.IsLimit(err) {
		for i, p := range s.Properties {
			o := Outcome{Record: k.record(i, p)}
			d.giveUp(k, o.Record, nil, 0, err)
			deliver(delivery{outcome: o})
		}
		return
	}
	if err != nil {
		refuse(err)
		return
	}
	k.Several = k.Several || len(executions) > 1
	for i := range executions {
		k.Execution = &executions[i]
		k.Number = number + i
		s.execution(d, k, deliver)
	}
}

// execution decides all properties on one execution.
func (s *Set) execution(d *Decider, k Case, deliver func(delivery)) {
	if d.opts.SkewSweep {
		d.sweep(k, s.Properties, deliver)
		return
	}
	if err := d.opts.Show.unmatched(k.Execution); err != nil {
		deliver(delivery{subject: k.Execution.Name, err: err, decided: true})
	}
	// Properties share a session, because they have slices and subformulas in common.
	session := rctl.NewSession(k.Execution.Computation)
	for i, p := range s.Properties {
		deliver(delivery{outcome: d.Decide(k, session, i, p)})
	}
}
