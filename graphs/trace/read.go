package trace

import (
	"context"
	"errors"

	"github.com/pota-project/pota/graphs"
)

// Options say what to keep of a trace. Everything is checked in any case.
type Options struct {
	// Variables are the names of the variables whose values are kept; nil keeps
	// all. Shared variables are always kept, because their assignments must be
	// ordered.
	Variables map[string]bool
	// Names keeps labels, times and the ids of messages. Ids of events are always
	// kept.
	Names bool
	// Times keeps times even where Names is not set.
	Times bool
	// AllowTruncated reads what the log of a killed program holds: a last line that
	// has no end and stops inside its object is dropped, from each file, and
	// compressed data may end too soon. A message may then go to a process that has
	// no line. What was lost with the end of one log and is named in another, such as
	// the send of a message that was received, is an error nevertheless.
	AllowTruncated bool
	// Truncated, where it is not nil, is told of each file that was cut off, with
	// the place where what was dropped begins.
	Truncated func(*Error)
}

// CutOff tells Truncated, if there is one, that a file was cut off; err is an *Error
// that says where.
func (o *Options) CutOff(err error) {
	var e *Error
	if o.Truncated != nil && errors.As(err, &e) {
		o.Truncated(e)
	}
}

// KeepTimes reports whether times are kept.
func (o Options) KeepTimes() bool { return o.Names || o.Times }

// Read reads the trace at path: a file, a directory, or standard input for "-".
// Errors are *Error, or that of ctx.
func Read(ctx context.Context, path string, opts Options) (*graphs.Computation, error) {
	source, err := Open(path)
	if err != nil {
		return nil, err
	}
	return source.Read(ctx, opts)
}

// Read reads the source as one trace in the native format and closes it. Errors
// are *Error, or that of ctx.
func (s *Source) Read(ctx context.Context, opts Options) (*graphs.Computation, error) {
	scanning, cancel := context.WithCancel(ctx)
	defer cancel()
	lines := ReadLines(scanning, s, LinesOptions[*chunk]{
		New:       func() *chunk { return new(chunk) },
		Do:        func(p *Piece, c *chunk) { c.scan(p) },
		Truncated: opts.AllowTruncated,
	})
	a := newAssembler(opts)
	for b := lines.Next(); b != nil; b = lines.Next() {
		if err := a.add(b); err != nil {
			return nil, a.explain(err)
		}
		if b.Cut != "" {
			opts.CutOff(&Error{File: b.Name, Line: a.lines + 1, Msg: "the file is cut off: " + b.Cut})
		}
		lines.Release(b)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	c, err := a.finish(ctx, s.Path)
	if err != nil {
		return nil, a.explain(err)
	}
	return c, nil
}
