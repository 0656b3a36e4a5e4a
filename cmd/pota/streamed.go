package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/interleave"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/online"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// notStreamed are the flags of detect that need all of a trace at once, or another format.
var notStreamed = []string{"engine", "cross-check", "spin-slice", "skew-sweep", "no-projection", "show", "certificate", "map", "order", "skew", "execution", "regexp", "delimiter", "assign"}

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
		v := &decision{detection: d, trace: path, execution: &format.Execution{Name: path}, index: k, property: p, window: &window{sizes: t.sizes}}
		i := slices.IndexFunc(t.answers, func(a online.Answer) bool { return a.Property == k })
		switch {
		case i < 0:
			v.giveUp(nil, err)
		case t.answers[i].Misfit != nil:
			v.giveUp(nil, fmt.Errorf("%s: %w", path, misfit(p, t.answers[i].Misfit)))
		default:
			a := t.answers[i]
			v.result = &rctl.Result{Verdict: a.Verdict, Reason: a.Reason, Class: syntax.Classify(p.Formula)}
			v.elapsed = t.elapsed / time.Duration(len(d.properties)) // they are decided together
			if a.Cut != nil {
				v.window.cut = &report.Cut[int64]{Processes: t.monitor.Stream().Processes()[:len(a.Cut)], Counts: a.Cut}
				v.window.steps = a.Steps
			}
			if t.lower != "" && !rctl.Sound(t.monitor.Formula(k), a.Verdict) {
				v.notes = append(v.notes, note{Kind: noteSpurious, Text: t.lower})
			}
		}
		d.tell(v)
	}
}

// A window is what --stream knows of a trace and of a verdict.
type window struct {
	sizes report.Known
	cut   *report.Cut[int64] // that a run leads to which shows the verdict, nil for none
	steps []string           // ids of events of the run, as far as they were kept
}

// partly says what the steps of a window leave out.
const partly = "the steps are events that change what some formula speaks of, and were in the window then"

// text is the run of a window for people, "" for none.
func (w *window) text() string {
	if w == nil || w.cut == nil {
		return ""
	}
	var cut []string
	for p, name := range w.cut.Processes {
		cut = append(cut, fmt.Sprintf("%s:%d", name, w.cut.Counts[p]))
	}
	text := "a run to the cut " + graphs.List(cut, 20)
	if len(w.steps) > 0 {
		text += ", by way of " + graphs.List(w.steps, 20)
	}
	return text
}

// A streaming decides on a trace of which it keeps a window.
type streaming struct {
	*detection
	path    string
	monitor *online.Monitor
	answers []online.Answer
	elapsed time.Duration
	sizes   report.Known // of the trace, as far as they are known
	files   []begun      // that were read, in order
	lower   string       // why causality is a lower bound
	told    bool         // that all events are kept
}

