// Package outofcore decides formulas on traces that do not fit in memory: it feeds the lines of
// a file to the on-line engine (package online), which keeps a window of the events.
//
// # Passes
//
// Formulas may mention all processes and variables of a trace, so a survey first reads the trace
// and finds them. A second pass adds the events to a monitor and closes each process after its last
// line.
//
// The window grows if causes are far from their effects in the file, for example if the log of one
// process follows the log of another. Beyond a limit (Options.MaxHeld) the lines are put in a
// causal order on disk (package interleave), and a third pass decides on them.
//
// Standard input is read once, without a survey: the monitor then learns the processes from
// the events.
//
// Memory is O(window + processes + variables). Time is O(length) for each pass, plus the time of
// package online.
package outofcore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/interleave"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/rctl/online"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// Options says how Decide reads a trace and reports its progress.
type Options struct {
	Read trace.Options

	// Shared says that clocks which several processes read would order events. That order is known
	// only for a whole trace, so Decide refuses such traces.
	Shared bool

	// MaxHeld bounds the events in the window, the events that wait, and the messages in
	// transit. Beyond it the trace is put in order on disk. Zero means 262,144.
	MaxHeld int

	// Step runs one pass under the limits of time and memory of the caller and returns its
	// error. Doing describes the pass for users.
	Step func(doing string, work func(context.Context) error) error

	// Note is called with remarks for users.
	Note func(text string)
}

// defaultMaxHeld corresponds to a window of some 100 MB.
const defaultMaxHeld = 1 << 18

// A Decision is the result of Decide: the answers, and the sizes of the trace.
type Decision struct {
	Answers    []online.Answer // in the order in which they became final
	Sizes      report.Sizes    // the known sizes of the trace
	LowerBound string          // why causality is a lower bound; empty if it is exact
	Elapsed    time.Duration
	Monitor    *online.Monitor // the monitor that answered; nil if no pass has got this far
}

// Decide decides properties on the trace at path, or on standard input for "-". Errors of the
// trace are *trace.Error. The decision is never nil: with an error, it has the answers found
// before.
func Decide(path string, properties []syntax.Property, opts Options) (*Decision, error) {
	if opts.MaxHeld == 0 {
		opts.MaxHeld = defaultMaxHeld
	}
	r := &run{
		Decision:   Decision{Sizes: report.Unread},
		opts:       opts,
		properties: properties,
		trace:      file{path: path, opts: opts.Read, shared: opts.Shared},
	}

	started := time.Now()
	err := r.passes()
	r.Elapsed = time.Since(started)
	r.LowerBound = r.trace.lowerBound
	// The sizes of a part of the trace would look like those of the whole.
	if r.trace.complete && r.Monitor != nil {
		r.Sizes.Events = report.Size(r.trace.events + r.Monitor.Stream().EndedTimers())
		r.Sizes.Messages = report.Size(r.trace.messages)
	}
	return &r.Decision, err
}

// A run is one call of Decide.
type run struct {
	Decision
	opts       Options
	properties []syntax.Property
	trace      file
	noted      bool // whether a note has said that all events are kept
}

// take receives a line of a trace.
type take func(l *stream.Line) error

// passes reads the trace as often as needed.
func (r *run) passes() error {
	path := r.trace.path
	// A pipe cannot be surveyed first, so processes are found while it is read.
	if path == "-" {
		return r.decide(online.Options{}, nil, r.trace.lines)
	}

	s := newSurvey()
	err := r.opts.Step("looking for the processes of "+path, func(ctx context.Context) error {
		return r.trace.lines(ctx, s.line)
	})
	if err != nil {
		return err
	}
	// The remaining receivers of messages have no line at all.
	for _, name := range s.receivers {
		s.process(name)
	}

	options := online.Options{Options: stream.Options{Declared: true}}
	err = r.decide(options, s, func(ctx context.Context, take take) error {
		return r.inFileOrder(ctx, s, take)
	})
	if err != errSpread {
		return err
	}

	r.opts.Note(fmt.Sprintf("%s: causes stand far from their effects, or processes one after the other, so it is put in order on disk, in %s", path, os.TempDir()))
	return r.reordered(options, s)
}

// errSpread says that the order of the lines makes the window too large.
var errSpread = errors.New("causes stand far from their effects")

