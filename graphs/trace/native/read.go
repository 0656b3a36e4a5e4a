package native

import (
	"bytes"
	"context"
	"errors"

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
		// A chunk is reused for many pieces, so its memory is allocated a few times in all.
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
	// Only the column of the reported error is found: to keep one for each reference would cost
	// memory in every trace.
	if f.column == 0 {
		f.column = locate(file, f)
	}
	return nil, &trace.Error{File: file, Line: f.where.line, Column: f.column, Msg: f.err.Error(), Err: f.err}
}

// Detect reports whether text begins with a line of the native format, blank lines
// aside: a whole line without a mistake.
func Detect(text []byte) bool {
	text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte(trace.ByteOrderMark)), " \t\r\n")
	end := bytes.IndexByte(text, '\n')
	// A line without an end may be cut off, and no whole one is seen.
	if end < 0 {
		return false
	}
	var c chunk
	c.scan(&trace.Piece{Text: text[:end+1]})
	return c.err == nil && len(c.lines) == 1
}
