package mermaid

import "github.com/pota-project/pota/graphs"

// A diagram is the list of statements of a file.
type diagram struct {
	// offset in bytes, for errors about the diagram as a whole
	at           int // of its keyword
	participants []string
	number       map[string]int
	variables    []variable // in order of appearance
	// by the number of the participant and the name, for the check that a variable has one type
	kinds     map[[2]any]graphs.Kind
	activates bool
	// Errors at the end of the text may then come from the cut, and are ignored.
	truncated bool // more may have followed
	body      []statement
}

// variable is one of a participant.
type variable struct {
	participant int
	name        string
	kind        graphs.Kind
}

// participant returns the number of a participant, adding a new one.
func (d *diagram) participant(name string) int {
	n, ok := d.number[name]
	if !ok {
		n = len(d.participants)
		d.number[name] = n
		d.participants = append(d.participants, name)
	}
	return n
}

// The kinds of statements. What is in a par, a rect or a critical stands in place of it.
type kind int

const (
	message kind = iota
	note
	activate
	create
	destroy
	loop
	choice
)

// A statement is one that says something of executions.
type statement struct {
	kind kind
	at   int
	// participants: sender and receiver; of a note, the same if it is over one
	a, b  int
	text  string
	sends arrow
	delta int // of an arrow: 1 activates b, -1 deactivates a; of activate: for a

	initially bool // of a note
	sets      []assignment

	// of a loop; one without a number has one
	times int
	body  []statement

	branches []branch // of a choice
}

type arrow int

const (
	forth arrow = iota
	lost
	both
	back // the head is at the left
)

type assignment struct {
	variable string
	value    graphs.Value
	at       int
}

// A branch is one of a choice. A break ends the innermost loop around it, or the scenario.
type branch struct {
	name   string // of the choice in that of the execution
	body   []statement
	breaks bool
}
