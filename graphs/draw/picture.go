package draw

import (
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/layout"
)

// DefaultMaxEvents is how many events a picture may have by default.
const DefaultMaxEvents = 2000

// A Picture is a computation and what to show on it. Only Of is needed.
type Picture struct {
	Of    *graphs.Computation
	Title string

	// Added are the edges that make a slice of the computation. Meta-events and
	// the events that every cut has, or none, are those of the slice.
	Added []graphs.Edge

	// Missing are orders that Of has and its trace lacks.
	Missing []Missing

	// Cut is a set of events to highlight, Run a sequence of events to number, and
	// Further are sequences to number beside it.
	Cut     graphs.Cut
	Run     []graphs.Event
	Further [][]graphs.Event

	// By Times SVG places events, where it is nil by causality.
	Times layout.Times

	// MaxEvents is how many events may be drawn, DefaultMaxEvents for 0, any number when it is
	// negative. If there are more, they are those around the cut, or at the beginning. A link is
	// drawn when both its ends are.
	MaxEvents int
}

// A Missing is an edge that was added to a trace because it should have been there.
type Missing struct {
	graphs.Edge
	Why string // in words, "" for what the edge says itself
}

// check returns the first error in the fields of p.
func (p Picture) check() error {
	if p.Cut != nil && len(p.Cut) != p.Of.NumProcesses() {
		return fmt.Errorf("the cut to draw has %d processes, the computation %d", len(p.Cut), p.Of.NumProcesses())
	}
	for q, k := range p.Cut {
		if k < 0 || int(k) > p.Of.Len(q) {
			return fmt.Errorf("the cut to draw has %d events of %s, which has %d", k, p.Of.Processes()[q], p.Of.Len(q))
		}
	}
	for _, e := range slices.Concat(append(p.Further[:len(p.Further):len(p.Further)], p.Run)...) {
		if e <= graphs.Bottom || e >= p.Of.Top() {
			return fmt.Errorf("the run to draw contains %d, which is not an event", e)
		}
	}
	for _, e := range p.Added {
		if min(e.From, e.To) < graphs.Bottom || max(e.From, e.To) > p.Of.Top() {
			return fmt.Errorf("the added edge from %d to %d has an end that is not an event",
				e.From, e.To)
		}
	}
	return nil
}
