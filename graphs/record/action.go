package record

import "time"

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

// some reports whether one of some actions is of a kind. It passes on no pointer, so that actions need
// not be allocated.
func some[A Action](actions []Action, is func(a A) bool) bool {
	for i := range actions {
		if a, ok := actions[i].(A); ok && is(a) {
			return true
		}
	}
	return false
}

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
