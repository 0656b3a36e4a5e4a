package trace

import "fmt"

// An Error says what is wrong with a trace, and where. Line and Column count from
// 1, columns in code points; 0 means that the place cannot be told.
type Error struct {
	File         string
	Line, Column int
	Msg          string
	Err          error // cause, may be nil
}

// Error returns one line: file:line:column: what is wrong (what was meant).
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
