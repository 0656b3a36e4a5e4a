package trace

import (
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
	// Note, where it is not nil, is told what was passed over, or read otherwise than the
	// format has it, and the first place where that was.
	Note func(*Error)
}

// Noted tells Note, if there is one.
func (o *Options) Noted(e *Error) {
	if o.Note != nil {
		o.Note(e)
	}
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
func (o *Options) KeepTimes() bool { return o.Names || o.Times }

// Keeps reports whether the values of variables of a name are kept.
func (o *Options) Keeps(name string) bool { return o.Variables == nil || o.Variables[name] }

// An Execution is what a reader finds in a source that may hold several.
type Execution struct {
	Name        string // tells it from the others of the source; "" where there is only one
	Layout      string // in which of the layouts of its format it is; "" where that has only one
	Computation *graphs.Computation
}
