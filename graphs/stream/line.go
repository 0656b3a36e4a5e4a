package stream

import "github.com/pota-project/pota/graphs"

// Kind tells what a line says.
type Kind uint8

// The kinds of lines.
const (
	Event       Kind = iota // an event
	Declaration             // a process and the initial values of its variables
	Sharing                 // shared variables and their initial values
	Closing                 // a process that executes no more
	Ending                  // an execution of which nothing more will arrive
)

// A Line is a line of an execution as it arrives. Its texts need not outlive the call
// that they are given to.
type Line struct {
	Kind        Kind
	Execution   []byte // that it is of, empty where all lines are of one
	Process     []byte
	ID          []byte       // empty for the default, process:k
	Values      []Assignment // assigned, or initial
	Send, Recv  [][]byte     // ids of messages
	To          []byte       // the receiver of what is sent, empty where it is not known
	After, Sync [][]byte
	Clock       []Count // the vector clock, with its own entry; nil for none
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
		After: l.After[:0], Sync: l.Sync[:0], Clock: l.Clock[:0],
	}
}
