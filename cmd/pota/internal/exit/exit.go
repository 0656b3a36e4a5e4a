// Package exit defines the exit status of a run of the command, and the errors in its usage. A run
// returns its status; only the function main of the command ends the process with it.
package exit

import (
	"fmt"
	"strings"
)

// Status is the exit status of a run.
type Status int

// The statuses of a run. They are part of the command's interface, since scripts test them.
const (
	AllHold   Status = 0 // every property holds, or the command did what was asked
	SomeFails Status = 1 // some property fails
	BadInput  Status = 2 // the arguments or an input are wrong
	Undecided Status = 3 // a limit, an interruption or a fragment too narrow left something open
)

// gravity orders the statuses. A mistake in the input outweighs all verdicts on it.
var gravity = [...]int{AllHold: 0, SomeFails: 1, Undecided: 2, BadInput: 3}

// Worst returns the graver of two statuses. In decreasing order of gravity, they are BadInput,
// Undecided, SomeFails and AllHold.
func Worst(a, b Status) Status {
	if gravity[a] >= gravity[b] {
		return a
	}
	return b
}

// A UsageError describes a mistake in the arguments of the command, and the remedy.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

// Usagef returns a *UsageError.
func Usagef(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}

// Unknown returns a *UsageError for a name that is not among the known ones. There must be at least
// two known names. What is the kind of thing that the name stands for, such as "engine".
func Unknown(what, name string, known ...string) error {
	last := len(known) - 1
	others := strings.Join(known[:last], ", ")
	return Usagef("there is no %s %q; there are %s and %s", what, name, others, known[last])
}
