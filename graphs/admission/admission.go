// Package admission has the rules of the native format: what the lines of a trace may say
// beside each other, and the error of a line that breaks a rule.
//
// Two back ends admit lines. Package graphs/trace/native reads a whole trace and builds a
// computation; package graphs/stream admits events while they arrive and keeps a window. They
// store what they know in different ways, so a rule is a function of facts that the caller
// looks up. Each rule stands here once, with its only error text.
//
// # Rules
//
//   - Ids: an event has the id of its line, or process:k, the default id of the k-th event of
//     its process. No two events share an id. "⊥" and "⊤" are reserved.
//   - References: "after" and "edge" name events of the trace.
//   - Messages: an id is not empty, is sent once, is received only if it is sent, and once by
//     each process.
//   - Syncs: the events of a sync are of different processes.
//   - Clocks: a clock has an entry for its own process, the position of the event. The entries
//     of a process never fall, and count events that exist.
//   - Variables: a variable has one type. It is shared, or a process gives it an initial value,
//     not both, and once.
//   - Processes: initial values come before the events, and nothing comes after the end.
//
// Functions return nil where a rule is kept; those that only make the error say so. All take
// O(1) where the rule is kept.
package admission

import (
	"fmt"
	"strconv"

	"github.com/pota-project/pota/graphs"
)

// refuse makes the error of a line, without its place: the rule that it breaks.
func refuse(format string, args ...any) error { return fmt.Errorf(format, args...) }

// A name is an id, or the name of a process or a variable.
type name interface{ ~string | ~[]byte }

// Bottom and Top are the ids of the fictitious events before and after all others.
const (
	Bottom = "⊥"
	Top    = "⊤"
)

// Reserved reports whether an id belongs to a fictitious event.
func Reserved[N name](id N) bool { return string(id) == Bottom || string(id) == Top }

// ID checks the id that a line gives an event. Known tells that another event has it.
func ID[N name](id N, known bool) error {
	switch {
	case Reserved(id):
		return refuse("the id %q is reserved", id)
	case known:
		return refuse("two events have the id %q", id)
	}
	return nil
}

// SplitDefault takes the default id of an event, process:k, apart; k is 0 for a text of
// another form, and for numbers of more than 18 digits.
func SplitDefault(id []byte) (process []byte, k int64) {
	i := len(id)
	for i > 0 && id[i-1]-'0' <= 9 {
		i--
	}
	if i == 0 || id[i-1] != ':' || i == len(id) || id[i] == '0' || len(id)-i > 18 {
		return nil, 0
	}
	for _, b := range id[i:] {
		k = k*10 + int64(b-'0')
	}
	return id[:i-1], k
}

// AppendDefault appends process:k to text.
func AppendDefault[N name](text []byte, process N, k int64) []byte {
	return strconv.AppendInt(append(append(text, process...), ':'), k, 10)
}

// IsDefault reports whether an id is the default id of the k-th event of a process.
func IsDefault[N name](id []byte, process N, k int64) bool {
	name, n := SplitDefault(id)
	return n == k && string(name) == string(process)
}

// DefaultOfOther makes the error of an id that is the default id of another event, the k-th of
// a process, if that event has no id of its own.
func DefaultOfOther[I, P name](id I, k int64, process P) error {
	return refuse("the id %q is the default id of another event, event %d of process %q", id, k, process)
}

// After checks an id that an event names as its cause.
func After[N name](id N) error {
	if Reserved(id) {
		return refuse("%s cannot be in \"after\" (only edges name it)", id)
	}
	return nil
}

// A Mention is where a line names an event.
type Mention string

// The places where lines name events.
const (
	AfterEvent Mention = "after"
	EdgeFrom   Mention = "an edge from"
	EdgeTo     Mention = "an edge to"
)

// UnknownEvent makes the error of an id that no event has. Why explains it further, or is
// empty.
func UnknownEvent[N name](m Mention, id N, why string) error {
	return refuse("%s an unknown event: no event has the id %q%s", m, id, why)
}

// OwnID explains why an event is not called by its default id.
func OwnID[N name](k int64, process N) string {
	return fmt.Sprintf(" (event %d of process %q has an id of its own)", k, process)
}

