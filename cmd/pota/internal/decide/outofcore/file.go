package outofcore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/native"
)

// A file is a trace that can be read several times: a file or a directory. The lines of all
// files of a directory are numbered consecutively.
type file struct {
	path  string
	opts  trace.Options
	parts []part // the parts that the last pass read, in order

	shared bool // whether clocks that several processes read order events

	// Results of the last pass that read all lines.
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

// lines calls take for each line of the trace that is neither blank nor a header. The place of the line
// is its number among the lines of all files.
func (f *file) lines(ctx context.Context, take take) error {
	source, err := trace.Open(f.path)
	if err != nil {
		return err
	}

	// A directory may have changed since the last pass.
	f.parts = f.parts[:0]
	number := 0 // the number of the line
	events, messages := 0, 0
	clocks := make(map[string]string) // by clock, the first process that reads it
	f.lowerBound, err = native.ReadStream(ctx, source, f.opts, func(name string, line int, l *stream.Line) error {
		// A new file of the directory begins.
		if n := len(f.parts); n == 0 || f.parts[n-1].name != name {
			f.parts = append(f.parts, part{name, number})
		}
		number = f.parts[len(f.parts)-1].before + line
		l.Place = graphs.Place{Line: number}
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
		return f.at(number, take(l))
	})
	if err == nil {
		f.complete = true
		f.events, f.messages = events, messages
	}
	return err
}

const errShared = "the clock that %q and %q share orders their events, which is known only of a whole trace: leave out --stream, or give --no-shared-clock"

// place converts a number among all lines to a file and a line of this file.
func (f *file) place(number int) (name string, line int) {
	i := sort.Search(len(f.parts), func(i int) bool { return f.parts[i].before >= number }) - 1
	return f.parts[i].name, number - f.parts[i].before
}

// at adds a place to an error that has none: the place that the error is about, or otherwise the line
// with a number; 0 means no line.
func (f *file) at(number int, err error) error {
	switch {
	// These errors are not about a line.
	case err == nil, err == io.EOF, err == errSpread,
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	msg := err.Error()
	if event, is := errors.AsType[*stream.EventError](err); is {
		number, msg = event.Place.Line, event.Msg
	} else if order, is := errors.AsType[*stream.OrderError](err); is {
		number = order.Place.Line
	}
	if _, placed := errors.AsType[*trace.Error](err); placed || number == 0 {
		return err
	}
	name, line := f.place(number)
	return &trace.Error{File: name, Line: line, Msg: msg, Err: err}
}
