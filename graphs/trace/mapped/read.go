package mapped

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
)

// Read reads a log with the mapping and closes the source; a directory is one execution. Errors
// are *trace.Error or the error of ctx.
//
// The time complexity of Read is O(length of the log · pointers of one object + sort of events
// + |V| + |edges|).
func (m *Mapping) Read(
	ctx context.Context, source *trace.Source, opts trace.Options,
) (*graphs.Computation, error) {
	l := &log{m: m, opts: opts}
	if opts.Idle != nil {
		l.use = &use{make([]bool, len(m.parts)), make(map[string]bool)}
	}
	if err := l.load(ctx, source); err != nil {
		return nil, err
	}
	for _, e := range l.idle(source.Path) {
		opts.Idle(e)
	}
	return l.build(ctx)
}

// load adds the lines of an input. A log without an event is an error: most likely the mapping
// is for another kind of log.
func (l *log) load(ctx context.Context, in *trace.Source) error {
	m := l.m
	var left []string
	for _, file := range in.Files() {
		if m.sourceOf(file) < 0 {
			left = append(left, filepath.Base(file))
		}
	}
	alone := !in.Directory() && len(m.sources) == 1 // whether the file is read whatever its name is
	if !alone && len(left) > 0 {
		const msg = "not read, as the mapping %s is for files of other names: %s"
		l.opts.Noted(trace.Errorf(in.Path, 0, msg, m.Name, graphs.List(left, 5)))
	}
	err := trace.ReadLines(ctx, in, trace.LinesOptions[*chunk]{
		New:     m.newChunk,
		Do:      func(p *trace.Piece, c *chunk) { c.walk(p) },
		Take:    l.add,
		Skip:    func(file string) bool { return !alone && m.sourceOf(file) < 0 },
		Heads:   m.Columns(),
		Options: &l.opts,
	})
	if err == nil {
		err = l.endFile()
	}
	if err != nil {
		return err
	}
	if len(l.events) == 0 {
		return trace.Errorf(in.Path, 0, "no line is an event of the mapping %s", m.Name)
	}
	return nil
}

// build builds the computation of a log.
func (l *log) build(ctx context.Context) (*graphs.Computation, error) {
	o, err := l.sorted()
	if err != nil {
		return nil, err
	}
	if err := o.addTimers(); err != nil {
		return nil, err
	}
	recv, err := o.match()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b := &graphs.Builder{}
	b.SetLowerBound(l.m.lowerBound)
	o.addEvents(b)
	if l.m.clocks {
		if err := o.addClocks(b); err != nil {
			return nil, err
		}
	}
	o.addMessages(b, recv)
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
		if clock := o.clockIDOf(int32(p)); clock != "" {
			b.SetClock(p, clock)
		}
	}
	b.Grow(len(o.events))
	for _, e := range o.order {
		ev := &o.events[e]
		h := b.Event(int(ev.process))
		if id, ok := o.ids[e]; ok {
			b.SetID(h, id)
		}
		if end, ok := o.ends[e]; ok {
			b.SetTimer(h, o.handles[end.start], end.name)
		}
		if o.opts.Places {
			b.SetPlace(h, graphs.Place{File: o.fileOf(e), Line: int(ev.line)})
		}
		if ev.label >= 0 {
			b.SetLabel(h, o.textOf(ev.label))
		}
		if ev.time >= 0 && (o.opts.KeepTimes() || o.m.shared) {
			b.SetTime(h, o.textOf(ev.time))
		}
	}
}

// A chunk is a piece with the slots that a walker filled from it.
type chunk struct {
	m       *Mapping
	file    int // the number of the file that the walker is for; -1 at first
	source  *source
	walker  walker
	lines   []chunkLine
	count   int32            // how many lines were read
	wrong   *trace.Error     // the mistake at which the walk stopped; nil if there is none
	growing *stream.Progress // the progress in a growing file; nil for others

	skipped int          // how many lines do not fit and were skipped
	first   *trace.Error // the mistake of the first skipped line
}

