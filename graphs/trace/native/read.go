package native

import (
	"bytes"
	"context"
	"errors"
	"sort"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/graphs/trace"
)

// ReadFile reads the trace at path: a file, a directory, or standard input for "-". Errors are
// *trace.Error or the error of ctx.
func ReadFile(ctx context.Context, path string, opts trace.Options) (*graphs.Computation, error) {
	source, err := trace.Open(path)
	if err != nil {
		return nil, err
	}
	return Read(ctx, source, opts)
}

// Read reads the source as one trace and closes it. Errors are *trace.Error or the error of
// ctx.
func Read(ctx context.Context, in *trace.Source, opts trace.Options) (*graphs.Computation, error) {
	a := &assembler{
		opts:      opts,
		variables: variables{opts: opts, pairs: dense.NewTable[uint64](1), texts: make(texts)},
		clocks:    clocks{unknown: make(map[int32]graphs.Handle)},
	}
	err := trace.ReadLines(ctx, in, trace.LinesOptions[*chunk]{
		// A chunk is reused for many pieces, so few are allocated in all.
		New:     func() *chunk { return new(chunk) },
		Do:      func(p *trace.Piece, c *chunk) { c.scan(p) },
		Take:    a.add,
		Options: &a.opts,
	})
	var c *graphs.Computation
	if err == nil {
		c, err = a.finish(ctx, in.Path)
	}
	var f *fault
	if !errors.As(err, &f) {
		return c, err
	}
	file := a.names[f.where.file]
	// The column is computed only for the reported error: keeping one for each reference would cost
	// memory in every trace.
	if f.column == 0 {
		f.column = locate(file, f)
	}
	return nil, &trace.Error{File: file, Line: f.where.line, Column: f.column, Msg: f.err.Error(), Err: f.err}
}

// Detect reports whether the first line of text that is not blank is a whole line of the native
// format, without a mistake.
func Detect(text []byte) bool {
	text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte(trace.ByteOrderMark)), " \t\r\n")
	end := bytes.IndexByte(text, '\n')
	// A line without an end may be cut off.
	if end < 0 {
		return false
	}
	var c chunk
	c.scan(&trace.Piece{Text: text[:end+1]})
	return c.err == nil && len(c.lines) == 1
}

// A place is a line of a file; files count from 0, lines from 1.
type place struct {
	file int
	line int
}

// places stores the lines of events, with one run for successive events on successive lines.
type places struct {
	runs []run
}

// A run consists of successive events on successive lines. event is the first one, and event h of
// the run is on line place.line + (h - event).
type run struct {
	event graphs.Handle
	place place
}

// add records the place of the next event.
func (p *places) add(h graphs.Handle, at place) {
	if n := len(p.runs); n > 0 {
		// A log with a line for each event needs only one run.
		last := p.runs[n-1]
		if last.place.file == at.file && at.line-last.place.line == int(h-last.event) {
			return
		}
	}
	p.runs = append(p.runs, run{h, at})
}

// of returns the place of an event.
func (p *places) of(h graphs.Handle) place {
	// Find the last run that begins at or before h.
	i := sort.Search(len(p.runs), func(i int) bool { return p.runs[i].event > h }) - 1
	r := p.runs[i]
	return place{r.place.file, r.place.line + int(h-r.event)}
}

// locate returns the column of a fault of a file, or 0 if the file cannot be read a second time.
func locate(file string, f *fault) int {
	// Standard input cannot be read a second time.
	if file == "-" {
		return 0
	}
	lines, err := trace.LinesAt(file, []int{f.where.line}, trace.LineLimit)
	if err != nil || lines[f.where.line] == nil {
		return 0
	}
	// Scanning the line again is cheaper than keeping all columns, because only one error is
	// reported.
	c := new(chunk)
	c.scan(&trace.Piece{Text: append(lines[f.where.line], '\n')})
	for _, o := range c.ops {
		if o.kind == f.kind && bytes.Equal(c.word(o), f.word) {
			return c.column(o.at)
		}
	}
	return 1
}
