// Package layout selects the events of a computation that are drawn, and assigns them to columns.
//
// # Definitions
//
// A Window is the part of a computation that is drawn: the events between its low and its high
// cut. The cuts in the window lie between its least and its greatest cut, which equal the low and
// the high cut if those are consistent. The causes of an event in the window are in the window or
// below it, so the window suffices to find its consistent cuts, enabled events and the past of an
// event. Events are identified by their numbers in the window.
//
// A space-time diagram has a lane for each process, and time goes from left to right. The column of
// an event is the length of the longest path to it, or more if a meta-event needs the room. So
// every arrow of happened-before leads to a greater column.
//
// Pictures (package draw) and the page of the viewer (package view) share windows and places by
// time. The page computes columns itself, since users can fold and unfold events there.
package layout

import (
	"cmp"
	"math"
	"slices"

	"github.com/pota-project/pota/graphs"
)

// A Layout assigns a column to every event. ⊥ is left of all other events, and ⊤ is right of them.
//
//	(1) messages and other happened-before lead to a greater column
//	(2) so does every edge of the graph between different meta-events
//	(3) the events of a sync have the same column, except where happened-before forbids it
//	(4) in the columns of a meta-event of several events, the lanes from its first
//	    to its last have no other event
type Layout struct {
	Column []int
	Blocks []Block // meta-events of several events, in the order of placing

	*Window
	graph  *graphs.Computation
	free   []int                           // by lane: the column from which the lane is free
	synced map[graphs.Event][]graphs.Event // the neighbours of each event in syncs
}

// A Block is a rectangle of lanes and columns, both ends included.
type Block struct {
	Members      []graphs.Event
	Top, Bottom  int
	First, Final int
}

// New lays out the events of a window. The computation of the window has the process order,
// messages and syncs; graph is the same computation, perhaps with more edges.
//
// The time complexity of New is O(|V| log |V|+|edges|), plus, for each meta-event of several
// events, at most their number times the number of edges between them.
func New(w *Window, graph *graphs.Computation) *Layout {
	l := &Layout{
		Column: make([]int, w.Of.Top()+1),
		Window: w,
		graph:  graph,
		free:   make([]int, w.Of.NumProcesses()),
		synced: make(map[graphs.Event][]graphs.Event),
	}
	l.Column[graphs.Bottom] = -1
	l.Column[w.Of.Top()] = math.MaxInt
	isOutside := func(e graphs.Event) bool { return !l.Inside(e) }
	for _, sync := range l.Of.Syncs() {
		shown := slices.DeleteFunc(slices.Sorted(slices.Values(sync)), isOutside)
		for i := 1; i < len(shown); i++ {
			l.synced[shown[i]] = append(l.synced[shown[i]], shown[i-1])
			l.synced[shown[i-1]] = append(l.synced[shown[i-1]], shown[i])
		}
	}
	// Meta-events of several events come after others of the same rank, which they would otherwise
	// push aside.
	ranks, steps := graph.Ranks(), slices.Collect(graph.Steps())
	slices.SortStableFunc(steps, func(a, b []graphs.Event) int {
		return cmp.Or(int(ranks[a[0]]-ranks[b[0]]), len(a)-len(b))
	})
	for _, step := range steps {
		shown := slices.DeleteFunc(slices.Clone(step), isOutside)
		if len(shown) > 0 {
			l.place(shown)
		}
	}
	return l
}

// before returns the events of e's meta-event that happened directly before e: by a message, by
// other causality, or on its process.
func (l *Layout) before(e graphs.Event) []graphs.Event {
	causes := slices.Clone(l.Of.Causes(e))
	if l.Of.Position(e) > 1 {
		causes = append(causes, e-1)
	}
	isOther := func(f graphs.Event) bool { return !l.Inside(f) || !l.graph.SameStep(e, f) }
	return slices.DeleteFunc(causes, isOther)
}

// place assigns columns to the events of one meta-event, once all causes outside it have columns.
// They are to the right of the causes, and free on all lanes of the meta-event.
func (l *Layout) place(group []graphs.Event) {
	depth := l.depths(group)
	// Events are numbered process by process, and a group is in increasing order.
	b := Block{Members: group, Top: l.Of.Process(group[0]), Bottom: l.Of.Process(group[len(group)-1])}
	lanes := l.free[b.Top : b.Bottom+1]
	b.First = slices.Max(lanes)
	for _, e := range group {
		for _, f := range l.graph.Preds(e) {
			if l.Inside(f) && !l.graph.SameStep(e, f) {
				b.First = max(b.First, l.Column[f]+1)
			}
		}
	}
	for _, e := range group {
		l.Column[e] = b.First + depth[e]
		b.Final = max(b.Final, l.Column[e])
	}
	for i := range lanes {
		lanes[i] = b.Final + 1
	}
	if len(group) > 1 {
		l.Blocks = append(l.Blocks, b)
	}
}

// depths returns the columns of the events of a meta-event relative to its first column: the
// lengths of the longest paths. It follows happened-before and syncs or, if these form a cycle,
// happened-before alone.
func (l *Layout) depths(group []graphs.Event) map[graphs.Event]int {
	depth := make(map[graphs.Event]int, len(group))
	for _, syncs := range []bool{true, false} {
		clear(depth)
		// A path contains each event once, so nothing changes after as many rounds as there are events.
		for changed, round := len(group) > 1, 0; round <= len(group); round++ {
			if !changed {
				return depth
			}
			changed = false
			for _, e := range group {
				d := depth[e]
				for _, f := range l.before(e) {
					d = max(d, depth[f]+1)
				}
				for _, f := range l.synced[e] {
					if syncs {
						d = max(d, depth[f])
					}
				}
				changed = changed || d > depth[e]
				depth[e] = d
			}
		}
	}
	return depth
}

// Times returns the earliest and the latest time at which an event may have happened, in
// nanoseconds. It returns ok = false if they are not known.
type Times func(e graphs.Event) (from, to int64, ok bool)

// ByTime places events of c, given in increasing order, by time. It returns the earliest time, and
// the place of each event in nanoseconds after that. The place of an event is its earliest time,
// but not before the place of the previous event on its process. An event without a time has the
// place of that event. At is nil if no event has a time.
//
// The time complexity of ByTime is O(n) for n events.
func ByTime(c *graphs.Computation, events []graphs.Event, times Times) (first int64, at []float64) {
	known := false
	for _, e := range events {
		if from, _, ok := times(e); ok && (!known || from < first) {
			first, known = from, true
		}
	}
	if !known {
		return 0, nil
	}
	for i, e := range events {
		place := 0.0
		if i > 0 && events[i-1] == e-1 && c.Process(e-1) == c.Process(e) {
			place = at[i-1]
		}
		if from, _, ok := times(e); ok {
			place = max(place, Since(first, from))
		}
		at = append(at, place)
	}
	return first, at
}

// Since returns the nanoseconds from a time to a later one. They may exceed an int64.
func Since(first, later int64) float64 { return float64(uint64(later) - uint64(first)) }