// inFileOrder calls take for the events in the order of the file, and closes each process after its
// last line.
func (r *run) inFileOrder(ctx context.Context, s *survey, take take) error {
	return r.events(ctx, func(l *stream.Line) error {
		// This is checked before the line is added, so that the window stays within its bound.
		if r.spread() {
			return errSpread
		}
		if err := take(l); err != nil {
			return err
		}
		// The survey has found each process.
		p := s.found[string(l.Process)]
		p.passed++
		if p.passed < p.lines {
			return nil
		}
		return take(&stream.Line{Kind: stream.Closing, Process: l.Process})
	})
}

// reordered decides on the lines in a causal order, which it makes on disk.
func (r *run) reordered(options online.Options, s *survey) error {
	lines, err := interleave.New(s.processes)
	if err != nil {
		return err
	}
	defer func() { _ = lines.Close() }() // the file no longer has a name

	err = r.opts.Step("putting in order "+r.trace.path, func(ctx context.Context) error {
		return r.events(ctx, lines.Add)
	})
	if err != nil {
		return err
	}

	options.Released = lines.Released
	return r.decide(options, s, func(ctx context.Context, take take) error {
		return lines.Each(ctx, r.Monitor.Stream().Waiting, func(l *stream.Line) error {
			return r.trace.at(l.Place.Line, take(l))
		})
	})
}

// events calls take for all lines except declarations, which the survey has.
func (r *run) events(ctx context.Context, take take) error {
	return r.trace.lines(ctx, func(l *stream.Line) error {
		if l.Kind == stream.Declaration || l.Kind == stream.Sharing {
			return nil
		}
		return take(l)
	})
}

// spread reports whether the window holds more than another order of the lines would need.
func (r *run) spread() bool {
	s := r.Monitor.Stream()
	if s.Unsettled() > r.opts.MaxHeld {
		return true
	}
	if s.Len() <= r.opts.MaxHeld {
		return false
	}

	for i, p := range r.properties {
		if r.Monitor.Bounded(i) {
			continue
		}
		if !r.noted { // another order would not help
			r.noted = true
			r.opts.Note(fmt.Sprintf("%s: all events that change what %s speaks of are kept, %d by now; pota help watching says which formulas need less",
				r.trace.path, p.Source, s.Len()))
		}
		return false
	}
	return true
}

// decide decides on the lines that each yields. The survey has the processes; if it is nil, the
// lines declare them.
func (r *run) decide(options online.Options, s *survey, each func(context.Context, take) error) error {
	var formulas []*syntax.Formula
	for _, p := range r.properties {
		formulas = append(formulas, p.Formula)
	}
	// A pass that was given up has left answers, which the next one finds again.
	r.Monitor = online.New(formulas, options)
	r.Answers = nil

	return r.opts.Step("reading "+r.trace.path, func(ctx context.Context) error {
		err := r.feed(ctx, s, each)
		if err == io.EOF {
			err = nil
		}
		if s != nil || r.Monitor.Stream().Fixed() {
			r.Sizes.Processes = report.Size(len(r.Monitor.Stream().Processes()))
		}
		return r.trace.at(0, err)
	})
}

// feed adds all lines to the monitor and decides. It returns io.EOF once every answer is
// final, so that the rest need not be read.
func (r *run) feed(ctx context.Context, s *survey, each func(context.Context, take) error) error {
	m := r.Monitor
	if s != nil {
		for _, l := range s.declarations() {
			if err := m.Add(l); err != nil {
				return err
			}
		}
	}

	err := each(ctx, func(l *stream.Line) error {
		if err := m.Add(l); err != nil || !m.Due() {
			return err
		}
		return r.answers(m.Decide(ctx))
	})
	if err != nil {
		return err
	}

	if len(m.Stream().Processes()) == 0 {
		err := admission.NoProcess.Broken("")
		return &trace.Error{File: r.trace.path, Msg: err.Error(), Err: err}
	}
	return r.answers(m.End(ctx))
}

// answers adds answers. It returns io.EOF once every answer is final.
func (r *run) answers(more []online.Answer, err error) error {
	r.Answers = append(r.Answers, more...)
	if err == nil && r.Monitor.Final() {
		return io.EOF
	}
	return err
}
