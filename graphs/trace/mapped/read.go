package mapped

import (
	"bytes"
	"context"
	"path/filepath"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// Read reads a log with a mapping and closes the source; a directory is one
// execution. Errors are *trace.Error, or that of ctx.
//
// The time complexity of Read is O(length of the log · pointers of one object + sort
// of events + |V| + |edges|).
func Read(ctx context.Context, source *trace.Source, m *Mapping, opts trace.Options) (*graphs.Computation, error) {
	l, err := m.load(ctx, source, opts)
	if err != nil {
		return nil, err
	}
	return l.build(ctx)
}

// load reads all lines of a source.
func (m *Mapping) load(ctx context.Context, source *trace.Source, opts trace.Options) (*log, error) {
	l := &log{m: m, opts: opts}
	err := trace.ReadLines(ctx, source, trace.LinesOptions[*chunk]{
		New:     func() *chunk { return &chunk{walker: m.walker()} },
		Do:      func(p *trace.Piece, c *chunk) { c.walk(p.Text) },
		Take:    l.add,
		Skip:    func(file string) bool { return source.Directory() && !m.takes(file) },
		Options: &l.opts,
	})
	if err != nil {
		return nil, err
	}
	if len(l.events) == 0 {
		return nil, &trace.Error{File: source.Path, Msg: "no line is an event of the mapping " + m.Name}
	}
	return l, nil
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

func (o *ordered) addEvents(b *graphs.Builder) {
	for p := range o.procNames {
		b.Process(string(o.process(int32(p))))
	}
	b.Grow(len(o.events))
	texts := make(map[int32]string)
	str := func(i int32) string {
		s, ok := texts[i]
		if !ok {
			s = string(o.texts.At(i))
			texts[i] = s
		}
		return s
	}
	for _, e := range o.order {
		ev := &o.events[e]
		h := b.Event(int(ev.process))
		if ev.label >= 0 {
			b.SetLabel(h, str(ev.label))
		}
		if ev.time >= 0 {
			b.SetTime(h, str(ev.time))
		}
	}
}

// A chunk is what was found in a piece.
type chunk struct {
	walker walker
	lines  []chunkLine
	count  int32 // line ends
	wrong  int   // where the walk stopped, -1 when it did not
}

func (m *Mapping) walker() walker {
	return walker{line: m.line, loops: m.loops, seen: make([]int, m.nodes)}
}

// takes reports whether a file of a directory is part of the log.
func (m *Mapping) takes(file string) bool {
	return m.files == "" || trace.Match(m.files, filepath.Base(file), false)
}

// walk finds the lines of a piece.
func (c *chunk) walk(text []byte) {
	c.lines, c.count, c.wrong = c.lines[:0], 0, -1
	w := &c.walker
	w.rows, w.inner = w.rows[:0], w.inner[:0]
	for from := 0; from < len(text); {
		to := from + bytes.IndexByte(text[from:], '\n')
		c.count++
		if len(bytes.TrimLeft(text[from:to], " \t\r")) > 0 {
			row := len(w.rows)
			if !w.lineOf(text, from, to) {
				c.wrong = from
				return
			}
			c.lines = append(c.lines, chunkLine{c.count, int32(from), int32(to), int32(row)})
		}
		from = to + 1
	}
}
