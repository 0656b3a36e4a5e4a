package mapped

import (
	"bytes"
	"context"
	"path/filepath"
	"unicode/utf8"

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
		New:       func() *chunk { return &chunk{walker: m.walker()} },
		Do:        func(p *trace.Piece, c *chunk) { c.walk(p.Text) },
		Take:      l.add,
		Skip:      func(file string) bool { return source.Directory() && !m.takes(file) },
		Truncated: opts.AllowTruncated,
	})
	if err != nil {
		return nil, err
	}
	if len(l.events) == 0 {
		return nil, &trace.Error{File: source.Path, Msg: "no event: no line is one that the mapping " + m.Name + " knows"}
	}
	return l, nil
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
	return m.files == "" || matches([]byte(m.files), []byte(filepath.Base(file)))
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

// add adds the lines of a piece to the log.
func (l *log) add(b *trace.Batch[*chunk]) error {
	if b.File == len(l.files) {
		l.files = append(l.files, b.Name)
		l.starts = append(l.starts, int32(len(l.events)))
		l.lines = 0
	}
	c := b.Work
	a := adding{log: l, text: b.Text, inner: c.walker.inner}
	size := l.m.line.size
	for _, line := range c.lines {
		a.line = line
		a.line.number += l.lines
		a.row = c.walker.rows[line.row:][:size]
		if err := a.add(); err != nil {
			return err
		}
	}
	if c.wrong >= 0 {
		at := min(c.walker.at, len(b.Text))
		return &trace.Error{
			File: b.Name, Line: int(l.lines + c.count),
			Column: utf8.RuneCount(b.Text[c.wrong:at]) + 1, Msg: c.walker.msg,
		}
	}
	l.lines += c.count
	b.CutOff(&l.opts, int(l.lines)+1)
	return b.Failure
}
