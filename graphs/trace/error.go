package trace

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pota-project/pota/graphs"
)

// An Error is a mistake in a trace, with its position. Line and Column count from 1, columns in
// code points; 0 stands for an unknown position.
type Error struct {
	File         string
	Line, Column int
	Msg          string
	Err          error // the cause; may be nil
}

// Error returns one line: file:line:column: the mistake (and a likely meaning).
func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return e.File + ": " + e.Msg
	case e.Column == 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an error on a line of a file; line is 0 if it is unknown.
func Errorf(file string, line int, format string, args ...any) *Error {
	return &Error{File: file, Line: line, Msg: fmt.Sprintf(format, args...)}
}

// Wrap returns an error with the cause err, and its text, on a line of a file; line is 0 if it is
// unknown.
func Wrap(file string, line int, err error) *Error {
	return &Error{File: file, Line: line, Msg: err.Error(), Err: err}
}

// ErrorAt returns an error at a byte of the text of a file. Characters that cannot stand
// in one line are escaped, as in a Go string.
func ErrorAt(file, text string, at int, format string, args ...any) *Error {
	before := strings.TrimPrefix(text[:min(at, len(text))], ByteOrderMark)
	return &Error{
		File: file, Msg: graphs.Printable(fmt.Sprintf(format, args...)),
		Line:   strings.Count(before, "\n") + 1,
		Column: utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1,
	}
}

// Build builds the computation of a trace. A cycle is an error at its last event. at returns the
// position of an event; its Msg is a remark to append to the text of the error, or "".
func Build(b *graphs.Builder, at func(h graphs.Handle) *Error) (*graphs.Computation, error) {
	c, err := b.Build()
	var cycle *graphs.CycleError
	if !errors.As(err, &cycle) {
		return c, err
	}
	e := at(slices.Max(cycle.Events))
	e.Msg, e.Err = err.Error()+e.Msg, err
	return nil, e
}

// Quote quotes a text for a message, and shortens it to 60 bytes if it is longer.
func Quote[T string | []byte](text T) string {
	const most = 60
	if len(text) > most {
		return strconv.Quote(strings.ToValidUTF8(string(text[:most]), "") + "…")
	}
	return strconv.Quote(string(text))
}