// streams reads a trace twice, since formulas may speak of all its processes: first to find
// these and their variables, and then to decide. Where too much has to be kept because of the
// order that its lines are in, it is put in another. Standard input is read once.
func (d *detection) streams(path string) (*streaming, error) {
	started := time.Now()
	t := &streaming{detection: d, path: path, sizes: report.Unread}
	defer func() { t.elapsed = time.Since(started) }()
	if path == "-" {
		return t, t.decide(online.Options{}, nil, func(ctx context.Context, take func(int, *stream.Line) error) error {
			return t.lines(ctx, take)
		})
	}
	var s survey
	if err := try(d.session, "looking for the processes of "+path, func(ctx context.Context) error { return t.lines(ctx, s.line) }); err != nil {
		return t, err
	}
	for _, name := range s.receivers { // those without a line execute nothing
		s.process(name)
	}
	// Events, in passes over all lines after the first.
	events := func(ctx context.Context, take func(int, *stream.Line) error) error {
		unnamed := s.unnamed()
		return t.lines(ctx, func(number int, l *stream.Line) error {
			switch l.Kind {
			case stream.Declaration, stream.Sharing:
				return nil
			case stream.Event:
				if at, err := unnamed(l); err != nil {
					return t.at(at, err)
				}
			}
			return take(number, l)
		})
	}
	options := online.Options{Options: stream.Options{Declared: true}}
	err := t.decide(options, &s, func(ctx context.Context, take func(int, *stream.Line) error) error {
		rest := s.count()
		return events(ctx, func(number int, l *stream.Line) error {
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
	err = try(d.session, "putting in order "+path, func(ctx context.Context) error { return events(ctx, lines.Add) })
	if err != nil {
		return t, err
	}
	options.Released = lines.Released
	return t, t.decide(options, &s, func(ctx context.Context, take func(int, *stream.Line) error) error {
		return lines.Each(ctx, t.monitor.Stream().Waiting, func(number int, l *stream.Line) error {
			return t.at(number, take(number, l))
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
				err = io.EOF // the rest need not be decided on
			}
			return err
		}
		err := each(ctx, func(_ int, l *stream.Line) error {
			if err := m.Add(l); err != nil || !m.Due() {
				return err
			}
			return decide(m.Decide)
		})
		if err == nil && len(m.Stream().Processes()) == 0 {
			err = &trace.Error{File: t.path, Msg: "a trace without a process"}
		}
		if err == nil {
			err = decide(m.End)
		}
		if err == io.EOF {
			err = nil
		}
		if s != nil || m.Stream().Fixed() {
			t.sizes.Processes = len(m.Stream().Processes())
		}
		return t.explain(ctx, err)
	})
}

// explain gives an error that is of the whole trace its place.
func (t *streaming) explain(ctx context.Context, err error) error {
	if known, ok := errors.AsType[*trace.Error](err); ok && known.Line > 0 {
		return err
	}
	e := &trace.Error{File: t.path, Err: err}
	event, isEvent := errors.AsType[*stream.EventError](err)
	unordered, isUnordered := errors.AsType[*graphs.UnorderedError](err)
	switch {
	case isEvent:
		e.Msg = event.Msg
	case isUnordered:
		e.Msg = unordered.Error()
	default:
		return err
	}
	if t.path == "-" {
		e.Msg = err.Error()
		return e
	}
	counts := make(map[string]int64)
	bad := t.lines(ctx, func(number int, l *stream.Line) error {
		if l.Kind != stream.Event {
			return nil
		}
		counts[string(l.Process)]++
		k := counts[string(l.Process)]
		if isEvent && (event.Process != string(l.Process) || event.Event != k) {
			return nil
		}
		if isUnordered {
			id := string(l.ID)
			if id == "" {
				id = string(stream.DefaultID(nil, string(l.Process), k))
			}
			if !slices.Contains(unordered.IDs[:], id) {
				return nil
			}
		}
		e.File, e.Line = t.place(number) // the last is the one
		return nil
	})
	if bad != nil {
		return bad
	}
	return e
}

// lines calls take for the lines of the trace in the native format, with their numbers among
// those of all its files, until it returns an error. It notes how many events and messages
// there are, and why causality is a lower bound.
func (t *streaming) lines(ctx context.Context, take func(int, *stream.Line) error) error {
	source, err := trace.Open(t.path)
	if err != nil {
		return err
	}
	t.files = t.files[:0]
	number, events, messages := 0, 0, 0
	t.lower, err = native.ReadStream(ctx, source, t.in.options.Options, func(file string, line int, l *stream.Line) error {
		if n := len(t.files); n == 0 || t.files[n-1].name != file {
			t.files = append(t.files, begun{file, number})
		}
		number = t.files[len(t.files)-1].before + line
		if l.Kind == stream.Event {
			events++
			messages += len(l.Send)
		}
		if err := take(number, l); err != nil {
			return t.at(number, err)
		}
		return nil
	})
	if err == nil {
		t.sizes.Events, t.sizes.Messages = events, messages
	}
	return err
}

// A begun file is one that was read, and how many lines there were before it.
type begun struct {
	name   string
	before int
}

// place returns where a line is that has a number among all.
func (t *streaming) place(number int) (file string, line int) {
	i := sort.Search(len(t.files), func(i int) bool { return t.files[i].before >= number }) - 1
	return t.files[i].name, number - t.files[i].before
}

// at gives an error of a line its place.
func (t *streaming) at(number int, err error) error {
	switch {
	case err == nil, err == io.EOF, err == errSpread, isDone(err), is[*trace.Error](err):
		return err
	case is[*graphs.UnorderedError](err) && t.path != "-":
		return err // the line is that of the later in the trace, not in the order of the window
	}
	file, line := t.place(number)
	return &trace.Error{File: file, Line: line, Msg: err.Error(), Err: err}
}

// A survey finds the processes and variables of a trace.
type survey struct {
	processes []string
	receivers []string        // that had no line when a message was first sent to them
	mentioned map[string]bool // those
	shared    []stream.Assignment
	of        map[string]*found // by process
	declared  map[string]bool   // names of variables: true for shared ones, false for those to which a process gave an initial value
	alike     map[string]int    // ids that may be default ids of other events, and the numbers of their lines
}

// found is what a survey finds of a process.
type found struct {
	declared map[string]graphs.Value
	order    []string // of its variables
	events   int64
	lines    int // of it that are no declarations
}

// mostMistakable is how many ids a survey keeps that may be default ids of other events.
const mostMistakable = 1 << 16

// line looks at a line.
func (s *survey) line(number int, l *stream.Line) error {
	if s.of == nil {
		s.of, s.mentioned, s.declared, s.alike = make(map[string]*found), make(map[string]bool), make(map[string]bool), make(map[string]int)
	}
	if l.Kind == stream.Sharing {
		return s.share(l)
	}
	p := s.process(string(l.Process))
	if s.of[string(l.To)] == nil && len(l.To) > 0 && !s.mentioned[string(l.To)] {
		s.mentioned[string(l.To)] = true
		s.receivers = append(s.receivers, string(l.To))
	}
	switch {
	case l.Kind != stream.Declaration:
		p.lines++
		if l.Kind != stream.Event {
			break
		}
		p.events++
		if name, k := stream.SplitDefault(l.ID); k > 0 && (k != p.events || string(name) != string(l.Process)) && len(s.alike) < mostMistakable {
			s.alike[string(l.ID)] = number
		}
	case p.events > 0:
		return fmt.Errorf("the initial values of process %q must come before its events", l.Process)
	}
	for _, a := range l.Values {
		_, known := p.declared[string(a.Name)]
		if l.Kind == stream.Declaration {
			switch {
			case s.declared[string(a.Name)]:
				return fmt.Errorf("variable %q is shared and has an initial value of a process", a.Name)
			case known:
				return fmt.Errorf("variable %q has two initial values", a.Name)
			}
			s.declared[string(a.Name)] = false
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

// process returns what was found of a process.
func (s *survey) process(name string) *found {
	p := s.of[name]
	if p == nil {
		p = &found{declared: make(map[string]graphs.Value)}
		s.of[name] = p
		s.processes = append(s.processes, name)
	}
	return p
}

// share looks at a declaration of shared variables.
func (s *survey) share(l *stream.Line) error {
	for _, a := range l.Values {
		name := string(a.Name)
		switch shared, known := s.declared[name]; {
		case shared:
			return fmt.Errorf("variable %q is declared shared twice", name)
		case known:
			return fmt.Errorf("variable %q is shared and has an initial value of a process", name)
		}
		s.declared[name] = true
		s.shared = append(s.shared, stream.Assignment{Name: []byte(name), Value: a.Value})
	}
	return nil
}

// unnamed returns what looks at all events in turn, and refuses an id that is the default id
// of an event without one: it returns the number of the line that has it.
func (s *survey) unnamed() func(l *stream.Line) (number int, err error) {
	for id := range s.alike {
		name, k := stream.SplitDefault([]byte(id))
		if p := s.of[string(name)]; p == nil || k > p.events {
			delete(s.alike, id)
		}
	}
	counts := make(map[string]int64)
	return func(l *stream.Line) (int, error) {
		if len(s.alike) == 0 {
			return 0, nil
		}
		counts[string(l.Process)]++
		if len(l.ID) > 0 {
			return 0, nil
		}
		k := counts[string(l.Process)]
		id := stream.DefaultID(nil, string(l.Process), k)
		if number, ok := s.alike[string(id)]; ok {
			return number, fmt.Errorf("the id %q is the default id of another event, event %d of process %q", id, k, l.Process)
		}
		return 0, nil
	}
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
	for _, name := range s.processes {
		l := &stream.Line{Kind: stream.Declaration, Process: []byte(name)}
		p := s.of[name]
		for _, variable := range p.order {
			if !s.declared[variable] {
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
