package view

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/layout"
)

// A Slice is what a slice adds to the computation in a window.
type Slice struct {
	Edges []int32 `json:"edges"` // see layout.Window.Pairs
	// meta-events of several events, those of the computation among them
	Together [][]int32 `json:"together"`
	Forced   []int32   `json:"forced"` // events that every cut of the slice in the window has
	Out      []int32   `json:"out"`    // events that none has
	Empty    bool      `json:"empty"`  // there is no such cut
	Lean     bool      `json:"lean"`   // its cuts are exactly those that satisfy the formula
}

// SliceOf returns what the edges of a slice add.
//
// The time complexity of SliceOf is O(|V|+|edges|).
func SliceOf(w *layout.Window, edges []graphs.Edge, lean bool) *Slice {
	s := &Slice{Edges: w.Pairs(edges), Together: [][]int32{}, Forced: []int32{}, Out: []int32{},
		Lean: lean}
	c := w.Of.With(edges)
	var least, greatest graphs.Cut
	ok := !c.Empty()
	if ok {
		greatest, ok = c.Below(c.Final(), ends(c, w.Greatest, 1)...)
	}
	if ok {
		least, ok = c.Above(c.Initial(), ends(c, w.Least, 0)...)
	}
	s.Empty = !ok || !least.Within(greatest)
	for e := range w.Events {
		switch step := c.Step(e); {
		case s.Empty || !c.Has(greatest, e):
			s.Out = append(s.Out, w.Number(e))
		case c.Has(least, e):
			s.Forced = append(s.Forced, w.Number(e))
		case len(step) > 1 && step[0] == e:
			s.Together = append(s.Together, w.Numbers(step))
		}
	}
	return s
}

// ends returns the last event of each process in a cut, or the one that is so much later.
func ends(c *graphs.Computation, cut graphs.Cut, later int) []graphs.Event {
	var events []graphs.Event
	for p, k := range cut {
		if at := int(k) + later; at > 0 && at <= c.Len(p) {
			events = append(events, c.Event(p, at))
		}
	}
	return events
}
