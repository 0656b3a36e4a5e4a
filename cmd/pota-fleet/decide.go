package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/split"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/pota"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// deciding has the properties, and the limits of an execution.
type deciding struct {
	Properties string // their text
	Logs       string // the text of a mapping, "" for none
	Certify    bool
	MaxBytes   int64 // of the text of an execution
	MaxPieces  int64
	MaxMemory  int64 // bytes that an enumeration of cuts may take
	Timeout    time.Duration
}

// decideFn decides all properties of an execution. One that is too large is told, and takes
// no more than its limits from the others.
type decideFn struct {
	Deciding deciding
	Outputs  int
	Output   string

	properties []syntax.Property
	checker    pota.Checker
	remove     func()
}

var (
	executionsDecided = beam.NewCounter("pota", "executions")
	executionsLarge   = beam.NewCounter("pota", "large")
	piecesLate        = beam.NewCounter("pota", "late")
	executionsBad     = beam.NewCounter("pota", "refused")
	eventsDecided     = beam.NewCounter("pota", "events")
	bytesDecided      = beam.NewDistribution("pota", "bytes")
	verdicts          = map[string]beam.Counter{
		rctl.Holds.String():   beam.NewCounter("pota", "holds"),
		rctl.Fails.String():   beam.NewCounter("pota", "fails"),
		rctl.Unknown.String(): beam.NewCounter("pota", "unknown"),
	}
)

// Setup parses the properties, once for each worker.
func (f *decideFn) Setup() (err error) {
	f.remove = func() {}
	if f.properties, err = syntax.ParseProperties(f.Deciding.Properties); err != nil {
		return err
	}
	f.checker = pota.Checker{MaxMemory: f.Deciding.MaxMemory, Certify: f.Deciding.Certify}
	if f.Deciding.Logs != "" {
		f.checker.Read.Map, f.remove, err = temporary(f.Deciding.Logs)
	}
	return err
}

// Teardown removes what Setup made.
func (f *decideFn) Teardown() { f.remove() }

func (f *decideFn) ProcessElement(ctx context.Context, key string, values func(*[]byte) bool, emit func(string, []byte), count func(string, int64)) error {
	var pieces []*split.Piece
	var b []byte
	size, large, over := int64(0), false, false
	for values(&b) {
		if len(b) == 0 {
			over = true
		}
		if len(b) == 0 || large {
			continue
		}
		p, err := decode(b)
		if err != nil {
			return err
		}
		pieces = append(pieces, p)
		size += int64(len(p.Text))
		large = size > f.Deciding.MaxBytes || int64(len(pieces)) > f.Deciding.MaxPieces
	}
	switch {
	case len(pieces) == 0:
		return nil // nothing comes of an execution that is over
	case over:
		f.late(ctx, key, pieces, emit, count)
		return nil
	}
	executionsDecided.Inc(ctx, 1)
	count(tally{Counted: "executions"}.key(), 1)
	if large {
		executionsLarge.Inc(ctx, 1)
		count(tally{Counted: "large"}.key(), 1)
		reason := fmt.Sprintf("the execution has more than %d bytes, the limit of --max-bytes", f.Deciding.MaxBytes)
		if size <= f.Deciding.MaxBytes {
			reason = fmt.Sprintf("the execution has more than %d pieces, the limit of --max-pieces", f.Deciding.MaxPieces)
		}
		f.unknown(ctx, key, pieces[0].Name, reason, f.properties, emit, count)
		return nil
	}
	bytesDecided.Update(ctx, size)
	j, err := split.Join(pieces)
	if err != nil {
		f.refuse(ctx, key, pieces[0].Name, err, "", emit, count)
		return nil
	}
	return f.decide(ctx, key, j, emit, count)
}

