package graphs

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/traverse"
)

// A CycleError lists a cycle of happened-before without syncs and general edges: each event
// happened before the next, and the last before the first.
type CycleError struct {
	Events []Handle
	IDs    []string
}

func (e *CycleError) Error() string {
	s := "cycle of happened-before: "
	const most = 8
	for i, id := range e.IDs {
		if i == most {
			s += fmt.Sprintf("… (%d more) → ", len(e.IDs)-most)
			break
		}
		s += id + " → "
	}
	return s + e.IDs[0]
}

func (c *Computation) cycleError(cycle []Event, handle func(Event) Handle) error {
	err := &CycleError{}
	for _, e := range cycle {
		err.Events = append(err.Events, handle(e))
		err.IDs = append(err.IDs, c.ID(e))
	}
	return err
}

// hasCycle reports whether edges close a cycle with process order. c must have neither syncs nor
// general edges. Topological sorting then leaves out the events on a cycle, and those after one.
func (c *Computation) hasCycle() bool { return len(c.Order()) < c.NumEvents() }

// cycle returns a shortest cycle through the first event that is on any cycle, beginning with that
// event. There must be a cycle.
func (c *Computation) cycle() []Event {
	component, count := c.components()
	size := make([]int32, count)
	for _, k := range component {
		size[k]++
	}
	first := int64(slices.IndexFunc(component, func(k int32) bool { return size[k] > 1 }))
	g := c.Directed()
	before := make(map[int64]int64) // the predecessor of each event in the search
	search := traverse.BreadthFirst{Traverse: func(e graph.Edge) bool {
		from, to := e.From().ID(), e.To().ID()
		if _, seen := before[to]; !seen {
			before[to] = from
		}
		return component[to] == component[first]
	}}
	last := search.Walk(g, g.Node(first),
		func(n graph.Node, _ int) bool { return g.HasEdgeFromTo(n.ID(), first) })
	cycle := []Event{Event(last.ID())}
	for e := last.ID(); e != first; {
		e = before[e]
		cycle = append(cycle, Event(e))
	}
	slices.Reverse(cycle)
	return cycle
}