// newChunk returns a chunk for one goroutine.
func (m *Mapping) newChunk() *chunk { return &chunk{m: m, file: -1} }

// begin prepares a chunk for the lines of a file.
func (c *chunk) begin(number int, name string) {
	if c.file == number {
		return
	}
	c.file = number
	if s := c.m.of(name); s != c.source {
		c.source = s
		c.walker = walker{line: s.line, loops: s.loops, seen: make([]int, s.nodes)}
	}
}

// of returns the source for a file; the first source if no pattern matches its name.
func (m *Mapping) of(file string) *source { return m.sources[max(0, m.sourceOf(file))] }

// sourceOf returns the number of the first source for a file, by its name or by the name of the log
// that was rotated to it; -1 if there is none.
func (m *Mapping) sourceOf(file string) int {
	names := namesOf(file)
	return slices.IndexFunc(m.sources, func(s *source) bool {
		return s.files == nil || slices.ContainsFunc(s.files, func(pattern string) bool {
			return slices.ContainsFunc(names, func(name string) bool { return trace.Match(pattern, name, false) })
		})
	})
}

// namesOf returns the base name of a file, preceded by that of its log if the name of the file
// shows that it was rotated.
func namesOf(file string) []string {
	names := []string{filepath.Base(file)}
	if log, sure := trace.LogOf(file); sure && log != filepath.Clean(file) {
		names = slices.Insert(names, 0, filepath.Base(log))
	}
	return names
}

// walk walks the lines of a piece, and stops at the first mistake.
func (c *chunk) walk(p *trace.Piece) {
	c.begin(p.File, p.Name)
	c.lines, c.count = c.lines[:0], 0
	c.skipped, c.first = 0, nil
	c.wrong = nil
	w := &c.walker
	w.rows, w.inner = w.rows[:0], w.inner[:0]
	w.text = p.Text
	defer func() { p.Text = w.text }()
	var t *table
	read, blanks := w.lineOf, " \t\r"
	if c.source.columns() {
		t = newTable(w, p.Head)
		// A line of blanks is a field, or several if tabs separate columns.
		read, blanks = t.record, "\r"
	}
	for from, end := 0, len(p.Text); from < end; {
		to := from + bytes.IndexByte(w.text[from:], '\n')
		c.count++
		if len(bytes.TrimLeft(w.text[from:to], blanks)) > 0 {
			row := len(w.rows)
			// A wrong header makes all lines wrong, so it is never skipped.
			header := t != nil && t.names == nil
			ok := read(from, to)
			switch {
			case ok && header:
			case ok:
				c.lines = append(c.lines, chunkLine{c.count, int32(from), int32(to), int32(row)})
			case !header && c.skips(from):
				w.rows = w.rows[:row]
			default:
				c.wrong = c.mistake(from)
				return
			}
		}
		from = to + 1
	}
}

// mistake returns the mistake in the line that begins at from, with a place in the chunk.
func (c *chunk) mistake(from int) *trace.Error {
	w := &c.walker
	// Columns count runes.
	before := w.text[from:min(w.Err.At, len(w.text))]
	return &trace.Error{Line: int(c.count), Column: utf8.RuneCount(before) + 1, Msg: w.Err.Msg}
}

// skips reports whether the wrong line that begins at from is skipped. The limit is checked at the
// end of a file; for a growing file it is checked here, as if the file had at least 100 lines.
func (c *chunk) skips(from int) bool {
	if c.source.skip == 0 {
		return false
	}
	if g := c.growing; g != nil && 100*(g.Skipped+c.skipped+1) > c.source.skip*max(g.Lines+int(c.count), 100) {
		c.walker.Err.Msg += fmt.Sprintf("; more than %d %% of the lines do not fit", c.source.skip)
		return false
	}
	if c.skipped == 0 {
		c.first = c.mistake(from)
	}
	c.skipped++
	return true
}