// decide decides a joined execution.
func (f *decideFn) decide(ctx context.Context, key string, j *split.Joined, emit func(string, []byte), count func(string, int64)) error {
	limited, cancel := context.WithTimeout(ctx, f.Deciding.Timeout)
	defer cancel()
	left := slices.Clone(f.properties)
	for len(left) > 0 {
		k := f.checker
		k.Read.From, k.Read.Input = bytes.NewReader(j.Text), j.Format
		results, err := k.Decide(limited, j.Name, left)
		for i, r := range results {
			if err := f.verdict(ctx, key, j, r, i == 0 && len(left) == len(f.properties), emit, count); err != nil {
				return err
			}
		}
		left = left[len(results):]
		var of *syntax.PropertyError
		var at *trace.Error
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case limited.Err() != nil:
			f.unknown(ctx, key, j.Name, fmt.Sprintf("the time limit of %s was reached", f.Deciding.Timeout), left, emit, count)
			return nil
		case errors.As(err, &of):
			p := left[0]
			count(tally{p.Name, p.Source, "error", 0}.key(), 1)
			text, _, _ := strings.Cut(cmp.Or(p.Name, "property")+": "+of.Err.Error(), "\n")
			emit(outputOf(verdictLines, key, f.Outputs), jsonOf(report.Error{Subject: subjectOf(j.Name, p), Error: j.Name + ": " + text}))
			left = left[1:]
		case errors.As(err, &at):
			e := *at
			lines := strings.SplitAfter(string(j.Text), "\n")
			text := lines[min(max(e.Line-1, 0), len(lines)-1)]
			e.File, e.Line = j.Place(e.Line)
			e.Column = 0
			f.refuse(ctx, key, j.Name, &e, strings.TrimSuffix(text, "\n"), emit, count)
			return nil
		default:
			return err
		}
	}
	return nil
}

// verdict writes what came of a property; first is set once for an execution.
func (f *decideFn) verdict(ctx context.Context, key string, j *split.Joined, r *pota.Result, first bool, emit func(string, []byte), count func(string, int64)) error {
	l := r.Report()
	l.ElapsedMS = 0 // so that the same inputs make the same bytes
	if j.Foreign {
		l.Notes = append(l.Notes, report.Note{Kind: report.Assumed, Text: "links to other traces, which the execution has, are not followed"})
	}
	if first {
		eventsDecided.Inc(ctx, int64(l.Stats.Events))
		count(tally{Counted: "events"}.key(), int64(l.Stats.Events))
	}
	verdicts[l.Verdict].Inc(ctx, 1)
	count(tally{l.Name, l.Formula, l.Verdict, 0}.key(), 1)
	emit(outputOf(verdictLines, key, f.Outputs), jsonOf(l))
	if c := r.Certificate; c != nil && c.Verdict != "" {
		if err := writeFile(ctx, f.Output, "traces/"+c.SHA256, j.Text); err != nil {
			return err
		}
		emit(outputOf(certificateLines, key, f.Outputs), jsonOf(c))
	}
	return nil
}

func subjectOf(trace string, p syntax.Property) report.Subject {
	return report.Subject{Trace: trace, Name: p.Name, Formula: p.Source}
}

// unknown writes that properties are undecided.
func (f *decideFn) unknown(ctx context.Context, key, name, reason string, properties []syntax.Property, emit func(string, []byte), count func(string, int64)) {
	for _, p := range properties {
		res := rctl.OutOfReach(p.Formula, context.DeadlineExceeded)
		res.Reason = reason
		l := report.New(subjectOf(name, p), nil, res, res.Engine.String(), 0, nil, nil)
		verdicts[l.Verdict].Inc(ctx, 1)
		count(tally{p.Name, p.Source, l.Verdict, 0}.key(), 1)
		emit(outputOf(verdictLines, key, f.Outputs), jsonOf(l))
	}
}

// refuse reports an execution that cannot be read: as an error among the verdicts, and as a dead
// letter with the text of the mistake.
func (f *decideFn) refuse(ctx context.Context, key, name string, err error, text string, emit func(string, []byte), count func(string, int64)) {
	executionsBad.Inc(ctx, 1)
	count(tally{Counted: "refused"}.key(), 1)
	place := ""
	if at, ok := errors.AsType[*trace.Error](err); ok {
		place = placeOf(at.File, at.Line)
	}
	emit(outputOf(verdictLines, key, f.Outputs), jsonOf(report.Error{Subject: report.Subject{Trace: name}, Error: err.Error()}))
	emit(outputOf(deadLines, key, f.Outputs), jsonOf(newDeadLetter(place, err, text)))
}

// late writes the pieces of an execution that an earlier run has decided, as many as an
// execution may have.
func (f *decideFn) late(ctx context.Context, key string, pieces []*split.Piece, emit func(string, []byte), count func(string, int64)) {
	piecesLate.Inc(ctx, int64(len(pieces)))
	count(tally{Counted: "late"}.key(), int64(len(pieces)))
	for _, p := range pieces {
		err := &trace.Error{File: p.File, Line: p.Line, Msg: fmt.Sprintf("execution %s was decided before: this comes too late", trace.Quote(p.Name))}
		emit(outputOf(deadLines, key, f.Outputs), jsonOf(newDeadLetter(placeOf(p.File, p.Line), err, p.Text)))
	}
}

func placeOf(file string, line int) string {
	if line == 0 {
		return file
	}
	return fmt.Sprintf("%s:%d", file, line)
}
