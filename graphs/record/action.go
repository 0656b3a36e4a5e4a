package record

import (
	"strconv"
	"time"
)

// An Action says what an event does: Set, Label, ID, Time, At, Timer, CancelTimer, After, Sync,
// Sends, Receives or Mark.
type Action interface{ action() }

// Label is free text for people.
type Label string

// ID is the id of the event, unique in the trace. Without one it is process:k,
// where the event is the k-th of its process.
type ID string

// Sync is the id of something that happens to several processes at once: their
// events with that id are one step. Ids of Barrier and Chan end in a process's
// name, a dot and a number; others are for the program to choose.
type Sync string

// Time is the wall-clock time of the event.
type Time time.Time

// At is the time of the event as a number, in any unit.
type At float64

// Causes are events that happened before the event; see After.
type Causes []Ref

// After says that the event happens after others that are already recorded: causality known from
// something other than messages. It skips zero Refs and those of the event's own process.
func After(refs ...Ref) Causes { return refs }

// A Sending is a message that an event sends in addition to its own purpose; see Sends.
type Sending struct {
	token *Token
	to    []string
}

// Sends says that the event sends a message to some processes, to unspecified ones if to is empty;
// it sets *token. An event can send several messages.
//
//	var reply record.Token
//	p.Receive(request, record.Sends(&reply, "client"))
func Sends(token *Token, to ...string) Sending { return Sending{token, to} }

// Receives says that the event receives a message in addition to its own purpose.
type Receives Token

// A Marking keeps the Ref of the event; see Mark.
type Marking struct{ ref *Ref }

// Mark sets *ref to the event, for calls that do not return its Ref.
func Mark(ref *Ref) Marking { return Marking{ref} }

func (Assignment) action() {}
func (Label) action()      {}
func (ID) action()         {}
func (Sync) action()       {}
func (Time) action()       {}
func (At) action()         {}
func (Causes) action()     {}
func (Sending) action()    {}
func (Receives) action()   {}
func (Marking) action()    {}
func (Timing) action()     {}

// A Timing starts or cancels a timer of the process; see Timer and CancelTimer.
type Timing struct {
	name   string
	after  time.Duration
	cancel bool
	set    []Assignment
}

// Timer says that something ends without an event, such as a lease: after the given duration the
// variables get the values, unless an event of the process cancels or restarts the timer of that
// name before. The reader of the trace adds an event for the end.
//
//	p.Event(record.Set("holds", true), record.Timer("lease", 10*time.Second, record.Set("holds", false)))
//
// The event and all later ones of its process are recorded with a time.
func Timer(name string, after time.Duration, set ...Assignment) Timing {
	return Timing{name: name, after: after, set: set}
}

// CancelTimer says that the event stops a timer of the process, if it runs.
func CancelTimer(name string) Timing { return Timing{name: name, cancel: true} }

// A Token stands for a message: Send returns it, it travels with the message, and Receive accepts
// it. It consists of letters, digits and -._~ only, so that it fits unchanged in a header, a URL, a
// file name, a struct field or bytes. "" stands for no message.
//
// A token is the id of the message: the escaped name of the sending process, a dot and a number.
// Tokens of one execution differ, whichever processes and recorders made them, because a process has
// one recorder.
type Token string

// Header is a suggested name for the header that carries a token.
const Header = "Pota-Token"

// A Ref names an event, for After. The zero Ref names no event.
type Ref struct {
	process  *Process
	position int
	id       string // the id that the program gave it; "" if the id is process:k
}

// EventID returns a Ref to the event whose id String returned when it was recorded.
func EventID(id string) Ref { return Ref{id: id} }

// IsZero reports whether r names no event.
func (r Ref) IsZero() bool { return r == Ref{} }

// String returns the id of the event, "" for the zero Ref.
func (r Ref) String() string {
	switch {
	case r.id != "":
		return r.id
	case r.process == nil:
		return ""
	}
	return r.process.name + ":" + strconv.Itoa(r.position)
}

// of reports whether r is an event of p.
func (r Ref) of(p *Process) bool { return p != nil && r.process == p }
