package outofcore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
)

// A file is a trace that can be read several times: a file, or a directory. The lines of all
// files of a directory are numbered one after the other.
type file struct {
	path  string
	opts  trace.Options
	parts []part // that the last pass read, in order

	shared bool // clocks that several processes read order events

	// Of the last pass that read all lines.
	complete   bool
	events     int
	messages   int
	lowerBound string
}

// A part is one file of a directory, and the number of lines before it.
type part struct {
	name   string
	before int
}

// lines passes on each line of the trace that is neither blank nor a header.
func (f *file) lines(ctx context.Context, take take) error {
	source, err := trace.Open(f.path)
	if err != nil {
		return err
	}

	// A directory may have changed since the last pass.
	f.parts = f.parts[:0]
	number := 0 // of the line
	events, messages := 0, 0
	clocks := make(map[string]string) // the first process of each
	f.lowerBound, err = native.ReadStream(ctx, source, f.opts, func(name string, line int, l *stream.Line) error {
		// A new file of the directory begins.
		if n := len(f.parts); n == 0 || f.parts[n-1].name != name {
			f.parts = append(f.parts, part{name, number})
		}
		number = f.parts[len(f.parts)-1].before + line
		if l.Kind == stream.Event {
			events++
			messages += len(l.Send)
		}
		if f.shared && len(l.ClockID) > 0 {
			if first, known := clocks[string(l.ClockID)]; known && first != string(l.Process) {
				return f.at(number, fmt.Errorf(errShared, first, l.Process))
			}
			clocks[string(l.ClockID)] = string(l.Process)
		}
		return f.at(number, take(number, l))
	})
	if err == nil {
		f.complete = true
		f.events, f.messages = events, messages
	}
	return err
}

const errShared = "the clock that %q and %q share orders their events, which is known only of a whole trace: leave out --stream, or give --no-shared-clock"

// place returns the file and the line there of a number among all lines.
func (f *file) place(number int) (name string, line int) {
	i := sort.Search(len(f.parts), func(i int) bool { return f.parts[i].before >= number }) - 1
	return f.parts[i].name, number - f.parts[i].before
}

// at adds the place of a line to an error that has none.
func (f *file) at(number int, err error) error {
	switch {
	// These are no mistakes of a line.
	case err == nil, err == io.EOF, err == errSpread,
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	if _, placed := errors.AsType[*trace.Error](err); placed {
		return err
	}
	if _, unordered := errors.AsType[*graphs.UnorderedError](err); unordered && f.path != "-" {
		return err // explain finds the later event in the order of the file
	}

	name, line := f.place(number)
	return &trace.Error{File: name, Line: line, Msg: err.Error(), Err: err}
}

// explain reads the trace once more to find the place of an error about an event that was
// admitted long after it was read.
func (f *file) explain(ctx context.Context, err error) error {
	if known, ok := errors.AsType[*trace.Error](err); ok && known.Line > 0 {
		return err
	}

	e := &trace.Error{File: f.path, Err: err}
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
	// It cannot be read again, so the place stays unknown.
	if f.path == "-" {
		e.Msg = err.Error()
		return e
	}

	// Lines have no numbers of events, so they are counted again.
	counts := make(map[string]int64)
	bad := f.lines(ctx, func(number int, l *stream.Line) error {
		if l.Kind != stream.Event {
			return nil
		}
		counts[string(l.Process)]++
		k := counts[string(l.Process)]
		if isEvent && string(l.Process) == event.Process && k == event.Event ||
			isUnordered && slices.Contains(unordered.IDs[:], idOf(l, k)) {
			e.File, e.Line = f.place(number) // the last one counts
		}
		return nil
	})
	if bad != nil {
		return bad
	}
	return e
}

// idOf returns the id of the k-th event of a process.
func idOf(l *stream.Line, k int64) string {
	if len(l.ID) > 0 {
		return string(l.ID)
	}
	return string(admission.AppendDefault(nil, string(l.Process), k))
}
