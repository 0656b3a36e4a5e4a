package atoms

import (
	"sort"

	"github.com/pota-project/pota/graphs"
)

// A Slot is an input of a function, determined by one chain: the value of a variable or, if
// Variable is nil, the number of messages that one end of a channel has sent or received.
type Slot struct {
	Variable *graphs.Variable

	From, To int            // the processes at the ends of the channel
	Received bool           // whether receives are counted, not sends
	Events   []graphs.Event // the counted events in order, each once for every message
}

// Chain returns the chain of the events that change the slot's value.
func (s *Slot) Chain() Chain {
	switch {
	case s.Variable == nil && s.Received:
		return Chain{Process: s.To}
	case s.Variable == nil:
		return Chain{Process: s.From}
	case s.Variable.Process == graphs.Shared:
		return Chain{Process: graphs.Shared, Shared: s.Variable}
	}
	return Chain{Process: s.Variable.Process}
}

// Changes lists the events that may change the value, in the order of the chain. After the i-th
// event the value is Value(i).
func (s *Slot) Changes() []graphs.Event {
	if s.Variable != nil {
		return s.Variable.Events()
	}
	return s.Events
}

// Value returns the value after the i-th change; for -1, the value before all changes.
func (s *Slot) Value(i int) graphs.Value {
	if s.Variable != nil {
		return s.Variable.Value(i)
	}
	return graphs.Int(int64(i) + 1)
}

// Last returns the index of the last change in cut, -1 if there is none. The
// time complexity of Last is O(log changes).
func (s *Slot) Last(c *graphs.Computation, cut graphs.Cut) int {
	return Count(c, s.Changes(), cut) - 1
}

// Term returns the function whose value is that of the slot.
func (s Slot) Term(c *graphs.Computation) *Term {
	return &Term{[]Slot{s}, func(env []graphs.Value) graphs.Value { return env[0] }, c}
}

// At returns the value at a cut.
func (s *Slot) At(c *graphs.Computation, cut graphs.Cut) graphs.Value {
	return s.Value(s.Last(c, cut))
}

// Count returns how many of events are in cut. The events must be totally ordered by happened-before,
// and listed in that order. The time complexity of Count is O(log events).
func Count(c *graphs.Computation, events []graphs.Event, cut graphs.Cut) int {
	return sort.Search(len(events), func(i int) bool { return !c.Has(cut, events[i]) })
}

// A Chain is a total order of events: all events of a process, or all assignments of a shared
// variable. State s of a chain is the state after its first s events.
type Chain struct {
	Process int              // graphs.Shared for a shared variable
	Shared  *graphs.Variable // nil for a process
}

// State returns the state of the chain at a cut.
func (h Chain) State(c *graphs.Computation, cut graphs.Cut) int32 {
	if h.Shared != nil {
		return int32(h.Shared.Last(c, cut)) + 1
	}
	return cut[h.Process]
}

// Bounds returns the states of the chain at the initial and at the final cut.
func (h Chain) Bounds(c *graphs.Computation) (first, last int32) {
	return h.State(c, c.Initial()), h.State(c, c.Final())
}

// Event returns the event that leads to state s; ⊥ for state 0.
func (h Chain) Event(c *graphs.Computation, s int32) graphs.Event {
	switch {
	case s == 0:
		return graphs.Bottom
	case h.Shared != nil:
		return h.Shared.Event(int(s) - 1)
	}
	return c.Event(h.Process, int(s))
}
