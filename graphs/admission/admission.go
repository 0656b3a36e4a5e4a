// Package admission has the rules of the native format: which lines a trace may combine, and the
// error of a line that breaks a rule.
//
// Two back ends admit lines. Package graphs/trace/native reads a whole trace and builds a
// computation; package graphs/stream admits events while they arrive and keeps a window. They store
// different state, and check themselves whether a line breaks a Rule. This package states each rule
// once, with its error text. A function checks rules that need more than one condition; it returns
// nil if a line keeps them.
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
//   - Times: of the two times of an interval the latest is not before the earliest. A process has
//     one clock.
//   - Timers: the event that starts one has a time, and so have the later events of its process while it
//     runs. Timers set variables of their process. A trace has timers or vector clocks, not both.
//   - Processes: initial values come before the events, and nothing comes after the end.
package admission

import (
	"fmt"
	"strconv"

	"github.com/pota-project/pota/graphs"
)

// A Rule is the error text of a line that breaks it, without the position of the line. It is a
// format; its verbs stand for parts of the line.
type Rule string

// Broken returns the error of a line that breaks a rule, with the values of its verbs.
func (r Rule) Broken(about ...any) error { return fmt.Errorf(string(r), about...) }

// The rules. A %s at the end is a further explanation, or empty.
const (
	idReserved Rule = "the id %q is reserved"
	idGiven    Rule = "two events have the id %q"

	// DefaultOfOther is about an id, the number k of an event without its own id, and its process.
	DefaultOfOther Rule = "the id %q is the default id of another event, event %d of process %q"
	AfterReserved  Rule = "%s cannot be in \"after\" (only edges name it)"
	AfterUnknown   Rule = "after an unknown event: no event has the id %q%s"
	FromUnknown    Rule = "an edge from an unknown event: no event has the id %q%s"
	ToUnknown      Rule = "an edge to an unknown event: no event has the id %q%s"

	NoMessageID Rule = "the id of a message must not be empty"
	SentTwice   Rule = "message %q is sent twice"
	NeverSent   Rule = "message %q is received but never sent%s"

	// ReceivedTwice is about a process and a message, JoinedByTwo about a process and a sync.
	ReceivedTwice Rule = "process %q receives message %q twice"
	JoinedTwice   Rule = "the event joins %q twice"
	JoinedByTwo   Rule = "two events of process %q join %q (events of different processes happen together)"

	// WrongOwnEntry is about the position of an event, its process, and the entry of its clock.
	WrongOwnEntry Rule = "the clock of event %d of process %q has %d as its own entry"
	NoOwnEntry    Rule = "the clock has no entry for its own process %q, which is at its event %d"

	// Backwards is about a process, and the two entries of its clocks for another.
	Backwards      Rule = "the clock of process %q runs backwards: its entry for %q was %d and is now %d"
	TooManyEvents  Rule = "the clock is ahead: process %q has no event %d"
	UnknownProcess Rule = "the clock has an entry for an unknown process %q%s"
	ahead          Rule = "the clock is ahead: process %q has %s, not %d%s"

	TwoTypes       Rule = "variable %q has two types: it was a %s and is set to a %s"
	SharedTwoTypes Rule = "shared variable %q has two types: it is a %s and was set to something else"
	sharedTwice    Rule = "variable %q is declared shared twice"
	sharedInitial  Rule = "variable %q is shared and has an initial value of a process"
	twoInitials    Rule = "variable %q has two initial values"

	// IntervalMixed and IntervalEnds are about the two times of an interval.
	IntervalMixed Rule = "the earliest time %s and the latest %s must both be numbers, or both RFC 3339 times"
	IntervalEnds  Rule = "the latest time %[2]s is before the earliest, %[1]s"
	twoClocks     Rule = "process %q has two clocks, %q and %q: all its times must come from one clock"

	lateClock Rule = "the clock of process %q must be named by its first event, or before it"

	// The rules of timers are about their names, and the times that they state.
	TimerUntimed  Rule = "the event has no time, and timer %q of its process needs one: it is not known whether it comes before or after the timer ends"
	TimerStart    Rule = "timer %q is started by an event without a time, so it is not known when the timer ends"
	TimerDuration Rule = "timer %q lasts %q, which is not a duration such as 10s or 1.5s, or a number of at least 0"
	TimerMixed    Rule = "timer %q ends at %s, and the event has the time %s: both must be numbers, or both RFC 3339 times"
	TimerRange    Rule = "the time of timer %q, %s, is not between the years 1678 and 2261"
	TimerShared   Rule = "timer %q sets the shared variable %q: a timer sets variables of its process"
	TimerAndClock Rule = "a trace with vector clocks cannot have timers, because clocks do not count the ends of timers (\"after\" orders events)"

	LateInitials Rule = "the initial values of process %q must come before its events"
	HasClosed    Rule = "process %q has closed and executes no more"
	NoProcess    Rule = "a trace without a process%s"
)

// A name is an id, or the name of a process or a variable.
type name interface{ ~string | ~[]byte }

// Bottom and Top are the ids of the fictitious events before and after all others.
const (
	Bottom = "⊥"
	Top    = "⊤"
)

// Reserved reports whether id is that of a fictitious event.
func Reserved[N name](id N) bool { return string(id) == Bottom || string(id) == Top }

// ID checks the id that a line gives an event. known says whether another event has it.
func ID[N name](id N, known bool) error {
	switch {
	case Reserved(id):
		return idReserved.Broken(id)
	case known:
		return idGiven.Broken(id)
	}
	return nil
}

// SplitDefault splits the default id of an event, process:k; k is 0 if id has another form, or a
// number of more than 18 digits.
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

// AppendDefault appends the default id process:k to text.
func AppendDefault[N name](text []byte, process N, k int64) []byte {
	return strconv.AppendInt(append(append(text, process...), ':'), k, 10)
}

// IsDefault reports whether an id is the default id of the k-th event of a process.
func IsDefault[N name](id []byte, process N, k int64) bool {
	name, n := SplitDefault(id)
	return n == k && string(name) == string(process)
}

// OwnID explains why an event is not called by its default id.
func OwnID[N name](k int64, process N) string {
	return fmt.Sprintf(" (event %d of process %q has an id of its own)", k, process)
}

// Ahead checks an entry of a clock against the number of events of its process.
func Ahead[N name](process N, events int, entry int64, why string) error {
	if entry > int64(events) {
		return ahead.Broken(process, graphs.Plural(events, "event"), entry, why)
	}
	return nil
}

// ClockID checks the clock that a line names for a process. before is the clock named earlier, ""
// if there is none; late says whether the process already has other events, so that it is too late
// to name one.
func ClockID[M, N name](process M, before string, id N, late bool) error {
	switch {
	case before != "" && before != string(id):
		return twoClocks.Broken(process, before, id)
	case before == "" && late:
		return lateClock.Broken(process)
	}
	return nil
}

// Initial checks the initial value that a process gives a variable: it must not be shared, and must
// not have one already.
func Initial[N name](variable N, shared, again bool) error {
	switch {
	case shared:
		return sharedInitial.Broken(variable)
	case again:
		return twoInitials.Broken(variable)
	}
	return nil
}

// Share checks the declaration of a shared variable: no process may have given it an initial value,
// and it must not be shared already.
func Share[N name](variable N, initial, again bool) error {
	if again {
		return sharedTwice.Broken(variable)
	}
	return Initial(variable, initial, false)
}
