package mermaid

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// A Diagram is the list of statements of a sequence diagram. Read makes executions of it, and other
// packages may read it as a specification.
type Diagram struct {
	*document
	// offset in bytes, for errors about the diagram as a whole
	at           int // of its keyword
	Participants []string
	Aliases      []string // how each participant is shown; "" if by its name
	number       map[string]int
	variables    []variable // in order of appearance
	// by the number of the participant and the name, for the check that a variable has one type
	kinds map[[2]any]graphs.Kind
	Body  []Statement
}

// A variable belongs to a participant.
type variable struct {
	participant int
	name        string
	kind        graphs.Kind
}

// Lines returns a function that tells the line of a statement from its offset.
func (d *Diagram) Lines() func(at int) int { return trace.LineOf(d.text) }

// The kinds of statements. What is in a rect or a critical stands in place of it.
type Kind int

const (
	Message Kind = iota
	Note
	Loop
	Choice
	Par
)

// A Statement is one that says something of executions.
type Statement struct {
	Kind Kind
	At   int // offset in bytes
	// of a message or a note, as it is written
	Source string
	// participants: sender and receiver; of a note, the same if it is over one
	From, To int
	Text     string
	Sends    Arrow // of a note, Both
	Dotted   bool  // of an arrow

	Initially bool         // of a note
	Sets      []Assignment // of a note; a note for people has none

	Times int         // of a loop, -1 where its text gives no number
	Body  []Statement // of a loop

	Branches []Branch // of a choice or a par
}

// An Arrow says what becomes of a message.
type Arrow int

const (
	Forth Arrow = iota
	Lost
	Both // two events that happen together
)

// An Assignment gives a variable a value.
type Assignment struct {
	Variable string
	Value    graphs.Value
	at       int
}

// A Branch belongs to a choice or a par. A branch that breaks ends the innermost loop around it, or the
// scenario if there is no loop.
type Branch struct {
	Name   string // of the choice in that of the execution
	Body   []Statement
	Breaks bool
}
