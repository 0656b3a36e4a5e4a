// Package program defines programs of several processes as engines see them that check all
// executions (rctl/crucial). Front ends implement Program: for models in Promela, for those of
// package simulate, or with a few functions in Go, as in the example.
//
// # Definitions
//
// A program has processes, each at one of its locations, and variables. A state consists of the
// locations of the processes and the contents of variables and channels, encoded in a fixed number
// of bytes: states with the same bytes are the same. A transition leads from a state that enables it
// to another one. It executes an action of one process or, as a handshake, actions of two processes
// at once. A run starts in the initial state and goes on while a transition is enabled: it is
// infinite, or ends in a state without enabled transitions, a deadlock.
//
// An object is a part of the state that actions read or write: a variable, an element of an array,
// the front or the back of a channel. What an action does depends only on the location of its
// process and on its objects. Actions list their accesses so that an engine can recognize commuting
// transitions (see Action).
//
// # What front ends decide
//
//   - One step of the language is one transition. A sequence that the language makes
//     indivisible, without states in between (d_step), is one transition, too.
//   - A sequence with states in between that no other process interrupts (atomic) is
//     several transitions. The state says who holds the program (Holder), and Enabled
//     returns nothing for the others until that process blocks or leaves the sequence.
//     The action that begins such a sequence is Solitary: it lists what the whole
//     sequence accesses, and as read what the sequence awaits. If there may be a
//     handshake in the sequence, it is Global, too. Like SPIN's claims, formulas skip the
//     states in between.
//   - A rendezvous is a handshake. Enabled returns it for the process that sends.
//   - Processes that are created while the program runs are declared in advance. They
//     begin at an unborn location. Its one action is never enabled, and awaits an
//     object that the creating action writes.
//   - A variable x of process P is x@P in formulas; one of no process is shared. An
//     element of an array is pos.0, a field r.f, the length of a channel len(q).
//     A name at@P is not declared: it is the first label of the location of P, which has
//     labels.
//   - A failed assertion is a state: the action that asserts writes a shared Boolean
//     variable, failed, which AG(!failed) is about.
package program

import (
	"slices"

	"github.com/pota-project/pota/graphs"
)

// A Program is a finite-state program. All methods are safe for concurrent use, and
// keep none of their arguments. They are called for each state, and do not allocate
// memory if dst is large enough.
//
//	(1) Layout returns the same each time, and it is Valid
//	(2) a state has Layout().Size bytes
//	(3) Enabled is a function of the state; its order is part of the program
//	(4) a transition is enabled only if its process, or one of its two, is at Action.From,
//	    and leads to a location in Action.To
//	(5) actions of different processes commute as Action says
type Program interface {
	Layout() *Layout
	// Initial appends the initial state to dst.
	Initial(dst []byte) []byte
	// Location returns the location of process p in state s, as an index of its Locations.
	Location(s []byte, p int) int
	// Value returns the value, of the variable's kind, of Layout().Variables[v] in state s.
	Value(s []byte, v int) graphs.Value
	// Holder returns the process that holds the program in s, so that no other one has a
	// transition, or -1 if there is none.
	Holder(s []byte) int
	// Enabled appends the transitions enabled in s that process p begins: each
	// transition is returned for exactly one process, a handshake for the one that sends.
	Enabled(s []byte, p int, dst []Transition) []Transition
	// Apply appends the state that t, which must be enabled in s, leads to. Its errors are about
	// what the language leaves undefined, such as an index out of range, and name the place in the
	// program.
	Apply(s []byte, t Transition, dst []byte) ([]byte, error)
}

// A Transition is an enabled step of a program.
type Transition struct {
	Action  int32 // an index of Layout.Actions
	Partner int32 // the action of the other process in a handshake, or NoPartner
	Arg     int32 // distinguishes transitions of one action; the program defines its meaning
}

// NoPartner is the Partner of a transition that is not a handshake.
const NoPartner = -1

// A Layout describes a program.
type Layout struct {
	Size      int // bytes of a state
	Processes []Process
	Variables []Variable
	Objects   int // how many there are; actions and variables number them from 0
	Actions   []Action
}

// A Process has a name that is unique in its program.
type Process struct {
	Name      string
	Locations []Location
}

// A Location is a place in the program of a process. A label names one location of its process; a
// location may have several labels, which mean the same.
type Location struct {
	Labels []string
}

// A Variable is a variable that formulas can name.
type Variable struct {
	Name    string
	Process int // the owner, or graphs.Shared
	Kind    graphs.Kind
	Objects []int // it changes only when an action writes one of these
}

// An Action is what a process may do at a location.
//
// Writes, Reads and Awaits list its accesses; each may list more objects than are accessed in some
// state, never fewer. What the action assigns or takes away is in Writes. What else its guard or
// its effect depends on is in Reads, but in Awaits if a change of it by others can only enable the
// action: never disable it, nor change what it does while it is enabled. So a send to a channel
// writes its back and awaits its front, a receive writes the front and awaits the back; a look at
// the length reads both.
//
// Actions α and β of different processes conflict if one of them writes what the other
// reads or writes, or if either is Global. If they do not conflict and both are
// enabled, then neither disables the other and both orders lead to the same state. If
// α is disabled and β makes it enabled, then β writes what α reads or awaits, or α is
// Global. A handshake accesses what its two actions access. The two have in common
// that either awaits the other: both list the channel in Meets.
type Action struct {
	Process int
	From    int   // a location
	To      []int // the locations that it may lead to, in increasing order

	Reads, Writes, Awaits []int // objects, in increasing order

	// Meets is the number of a rendezvous channel, from 1, if the action only takes part in
	// handshakes on it, and otherwise 0. Sends says on which side.
	Meets int
	// Channel is the number of a buffered channel, from 1, if the action sends one message to it or
	// receives its first one, and otherwise 0. Sends says which.
	Channel int
	Sends   bool

	Global   bool // may depend on anything, and on the location of any process (timeout)
	Solitary bool // its process may hold the program after it (atomic)

	Label string // the statement, for people
}

// ActionsOf returns the actions that a transition executes: one, or the two of a handshake.
func (l *Layout) ActionsOf(t Transition) []*Action {
	all := []*Action{&l.Actions[t.Action]}
	if t.Partner != NoPartner {
		all = append(all, &l.Actions[t.Partner])
	}
	return all
}

// HasLabels reports whether some location of process p has a label, so that formulas can speak of
// its location.
func (l *Layout) HasLabels(p int) bool {
	return slices.ContainsFunc(l.Processes[p].Locations,
		func(at Location) bool { return len(at.Labels) > 0 })
}

// LabelAt returns the first label of a location of process p, or "" if it has none.
func (l *Layout) LabelAt(p, location int) string {
	if labels := l.Processes[p].Locations[location].Labels; len(labels) > 0 {
		return labels[0]
	}
	return ""
}
