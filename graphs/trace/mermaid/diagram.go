package mermaid

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// A Diagram is the list of statements of a sequence diagram. Read makes executions from it, and
// other packages may use it as a specification.
type Diagram struct {
	*document
	// offset in bytes, for errors about the whole diagram
	at           int // the offset of the keyword
	Participants []string
	Aliases      []string // how each participant is displayed; "" if by its name
	number       map[string]int
	variables    []variable // in order of appearance
	// by participant index and variable name, to check that a variable has one type
	kinds map[[2]any]graphs.Kind
	Body  []Statement
}

// A variable belongs to a participant.
type variable struct {
	participant int
	name        string
	kind        graphs.Kind
}

// Lines returns a function from the offset of a statement to its line.
func (d *Diagram) Lines() func(at int) int { return trace.LineOf(d.text) }

// The kinds of statements. The body of a rect or critical replaces the block itself.
type Kind int

const (
	Message Kind = iota
	Note
	Loop
	Choice
	Par
)

// A Statement is a statement that is relevant to executions.
type Statement struct {
	Kind Kind
	At   int // the offset in bytes
	// the text of a message or note, as it is written
	Source string
	// the sender and the receiver; the participants of a note, equal if it is over one
	From, To int
	Text     string
	Sends    Arrow // what an arrow does; Both for a note
	Dotted   bool  // whether the arrow is dotted

	Initially bool         // whether a note gives initial values
	Sets      []Assignment // the assignments of a note; none if it is for people

	Times int         // the number of rounds of a loop, -1 if its text gives no number
	Body  []Statement // the body of a loop

	Branches []Branch // the branches of a choice or a par
}

// An Arrow says what happens to a message.
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

// A Branch belongs to a choice or a par. A branch that breaks ends the innermost loop around it, or
// the scenario if there is no loop.
type Branch struct {
	Name   string // the name of the choice, part of the execution's name
	Body   []Statement
	Breaks bool
}
