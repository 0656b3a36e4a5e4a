package trace

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/pota-project/pota/graphs"
)

// Options say what to keep of a trace. Everything is checked in any case.
type Options struct {
	// Variables are the names of variables to keep with their values; nil keeps all. Shared
	// variables are always kept, because their assignments must be ordered.
	Variables map[string]bool
	// Names keeps labels, times and the ids of messages. Ids of events are always
	// kept.
	Names bool
	// Times keeps times even where Names is not set.
	Times bool
	// TimeUnit is what times that are numbers count, for timers; 0 stands for a second.
	TimeUnit time.Duration
	// Places keeps where the trace tells of each event.
	Places bool
	// AllowTruncated reads what the log of a killed program holds: a last line that
	// has no end and stops inside its object is dropped, from each file, and
	// compressed data may end too soon. A message may then go to a process that has
	// no line. What was lost with the end of one log and is named in another, such as
	// the send of a message that was received, is an error nevertheless.
	AllowTruncated bool
	// Truncated, if not nil, gets each file that was cut off, with the place of the dropped
	// text.
	Truncated func(*Error)
	// MaxLine is how many bytes a line may have in formats that are read by lines, and a
	// string or a number in JSON documents, at most LineLimit; 0 stands for
	// DefaultMaxLine.
	MaxLine int
	// Note, if not nil, gets remarks on skipped or reinterpreted text, with the first place of
	// each.
	Note func(*Error)
	// Idle, if not nil, gets the parts of a mapping that find nothing in the log.
	Idle func(*Error)
}

// DefaultMaxLine is how many bytes a line may have, and LineLimit how many it may be
// allowed to have, so that places in a piece fit 32 bits.
const (
	DefaultMaxLine = 64 << 20
	LineLimit      = 1 << 30
)

// Unit returns what times that are numbers count.
func (o *Options) Unit() time.Duration { return cmp.Or(o.TimeUnit, time.Second) }

// LongestLine returns how many bytes a line may have.
func (o *Options) LongestLine() int {
	if o.MaxLine == 0 {
		return DefaultMaxLine
	}
	return min(o.MaxLine, LineLimit)
}

// tooLong returns the error of a line of that file that is longer than it may be.
func (o *Options) tooLong(file string, line int) *Error {
	return Errorf(file, line, "a line %s", o.TooLong())
}

// TooLong is the rest of a message about what has more bytes than a line may have.
func (o *Options) TooLong() string {
	n := o.LongestLine()
	most := graphs.Plural(n, "byte")
	if n%(1<<20) == 0 {
		most = fmt.Sprintf("%d MiB", n>>20)
	}
	return "must not have more than " + most + "; --max-line allows more"
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
	Layout      string // the layout of its format that it is in; "" if the format has only one
	Computation *graphs.Computation
}
