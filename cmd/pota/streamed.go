package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/interleave"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/online"
	"github.com/pota-project/pota/rctl/syntax"
)

// notStreamed are the flags of detect that need all of a trace at once, or another format.
var notStreamed = []string{"engine", "cross-check", "spin-slice", "skew-sweep", "no-projection", "show", "map", "order", "skew", "execution", "regexp", "delimiter", "assign"}

// checkStreamed refuses what --stream excludes.
func checkStreamed(c *cli.Context) error {
	if !c.Bool("stream") {
		return nil
	}
	for _, flag := range notStreamed {
		if c.IsSet(flag) {
			return usagef("--stream and --%s exclude each other: a stream is read in the native format, event by event", flag)
		}
	}
	if input := c.String("input"); input != "auto" && input != "native" {
		return usagef("--stream reads the native format, not %s: convert the trace first (pota convert)", input)
	}
	return nil
}

// streamed decides all formulas on a trace of which only a window is kept.
func (d *detection) streamed(path string) {
	t, err := d.streams(path)
	if err != nil && !is[*limitError](err) {
		d.wrong(path, err)
		d.show.refusal(d, path, err)
		return
	}
	for k, p := range d.properties {
		v := &decision{detection: d, trace: path, execution: &format.Execution{Name: path}, index: k, property: p}
		i := slices.IndexFunc(t.answers, func(a online.Answer) bool { return a.Property == k })
		if i < 0 {
			v.giveUp(nil, err)
		} else {
			a := t.answers[i]
			v.result = &rctl.Result{Verdict: a.Verdict, Reason: a.Reason, Class: syntax.Classify(p.Formula)}
			if t.lower != "" && !rctl.Sound(t.monitor.Formula(k), a.Verdict) {
				v.notes = append(v.notes, note{Kind: noteSpurious, Text: t.lower})
			}
		}
		d.tell(v)
	}
}

// A streaming decides on a trace of which it keeps a window.
type streaming struct {
	*detection
	path    string
	monitor *online.Monitor
	answers []online.Answer
	lower   string // why causality is a lower bound
	told    bool   // that all events are kept
}

// streams reads a trace twice, since formulas may speak of all its processes: first to find
// these and their variables, and then to decide. Where too much has to be kept because of the
// order that its lines are in, it is put in another. Standard input is read once.
func (d *detection) streams(path string) (*streaming, error) {
	t := &streaming{detection: d, path: path}
	if path == "-" {
		return t, t.decide(online.Options{}, nil, func(ctx context.Context, take func(int, *stream.Line) error) error {
			return t.lines(ctx, take)
		})
	}
	var s survey
	if err := try(d.session, "looking for the processes of "+path, func(ctx context.Context) error { return t.lines(ctx, s.line) }); err != nil {
		return t, err
	}
	options := online.Options{Options: stream.Options{Declared: true}}
	err := t.decide(options, &s, func(ctx context.Context, take func(int, *stream.Line) error) error {
		rest := s.count()
		return t.lines(ctx, func(number int, l *stream.Line) error {
			if l.Kind == stream.Declaration || l.Kind == stream.Sharing {
				return nil
			}
			if t.spread() {
				return errSpread
			}
			if err := take(number, l); err != nil {
				return err
			}
			n := rest[string(l.Process)]
			if *n--; *n > 0 {
				return nil
			}
			return take(number, &stream.Line{Kind: stream.Closing, Process: l.Process})
		})
	})
	if err != errSpread {
		return t, err
	}
	d.note("%s: causes stand far from their effects, or processes one after the other, so it is put in order on disk, in %s", path, os.TempDir())
	lines, err := interleave.New(s.processes)
	if err != nil {
		return t, err
	}
	defer lines.Close() //nolint:errcheck // it has been read
	err = try(d.session, "putting in order "+path, func(ctx context.Context) error {
		return t.lines(ctx, func(number int, l *stream.Line) error {
			if l.Kind == stream.Declaration || l.Kind == stream.Sharing {
				return nil
			}
			return lines.Add(number, l)
		})
	})
	if err != nil {
		return t, err
	}
	options.Released = lines.Released
	return t, t.decide(options, &s, func(ctx context.Context, take func(int, *stream.Line) error) error {
		return lines.Each(ctx, t.monitor.Stream().Waiting, func(number int, l *stream.Line) error {
			err := take(number, l)
			switch {
			case err == nil, err == io.EOF, is[*online.FormulaError](err):
				return err
			}
			return &trace.Error{File: path, Line: number, Msg: err.Error(), Err: err}
		})
	})
}

// errSpread says that the lines of a trace are in an order in which much of it has to be kept.
var errSpread = errors.New("causes stand far from their effects")

// mostSpread is how many events may be kept, or wait, or messages be on their way, before it is
// worth putting a trace in order.
var mostSpread = 1 << 18

// spread reports whether more than that are.
func (t *streaming) spread() bool {
	s := t.monitor.Stream()
	if s.Unsettled() > mostSpread {
		return true
	}
	if s.Len() <= mostSpread {
		return false
	}
	for i := range t.properties { // another order would not help
		if !t.monitor.Bounded(i) {
			if !t.told {
				t.told = true
				t.note("%s: all events that change what %s speaks of are kept, %d by now; pota help watching says which formulas need less", t.path, t.properties[i].Source, s.Len())
			}
			return false
		}
	}
	return true
}

