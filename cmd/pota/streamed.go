package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

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
	monitor, answers, lower, err := d.streams(path)
	if err != nil && !is[*limitError](err) {
		d.wrong(path, err)
		d.show.refusal(d, path, err)
		return
	}
	for k, p := range d.properties {
		v := &decision{detection: d, trace: path, execution: &format.Execution{Name: path}, index: k, property: p}
		i := slices.IndexFunc(answers, func(a online.Answer) bool { return a.Property == k })
		if i < 0 {
			v.giveUp(nil, err)
		} else {
			a := answers[i]
			v.result = &rctl.Result{Verdict: a.Verdict, Reason: a.Reason, Class: syntax.Classify(p.Formula)}
			if lower != "" && !rctl.Sound(monitor.Formula(k), a.Verdict) {
				v.notes = append(v.notes, note{Kind: noteSpurious, Text: lower})
			}
		}
		d.tell(v)
	}
}

// streams reads a trace twice, since formulas may speak of all its processes: first to find
// these and their variables, and then to decide. Standard input is read once.
func (d *detection) streams(path string) (m *online.Monitor, answers []online.Answer, lower string, err error) {
	var formulas []*syntax.Formula
	for _, p := range d.properties {
		formulas = append(formulas, p.Formula)
	}
	var s survey
	if path != "-" {
		err = try(d.session, "looking for the processes of "+path, func(ctx context.Context) error { return d.lines(ctx, path, s.line, nil) })
		if err != nil {
			return nil, nil, "", err
		}
	}
	m = online.New(formulas, online.Options{Options: stream.Options{Declared: path != "-"}})
	err = try(d.session, "reading "+path, func(ctx context.Context) error {
		for _, l := range s.lines() {
			if err := m.Add(l); err != nil {
				return err
			}
		}
		decide := func(decide func(context.Context) ([]online.Answer, error)) error {
			more, err := decide(ctx)
			answers = append(answers, more...)
			if err == nil && m.Final() {
				err = io.EOF // the rest need not be read
			}
			return err
		}
		err := d.lines(ctx, path, func(_ int, l *stream.Line) error {
			if path != "-" && (l.Kind == stream.Declaration || l.Kind == stream.Sharing) {
				return nil
			}
			if err := m.Add(l); err != nil || !m.Due() {
				return err
			}
			return decide(m.Decide)
		}, &lower)
		if err == nil {
			err = decide(m.End)
		}
		if err == io.EOF {
			err = nil
		}
		if e, ok := err.(*online.FormulaError); ok {
			p := d.properties[e.Property]
			return &formulaError{p.Name, e.Err}
		}
		return err
	})
	return m, answers, lower, err
}

// lines calls take for the lines of a trace in the native format, which is one file, until
// it returns an error; io.EOF ends it without one. It notes why causality is a lower bound.
func (d *detection) lines(ctx context.Context, path string, take func(int, *stream.Line) error, lower *string) error {
	source, err := trace.Open(path)
	if err != nil {
		return err
	}
	defer source.Close()
	if len(source.Files()) > 1 {
		return &trace.Error{File: path, Msg: "a directory cannot be read with --stream; pota watch --to-end reads it"}
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
					if e.Err == io.EOF || is[*online.FormulaError](e.Err) {
						return e.Err
					}
					e.File = in.Name
				}
				return err
			}
			buffer = append(buffer[:0], buffer[end:]...)
		}
		if lower != nil {
			*lower = scanner.LowerBound
		}
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
	declared  map[string]map[string]graphs.Value // by process and name
	order     map[string][]string                // of the variables of a process
	begun     map[string]bool                    // processes that have executed an event
}

// line looks at a line.
func (s *survey) line(_ int, l *stream.Line) error {
	if l.Kind == stream.Sharing {
		for _, a := range l.Values {
			s.shared = append(s.shared, stream.Assignment{Name: bytes.Clone(a.Name), Value: a.Value})
		}
		return nil
	}
	all, ok := s.declared[string(l.Process)]
	if !ok {
		if s.declared == nil {
			s.declared, s.order, s.begun = make(map[string]map[string]graphs.Value), make(map[string][]string), make(map[string]bool)
		}
		name := string(l.Process)
		s.processes = append(s.processes, name)
		all = make(map[string]graphs.Value)
		s.declared[name] = all
	}
	switch {
	case l.Kind == stream.Event && !s.begun[string(l.Process)]:
		s.begun[string(l.Process)] = true
	case s.begun[string(l.Process)] && l.Kind == stream.Declaration:
		return fmt.Errorf("the initial values of process %q must come before its events", l.Process)
	}
	for _, a := range l.Values {
		_, known := all[string(a.Name)]
		if known && l.Kind == stream.Declaration {
			return fmt.Errorf("variable %q has two initial values", a.Name)
		}
		if !known {
			x := a.Value
			if l.Kind == stream.Event {
				x = graphs.Zero(x.Kind)
			}
			all[string(a.Name)] = x
			s.order[string(l.Process)] = append(s.order[string(l.Process)], string(a.Name))
		}
	}
	return nil
}

// lines returns the declarations of all that was found.
func (s *survey) lines() []*stream.Line {
	all := []*stream.Line{{Kind: stream.Sharing, Values: s.shared}}
	shared := func(name string) bool {
		return slices.ContainsFunc(s.shared, func(a stream.Assignment) bool { return string(a.Name) == name })
	}
	for _, p := range s.processes {
		l := &stream.Line{Kind: stream.Declaration, Process: []byte(p)}
		for _, name := range s.order[p] {
			if !shared(name) {
				l.Values = append(l.Values, stream.Assignment{Name: []byte(name), Value: s.declared[p][name]})
			}
		}
		all = append(all, l)
	}
	return all
}
