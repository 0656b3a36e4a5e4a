package stream

import (
	"bytes"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/timer"
)

// Kind is the kind of a line.
type Kind uint8

// The kinds of lines.
const (
	Event       Kind = iota // an event
	Declaration             // a process and the initial values of its variables
	Sharing                 // shared variables and their initial values
	Closing                 // a process that will execute no more events
	Ending                  // the end of an execution
)

// A Line is a line of an execution as the stream receives it. The caller may overwrite its texts
// after the call.
type Line struct {
	Kind        Kind
	Execution   []byte // the execution of the line; empty if there is only one
	Process     []byte
	ID          []byte       // empty for the default id, process:k
	Values      []Assignment // the values assigned by an event, or initial values
	Send, Recv  [][]byte     // ids of messages
	To          []byte       // the receiver of the messages sent; empty if unknown
	After, Sync [][]byte
	// the vector clock, including the entry of the process itself; nil if there is none
	Clock   []Count
	Timers  []timer.Timer
	ClockID []byte // the clock that the process reads its times from; empty if not stated

	// Keyed says that Send and Recv have keys in place of ids: the k-th receive with a key gets
	// the k-th message sent with it, in the order of arrival.
	Keyed bool
	// Unsent says that messages of a line with keys count as not received if nobody has sent them
	// when the execution ends.
	Unsent bool

	// What users see of an event: its label, its time as JSON text, and its place in the source. A
	// Stream keeps these if its View is Whole.
	Label, Time []byte
	Place       graphs.Place
}

// An Assignment is a variable and its value.
type Assignment struct {
	Name  []byte
	Value graphs.Value
}

// A Count is an entry of a vector clock: how many events of a process happened before or at an event.
type Count struct {
	Process []byte
	Events  int64
}

// Reset empties the line and keeps its memory.
func (l *Line) Reset(k Kind) {
	*l = Line{
		Kind: k, Values: l.Values[:0], Send: l.Send[:0], Recv: l.Recv[:0],
		After: l.After[:0], Sync: l.Sync[:0], Clock: l.Clock[:0], Timers: l.Timers[:0],
	}
}

// event returns a copy of the parts of the line that are about the event itself.
func (l *Line) event() *Line {
	c := &Line{
		Process: bytes.Clone(l.Process),
		ID:      bytes.Clone(l.ID),
		Values:  slices.Clone(l.Values),
		Label:   bytes.Clone(l.Label),
		Time:    bytes.Clone(l.Time),
	}
	for i := range c.Values {
		c.Values[i].Name = bytes.Clone(c.Values[i].Name)
	}
	return c
}

// Progress says how far a source of lines has been read, and what was found there.
type Progress struct {
	Lines      int    // how many lines have been read
	Skipped    int    // how many of these do not fit and are to be skipped
	LowerBound string // why causality is a lower bound so far; "" if it is exact
}

// At returns the progress itself, for types that embed it.
func (p *Progress) At() *Progress { return p }
