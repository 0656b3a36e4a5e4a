// Package exit defines the exit status of a run of the command and the errors of those who
// call it. A status is a number that the run returns; only the function main of the command
// ends the process with it.
package exit

import (
	"fmt"
	"strings"
)

// Status is the exit status of a run.
type Status int

// The statuses of a run. They are part of the command's interface: scripts test them.
const (
	AllHold   Status = 0 // every property holds, or the command did what was asked
	SomeFails Status = 1 // some property fails
	BadInput  Status = 2 // the arguments or an input are wrong
	Undecided Status = 3 // a limit, an interruption or a fragment too narrow left something open
)

// gravity orders the statuses: a mistake in the input hides all verdicts on it.
var gravity = [...]int{AllHold: 0, SomeFails: 1, Undecided: 2, BadInput: 3}

// Worst returns the graver of two statuses. From grave to harmless they are BadInput,
// Undecided, SomeFails and AllHold.
func Worst(a, b Status) Status {
	if gravity[a] >= gravity[b] {
		return a
	}
	return b
}

// A UsageError names a mistake in the arguments of the command, and the remedy.
type UsageError struct{ Text string }

func (e *UsageError) Error() string { return e.Text }

// Usagef returns a *UsageError.
func Usagef(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}

// Unknown returns a *UsageError for a name that is not among the known ones. There must be at least
// two of these. What says what the name is for, such as "engine".
func Unknown(what, name string, known ...string) error {
	last := len(known) - 1
	others := strings.Join(known[:last], ", ")
	return Usagef("there is no %s %q; there are %s and %s", what, name, others, known[last])
}