// Message checks the id of a message.
func Message[N name](id N) error {
	if len(id) == 0 {
		return refuse("the id of a message must not be empty")
	}
	return nil
}

// Send checks a message that an event sends. Sent tells that another event sent it.
func Send[N name](id N, sent bool) error {
	if sent {
		return refuse("message %q is sent twice", id)
	}
	return nil
}

// Receive checks a message that an event receives. Received tells that its process received
// the message before.
func Receive[I, P name](process P, id I, received bool) error {
	if received {
		return refuse("process %q receives message %q twice", process, id)
	}
	return nil
}

// NeverSent makes the error of a message that is received and not sent.
func NeverSent[N name](id N, why string) error {
	return refuse("message %q is received but never sent%s", id, why)
}

// Join checks that an event joins a sync once.
func Join[N name](id N, again bool) error {
	if again {
		return refuse("the event joins %q twice", id)
	}
	return nil
}

// Member checks that no other event of its process has joined the sync of an event.
func Member[I, P name](process P, id I, joined bool) error {
	if joined {
		return refuse("two events of process %q join %q (events of different processes happen together)", process, id)
	}
	return nil
}

// OwnEntry checks the entry of a clock for the process of its event.
func OwnEntry[N name](process N, position, entry int64) error {
	if entry != position {
		return refuse("the clock of event %d of process %q has %d as its own entry", position, process, entry)
	}
	return nil
}

// NoOwnEntry makes the error of a clock without an entry for its own process.
func NoOwnEntry[N name](process N, position int64) error {
	return refuse("the clock has no entry for its own process %q, which is at its event %d", process, position)
}

// Entry checks an entry of a clock of a process against the one before for the same other
// process.
func Entry[P, Q name](process P, other Q, previous, entry int64) error {
	if entry < previous {
		return refuse("the clock of process %q runs backwards: its entry for %q was %d and is now %d", process, other, previous, entry)
	}
	return nil
}

// Ahead checks an entry of a clock against the number of events of its process.
func Ahead[N name](process N, events int, entry int64, why string) error {
	if entry > int64(events) {
		return refuse("the clock is ahead: process %q has %s, not %d%s", process, graphs.Plural(events, "event"), entry, why)
	}
	return nil
}

// TooManyEvents makes the error of an entry of a clock beyond what any process can have.
func TooManyEvents[N name](process N, entry int64) error {
	return refuse("the clock is ahead: process %q has no event %d", process, entry)
}

// UnknownProcess makes the error of a clock with an entry for a process that has no line.
func UnknownProcess[N name](process N, why string) error {
	return refuse("the clock has an entry for an unknown process %q%s", process, why)
}

// Type checks the type of a value that a variable is set to.
func Type[N name](variable N, was, is graphs.Kind) error {
	if was != is {
		return refuse("variable %q has two types: it was a %s and is set to a %s", variable, was, is)
	}
	return nil
}

// Initial checks the initial value that a process gives a variable: it may not be shared,
// and may not have one already.
func Initial[N name](variable N, shared, again bool) error {
	switch {
	case shared:
		return refuse("variable %q is shared and has an initial value of a process", variable)
	case again:
		return refuse("variable %q has two initial values", variable)
	}
	return nil
}

// Share checks the declaration of a shared variable: no process may have given it an initial
// value, and it may not be shared already.
func Share[N name](variable N, initial, again bool) error {
	if again {
		return refuse("variable %q is declared shared twice", variable)
	}
	return Initial(variable, initial, false)
}

// SharedType makes the error of a shared variable that was set to a value of another type
// than it is declared with.
func SharedType[N name](variable N, kind graphs.Kind) error {
	return refuse("shared variable %q has two types: it is a %s and was set to something else", variable, kind)
}

// Declare checks the declaration of a process with so many events before it.
func Declare[N name](process N, events int64) error {
	if events > 0 {
		return refuse("the initial values of process %q must come before its events", process)
	}
	return nil
}

// Execute checks that a process may execute an event.
func Execute[N name](process N, closed bool) error {
	if closed {
		return refuse("process %q has closed and executes no more", process)
	}
	return nil
}

// Empty makes the error of a trace without a line of a process.
func Empty(why string) error { return refuse("a trace without a process%s", why) }