// decide decides on the lines that each calls take for, with the processes of a survey, nil
// for those of the lines.
func (t *streaming) decide(options online.Options, s *survey, each func(ctx context.Context, take func(int, *stream.Line) error) error) error {
	var formulas []*syntax.Formula
	for _, p := range t.properties {
		formulas = append(formulas, p.Formula)
	}
	m := online.New(formulas, options)
	t.monitor, t.answers = m, nil
	return try(t.session, "reading "+t.path, func(ctx context.Context) error {
		if s != nil {
			for _, l := range s.lines() {
				if err := m.Add(l); err != nil {
					return err
				}
			}
		}
		decide := func(decide func(context.Context) ([]online.Answer, error)) error {
			more, err := decide(ctx)
			t.answers = append(t.answers, more...)
			if err == nil && m.Final() {
				err = io.EOF // the rest need not be read
			}
			return err
		}
		err := each(ctx, func(_ int, l *stream.Line) error {
			if err := m.Add(l); err != nil || !m.Due() {
				return err
			}
			return decide(m.Decide)
		})
		if err == nil {
			err = decide(m.End)
		}
		if err == io.EOF {
			err = nil
		}
		if e, ok := err.(*online.FormulaError); ok {
			p := t.properties[e.Property]
			return &formulaError{p.Name, e.Err}
		}
		return err
	})
}

// lines calls take for the lines of the trace, which is one file in the native format, until
// it returns an error; io.EOF ends it without one. It notes why causality is a lower bound.
func (t *streaming) lines(ctx context.Context, take func(int, *stream.Line) error) error {
	source, err := trace.Open(t.path)
	if err != nil {
		return err
	}
	defer source.Close()
	if len(source.Files()) > 1 {
		return &trace.Error{File: t.path, Msg: "a directory cannot be read with --stream; pota watch --to-end reads it"}
	}
	in, err := source.Next()
	if err != nil {
		return err
	}
	defer in.Close()
	var scanner native.Scanner
	buffer := make([]byte, 0, 1<<20)
	for {
		if len(buffer) == cap(buffer) {
			buffer = slices.Grow(buffer, cap(buffer))
		}
		n, err := in.Read(buffer[len(buffer):cap(buffer)])
		buffer = buffer[:len(buffer)+n]
		if err == io.EOF && len(buffer) > 0 && buffer[len(buffer)-1] != '\n' {
			buffer = append(buffer, '\n')
		}
		if end := bytes.LastIndexByte(buffer, '\n') + 1; end > 0 {
			if err := scanner.Scan(buffer[:end], take); err != nil {
				if e, ok := err.(*trace.Error); ok {
					if e.Err == io.EOF || e.Err == errSpread || is[*online.FormulaError](e.Err) {
						return e.Err
					}
					e.File = in.Name
				}
				return err
			}
			buffer = append(buffer[:0], buffer[end:]...)
		}
		t.lower = scanner.LowerBound
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
}

// A survey finds the processes and variables of a trace.
type survey struct {
	processes []string
	shared    []stream.Assignment
	of        map[string]*found // by process
}

// found is what a survey finds of a process.
type found struct {
	declared map[string]graphs.Value
	order    []string // of its variables
	begun    bool     // it has executed an event
	lines    int      // of it that are no declarations
}

// line looks at a line.
func (s *survey) line(_ int, l *stream.Line) error {
	if l.Kind == stream.Sharing {
		for _, a := range l.Values {
			s.shared = append(s.shared, stream.Assignment{Name: bytes.Clone(a.Name), Value: a.Value})
		}
		return nil
	}
	p := s.of[string(l.Process)]
	if p == nil {
		if s.of == nil {
			s.of = make(map[string]*found)
		}
		p = &found{declared: make(map[string]graphs.Value)}
		s.of[string(l.Process)] = p
		s.processes = append(s.processes, string(l.Process))
	}
	switch {
	case l.Kind != stream.Declaration:
		p.lines++
		p.begun = p.begun || l.Kind == stream.Event
	case p.begun:
		return fmt.Errorf("the initial values of process %q must come before its events", l.Process)
	}
	for _, a := range l.Values {
		_, known := p.declared[string(a.Name)]
		if known && l.Kind == stream.Declaration {
			return fmt.Errorf("variable %q has two initial values", a.Name)
		}
		if !known {
			x := a.Value
			if l.Kind == stream.Event {
				x = graphs.Zero(x.Kind)
			}
			name := string(a.Name)
			p.declared[name] = x
			p.order = append(p.order, name)
		}
	}
	return nil
}

// count returns how many lines each process has that are no declarations.
func (s *survey) count() map[string]*int {
	counts := make(map[string]*int)
	for name, p := range s.of {
		n := p.lines
		counts[name] = &n
	}
	return counts
}

// lines returns the declarations of all that was found, and says which processes execute
// nothing.
func (s *survey) lines() []*stream.Line {
	all := []*stream.Line{{Kind: stream.Sharing, Values: s.shared}}
	shared := func(name string) bool {
		return slices.ContainsFunc(s.shared, func(a stream.Assignment) bool { return string(a.Name) == name })
	}
	for _, name := range s.processes {
		l := &stream.Line{Kind: stream.Declaration, Process: []byte(name)}
		p := s.of[name]
		for _, variable := range p.order {
			if !shared(variable) {
				l.Values = append(l.Values, stream.Assignment{Name: []byte(variable), Value: p.declared[variable]})
			}
		}
		all = append(all, l)
	}
	for _, name := range s.processes {
		if s.of[name].lines == 0 {
			all = append(all, &stream.Line{Kind: stream.Closing, Process: []byte(name)})
		}
	}
	return all
}
