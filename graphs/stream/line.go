package stream

import (
	"bytes"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/timer"
)

// Kind tells what a line says.
type Kind uint8

// The kinds of lines.
const (
	Event       Kind = iota // an event
	Declaration             // a process and the initial values of its variables
	Sharing                 // shared variables and their initial values
	Closing                 // a process that executes no more
	Ending                  // the end of an execution
)

// A Line is a line of an execution as the stream gets it. Its texts may be overwritten after
// the call.
type Line struct {
	Kind        Kind
	Execution   []byte // of the line, empty where all lines are of one
	Process     []byte
	ID          []byte       // empty for the default, process:k
	Values      []Assignment // assigned, or initial
	Send, Recv  [][]byte     // ids of messages
	To          []byte       // the receiver of the messages sent, empty for an unknown one
	After, Sync [][]byte
	Clock       []Count // the vector clock, with its own entry; nil for none
	Timers      []timer.Timer
	ClockID     []byte // the clock that the process reads its times from, empty for none

	// Keyed says that Send and Recv have keys in place of ids: the k-th receive with a key gets
	// the k-th message sent with it, in the order of arrival.
	Keyed bool
	// Unsent says of a line with keys that what nobody sends until the execution ends is not received.
	Unsent bool

	// What people see of an event: its label, its time as JSON text, and the place that tells of it. A
	// Stream keeps these where its View is Whole.
	Label, Time []byte
	Place       graphs.Place
}

// An Assignment is a variable and its value.
type Assignment struct {
	Name  []byte
	Value graphs.Value
}

// A Count says that so many events of a process happened before, or at.
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

// event returns a copy of what the line says of its event itself.
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

// Progress is how far a source of lines has been read, and what that found out.
type Progress struct {
	Lines      int    // that were read
	Skipped    int    // of these, lines that do not fit and are to be skipped
	LowerBound string // why causality is a lower bound so far, "" for exact causality
}

// At returns the progress itself, for what embeds it.
func (p *Progress) At() *Progress { return p }
