package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/split"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/pota"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// decideFn decides all properties of an execution. It reports an execution that exceeds the limits
// on memory and time as unknown and goes on with the others.
type decideFn struct {
	Job job

	properties []syntax.Property
	checker    pota.Checker
}

// bytesDecided is the distribution of execution sizes, which the runner shows while the pipeline
// runs.
var bytesDecided = beam.NewDistribution("pota", "bytes")

// An outbox receives the results of one execution: lines for the outputs, and counts for the
// totals. The execution's key chooses the output, so that its lines stay together.
type outbox struct {
	context context.Context // the context of the bundle
	key     string
	outputs int
	emit    func(string, []byte)
	count   func(string, int64)
}

// line writes a line to the execution's output of the given kind.
func (out outbox) line(kind string, text []byte) {
	out.emit(outputOf(kind, out.key, out.outputs), text)
}

// record writes a record of a verdict or an error.
func (out outbox) record(r *report.Record) {
	var line bytes.Buffer
	_ = r.Write(&line) // a bytes.Buffer never fails
	out.line(verdictLines, bytes.TrimSuffix(line.Bytes(), []byte("\n")))
}

// add adds n to the total of t, and ignores t.Number. The runner shows counters with the same names
// while the pipeline runs. They are not totals: the runner may count a retried bundle twice.
func (out outbox) add(t tally, n int64) {
	beam.NewCounter("pota", t.Counted).Inc(out.context, n)
	out.count(t.key(), n)
}

// Setup parses the properties, once for each worker.
func (f *decideFn) Setup() (err error) {
	f.checker = pota.Checker{MaxMemory: f.Job.MaxMemory, Certify: f.Job.Certify}
	f.checker.Read.Map = f.Job.Mapping
	f.properties, err = syntax.ParseProperties(f.Job.Properties)
	return err
}

// ProcessElement decides one execution: all pieces with one key. A piece without content says that
// an earlier run has decided the execution. Once an execution is too large, ProcessElement drops
// its remaining pieces, because all executions share the memory of a worker.
func (f *decideFn) ProcessElement(ctx context.Context, key string, values func(*[]byte) bool, emit func(string, []byte), count func(string, int64)) error {
	out := outbox{context: ctx, key: key, outputs: f.Job.Outputs, emit: emit, count: count}
	var pieces []*split.Piece
	var b []byte
	size := int64(0)
	large := ""   // why the execution is too large, with the flag of the limit; "" if it is not
	over := false // whether an earlier run has decided the execution
	for values(&b) {
		if len(b) == 0 {
			over = true
		}
		// Read the values to the end in any case, as the runner expects.
		if len(b) == 0 || large != "" {
			continue
		}
		p, err := decode(b)
		if err != nil {
			return err
		}
		pieces = append(pieces, p)
		size += int64(len(p.Text))
		switch {
		case size > f.Job.MaxBytes:
			large = fmt.Sprintf("%d bytes, the limit of --max-bytes", f.Job.MaxBytes)
		case int64(len(pieces)) > f.Job.MaxPieces:
			large = fmt.Sprintf("%d pieces, the limit of --max-pieces", f.Job.MaxPieces)
		}
	}
	switch {
	case len(pieces) == 0:
		return nil // an earlier run decided the execution, and no piece has arrived since
	case over:
		out.late(pieces)
		return nil
	}
	out.add(tally{Counted: "executions"}, 1)
	if large != "" {
		out.add(tally{Counted: "large"}, 1)
		out.unknown(pieces[0].Name, "the execution has more than "+large, f.properties)
		return nil
	}
	bytesDecided.Update(ctx, size)
	j, err := split.Join(pieces)
	if err != nil {
		out.refuse(pieces[0].Name, err, "")
		return nil
	}
	return f.decide(out, j)
}

