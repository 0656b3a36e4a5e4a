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

// At is the time of the event as a number, of whatever unit.
type At float64

// Causes are events that happened before; see After.
type Causes []Ref

// After says that the event happens after others that are recorded already: causality known some
// other way than by messages. Refs that are zero are skipped, and so are those of the event's own
// process.
func After(refs ...Ref) Causes { return refs }

// A Sending is a message that an event sends beside its own purpose; see Sends.
type Sending struct {
	token *Token
	to    []string
}

// Sends says that the event sends a message to some processes, none when they are
// not known; it sets *token. An event can send several.
//
//	var reply record.Token
//	p.Receive(request, record.Sends(&reply, "client"))
func Sends(token *Token, to ...string) Sending { return Sending{token, to} }

// Receives says that the event receives a message beside its own purpose.
type Receives Token

// A Marking keeps the Ref of the event; see Mark.
type Marking struct{ ref *Ref }

// Mark sets *ref to the event, where a call does not return its Ref.
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

// Timer says that something ends without an event, such as a lease: so long after the event the variables
// get the values, unless an event of the process cancels the timer or starts it anew before, by the same
// name. The reader of the trace adds an event for it.
//
//	p.Event(record.Set("holds", true), record.Timer("lease", 10*time.Second, record.Set("holds", false)))
//
// The event and all later ones of its process are recorded with a time.
func Timer(name string, after time.Duration, set ...Assignment) Timing {
	return Timing{name: name, after: after, set: set}
}

// CancelTimer says that a timer of the process ends no more, if it runs.
func CancelTimer(name string) Timing { return Timing{name: name, cancel: true} }

// A Token stands for a message: Send returns it, it travels with the message, and
// Receive takes it. It is text of letters, digits and -._~ only, so that it fits
// unchanged in a header, a URL, a file name, a struct field or bytes. "" stands for
// no message.
//
// A token is the id of the message: the escaped name of the sending process, a dot and a number.
// Tokens of one execution differ, whichever processes and recorders made them, because a process has
// one recorder.
type Token string

// Header is a name for the header that carries a token.
const Header = "Pota-Token"

// A Ref names an event, for After. The zero Ref names none.
type Ref struct {
	process  *Process
	position int
	id       string // of its own; "" for process:k
}

// EventID returns a Ref to the event with an id that String returned where it was recorded.
func EventID(id string) Ref { return Ref{id: id} }

// IsZero reports whether r names no event.
func (r Ref) IsZero() bool { return r == Ref{} }

// String returns the id of the event, "" for none.
func (r Ref) String() string {
	switch {
	case r.id != "":
		return r.id
	case r.process == nil:
		return ""
	}
	return r.process.name + ":" + strconv.Itoa(r.position)
}

// of reports whether the event is one of p.
func (r Ref) of(p *Process) bool { return p != nil && r.process == p }
