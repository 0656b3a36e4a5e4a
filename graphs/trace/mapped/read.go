package mapped

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// Read reads a log with a mapping and closes the source; a directory is one execution. Errors
// are *trace.Error or the error of ctx.
//
// The time complexity of Read is O(length of the log · pointers of one object + sort of events
// + |V| + |edges|).
func Read(ctx context.Context, source *trace.Source, m *Mapping, opts trace.Options) (*graphs.Computation, error) {
	l := &log{m: m, opts: opts}
	if err := l.load(ctx, source); err != nil {
		return nil, err
	}
	return l.build(ctx)
}

// load adds the lines of a source. A log without an event is an error: most likely the mapping
// is of another kind of log.
func (l *log) load(ctx context.Context, source *trace.Source) error {
	m, opts := l.m, l.opts
	names := &columns{}
	err := trace.ReadLines(ctx, source, trace.LinesOptions[*chunk]{
		New:     func() *chunk { return &chunk{walker: m.walker(), columns: names, skip: m.skip} },
		Do:      func(p *trace.Piece, c *chunk) { c.walk(p) },
		Take:    l.add,
		Skip:    func(file string) bool { return source.Directory() && !m.takes(file) },
		Options: &l.opts,
	})
	if err != nil {
		return err
	}
	if l.skipped > 0 {
		lines := graphs.Plural(l.skipped, "line")
		l.firstSkipped.Msg = fmt.Sprintf("skipped %s that did not fit, this one first: %s", lines, l.firstSkipped.Msg)
		opts.Noted(l.firstSkipped)
	}
	if len(l.events) == 0 {
		return &trace.Error{File: source.Path, Msg: "no line is an event of the mapping " + m.Name}
	}
	return nil
}

// build makes a computation of a log.
func (l *log) build(ctx context.Context) (*graphs.Computation, error) {
	o, err := l.sorted()
	if err != nil {
		return nil, err
	}
	m, err := o.match()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b := &graphs.Builder{}
	b.SetLowerBound(l.m.lowerBound)
	o.addEvents(b)
	if l.m.clock >= 0 {
		if err := o.addClocks(b, o.starts()); err != nil {
			return nil, err
		}
	}
	o.addMessages(b, m)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := o.addValues(b); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return trace.Build(b, func(h graphs.Handle) *trace.Error { return o.failAt(o.order[h], "") })
}

// addEvents adds processes and events to a builder.
func (o *ordered) addEvents(b *graphs.Builder) {
	for p := range o.procNames {
		b.NewProcess(string(o.process(int32(p))))
	}
	b.Grow(len(o.events))
	for _, e := range o.order {
		ev := &o.events[e]
		h := b.Event(int(ev.process))
		if o.opts.Places {
			b.SetPlace(h, graphs.Place{File: o.fileOf(e), Line: int(ev.line)})
		}
		if ev.label >= 0 {
			b.SetLabel(h, o.textOf(ev.label))
		}
		if ev.time >= 0 {
			b.SetTime(h, o.textOf(ev.time))
		}
	}
}

// A chunk is a piece with the slots that a walker filled from it.
type chunk struct {
	walker walker
	lines  []chunkLine
	count  int32 // line ends
	wrong  int   // where the walk stopped, -1 when it did not

	columns *columns // of CSV
	skip    bool     // lines that do not fit
	skipped int
	first   *trace.Error // the first of them
}

// walker returns a walker along the pointers of m, for one goroutine.
func (m *Mapping) walker() walker {
	return walker{line: m.line, loops: m.loops, seen: make([]int, m.nodes)}
}

// takes reports whether a file of a directory belongs to the log, by its name or by the name of
// the log that was rotated to it.
func (m *Mapping) takes(file string) bool {
	return m.files == "" || slices.ContainsFunc(namesOf(file), func(name string) bool { return trace.Match(m.files, name, false) })
}

// namesOf returns the name of a file, and before it the name of its log, if the name of the
// file says that it was rotated.
func namesOf(file string) []string {
	names := []string{filepath.Base(file)}
	if log, sure := trace.LogOf(file); sure && log != filepath.Clean(file) {
		names = slices.Insert(names, 0, filepath.Base(log))
	}
	return names
}

// walk finds the lines of a piece.
func (c *chunk) walk(p *trace.Piece) {
	c.lines, c.count = c.lines[:0], 0
	c.skipped, c.first = 0, nil
	c.wrong = -1
	w := &c.walker
	w.rows, w.inner = w.rows[:0], w.inner[:0]
	w.text = p.Text
	defer func() { p.Text = w.text }()
	var t *table
	read, blanks := w.lineOf, " \t\r"
	if f := w.line.root.form; f != nil && f.kind == byColumns {
		t = c.columns.table(w, p)
		defer t.close()
		// A line of blanks is a field, or several where tabs separate them.
		read, blanks = t.record, "\r"
	}
	for from, end := 0, len(p.Text); from < end; {
		to := from + bytes.IndexByte(w.text[from:], '\n')
		c.count++
		if len(bytes.TrimLeft(w.text[from:to], blanks)) > 0 {
			row := len(w.rows)
			// A wrong header makes all lines wrong, so it is never skipped.
			header := t != nil && t.first
			ok := read(from, to)
			switch {
			case ok && header:
			case ok:
				c.lines = append(c.lines, chunkLine{c.count, int32(from), int32(to), int32(row)})
			case !header && c.skips(w.text[from:w.Err.At]):
				w.rows = w.rows[:row]
			default:
				c.wrong = from
				return
			}
		}
		from = to + 1
	}
}

// skips reports whether a wrong line is skipped. Before is its text up to the mistake of w.Err.
func (c *chunk) skips(before []byte) bool {
	if !c.skip {
		return false
	}
	if c.skipped == 0 {
		c.first = &trace.Error{Line: int(c.count), Column: utf8.RuneCount(before) + 1, Msg: c.walker.Err.Msg}
	}
	c.skipped++
	return true
}