// decide decides a joined execution.
func (f *decideFn) decide(out outbox, j *split.Joined) error {
	// The limit is for all properties together, because a worker has many executions.
	limited, cancel := context.WithTimeout(out.context, f.Job.Timeout)
	defer cancel()
	// A property that cannot be decided must not cost the others their verdicts: the loop continues
	// with the next one.
	left := slices.Clone(f.properties)
	for len(left) > 0 {
		k := f.checker
		k.Read.From = bytes.NewReader(j.Text)
		k.Read.Input = j.Format
		results, err := k.Decide(limited, j.Name, left)
		for i, r := range results {
			first := i == 0 && len(left) == len(f.properties)
			if err := f.verdict(out, j, r, first); err != nil {
				return err
			}
		}
		left = left[len(results):]
		var of *syntax.PropertyError
		var at *trace.Error
		switch {
		case err == nil:
			return nil
		// The runner stops the bundle and will retry it.
		case out.context.Err() != nil:
			return out.context.Err()
		// The remaining properties are unknown. Those decided before keep their verdicts.
		case limited.Err() != nil:
			reason := fmt.Sprintf("the time limit of %s was reached", f.Job.Timeout)
			out.unknown(j.Name, reason, left)
			return nil
		case errors.As(err, &of):
			p := left[0]
			out.add(tally{p.Name, p.Source, "error", 0}, 1)
			message := cmp.Or(p.Name, "property") + ": " + of.Err.Error()
			text, _, _ := strings.Cut(message, "\n")
			out.record(&report.Record{
				Subject: report.SubjectOf(j.Name, p),
				Error:   j.Name + ": " + text,
			})
			left = left[1:]
		// The text cannot be read, so no property has a verdict.
		case errors.As(err, &at):
			e := *at
			// The error is placed in the joined text, but users know only the inputs.
			lines := strings.SplitAfter(string(j.Text), "\n")
			text := lines[min(max(e.Line-1, 0), len(lines)-1)]
			e.File, e.Line = j.Place(e.Line)
			e.Column = 0
			out.refuse(j.Name, &e, strings.TrimSuffix(text, "\n"))
			return nil
		default:
			return err
		}
	}
	return nil
}

// verdict writes the result of a property; first is true once for an execution.
func (f *decideFn) verdict(out outbox, j *split.Joined, r *pota.Result, first bool) error {
	l := r.Report()
	l.ElapsedMS = 0 // the same inputs must yield the same bytes
	if j.Foreign {
		l.Notes = append(l.Notes, report.Note{Kind: report.Assumed, Text: "links to other traces, which the execution has, are not followed"})
	}
	// Events are counted once, not once for each property.
	if first {
		out.add(tally{Counted: "events"}, int64(l.Stats.Events))
	}
	out.add(tally{l.Name, l.Formula, l.Verdict, 0}, 1)
	out.record(l)
	// A certificate refers to the bytes of a trace, and nobody else has the joined one.
	if c := r.Certificate; c != nil && c.Verdict != "" {
		if err := writeFile(out.context, f.Job.Output, "traces/"+c.SHA256, j.Text); err != nil {
			return err
		}
		out.line(certificateLines, jsonOf(c))
	}
	return nil
}

// unknown writes that properties are undecided.
func (out outbox) unknown(name, reason string, properties []syntax.Property) {
	for _, p := range properties {
		// The record has the class of the formula, as if an engine had reached its limit.
		res := rctl.OutOfReach(p.Formula, context.DeadlineExceeded)
		res.Reason = reason
		l := report.New(report.SubjectOf(name, p), res, res.Engine.String(), 0, nil)
		out.add(tally{p.Name, p.Source, l.Verdict, 0}, 1)
		out.record(l)
	}
}

// refuse reports an execution that cannot be read: as an error among the verdicts, and as a dead
// letter with the offending text.
func (out outbox) refuse(name string, err error, text string) {
	out.add(tally{Counted: "refused"}, 1)
	// Some errors belong to no line.
	place := ""
	if at, ok := errors.AsType[*trace.Error](err); ok {
		place = placeOf(at.File, at.Line)
	}
	out.record(&report.Record{Subject: report.Subject{Trace: name}, Error: err.Error()})
	out.line(deadLines, newDeadLetter(place, err, text))
}

// late writes the pieces of an execution that an earlier run has decided. ProcessElement has dropped
// pieces beyond the limits of an execution.
func (out outbox) late(pieces []*split.Piece) {
	out.add(tally{Counted: "late"}, int64(len(pieces)))
	for _, p := range pieces {
		err := &trace.Error{File: p.File, Line: p.Line, Msg: fmt.Sprintf("execution %s was decided before: this comes too late", trace.Quote(p.Name))}
		out.line(deadLines, newDeadLetter(placeOf(p.File, p.Line), err, p.Text))
	}
}

// placeOf formats a place as compilers do. Line 0 stands for the whole file.
func placeOf(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}
