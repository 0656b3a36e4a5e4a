package trace

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/pota-project/pota/graphs"
)

// Options say how to read a trace, and what to keep of it. The parts that are not kept are checked,
// too.
type Options struct {
	// Variables are the names of variables to keep with their values; nil keeps all. Shared
	// variables are always kept, because their assignments must be ordered.
	Variables map[string]bool
	// Names keeps labels, times and the ids of messages. Ids of events are kept in any case.
	Names bool
	// Times keeps times even if Names is not set.
	Times bool
	// TimeUnit is the unit of times that are numbers, for timers; 0 stands for a second.
	TimeUnit time.Duration
	// Places keeps the position of each event in the trace.
	Places bool
	// AllowTruncated accepts the log of a killed program: the last line of each file is dropped if
	// it has no end and stops inside its object, and compressed data may end too soon. A message
	// may then go to a process that has no line. It is still an error if another log refers to lost
	// lines, such as by receiving a message whose send was lost.
	AllowTruncated bool
	// Truncated, if not nil, is called for each file that was cut off, with the position of the
	// dropped text.
	Truncated func(*Error)
	// MaxLine is the greatest length in bytes, at most LineLimit, of a line in formats that are
	// read by lines, and of a string or a number in JSON documents; 0 stands for DefaultMaxLine.
	MaxLine int
	// Note, if not nil, is called with remarks on skipped or reinterpreted text, with the first
	// position of each.
	Note func(*Error)
	// Idle, if not nil, is called with the parts of a mapping that match nothing in the log.
	Idle func(*Error)
}

// DefaultMaxLine is the default of Options.MaxLine, and LineLimit its upper bound, so that
// positions in a piece fit into 32 bits.
const (
	DefaultMaxLine = 64 << 20
	LineLimit      = 1 << 30
)

// Unit returns the unit of times that are numbers.
func (o *Options) Unit() time.Duration { return cmp.Or(o.TimeUnit, time.Second) }

// LongestLine returns how many bytes a line may have.
func (o *Options) LongestLine() int {
	if o.MaxLine == 0 {
		return DefaultMaxLine
	}
	return min(o.MaxLine, LineLimit)
}

// tooLong returns the error of a line that exceeds LongestLine.
func (o *Options) tooLong(file string, line int) *Error {
	return Errorf(file, line, "a line %s", o.TooLong())
}

// TooLong returns the end of an error message about text that exceeds LongestLine.
func (o *Options) TooLong() string {
	n := o.LongestLine()
	most := graphs.Plural(n, "byte")
	if n%(1<<20) == 0 {
		most = fmt.Sprintf("%d MiB", n>>20)
	}
	return "must not have more than " + most + "; --max-line allows more"
}

// Noted calls Note, if it is not nil.
func (o *Options) Noted(e *Error) {
	if o.Note != nil {
		o.Note(e)
	}
}

// CutOff calls Truncated, if it is not nil, for a file that was cut off. err is or wraps an *Error
// with the position.
func (o *Options) CutOff(err error) {
	var e *Error
	if o.Truncated != nil && errors.As(err, &e) {
		o.Truncated(e)
	}
}

// KeepTimes reports whether times are kept.
func (o *Options) KeepTimes() bool { return o.Names || o.Times }

// Keeps reports whether the values of variables of that name are kept.
func (o *Options) Keeps(name string) bool { return o.Variables == nil || o.Variables[name] }

// An Execution is one of the executions that a reader found in a source.
type Execution struct {
	Name        string // distinguishes it from others of the source; "" if there is only one
	Layout      string // the variant of the format; "" if the format has only one
	Computation *graphs.Computation
}
