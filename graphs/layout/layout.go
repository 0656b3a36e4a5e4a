// Package layout says which events of a computation are drawn, and in which columns.
//
// # Definitions
//
// A Window is the part of a computation that is drawn: the events between two cuts, its low and its
// high one. The cuts in it are those between its least and its greatest cut; these are the low and the
// high one wherever they are consistent. As both are cuts, whatever an event of the window needs is
// in the window or below it: without knowing more, the consistent cuts, the enabled events and the
// past of an event can be found. An event is its number in the window.
//
// A space-time diagram has a lane for each process; time goes from left to right. The column of an
// event is the length of the longest path to it, more if a meta-event needs the room: every arrow of
// happened-before leads to a greater column.
//
// Pictures (package draw) and the page of the viewer (package view) share windows and places by
// time. The page finds columns itself, since people open folds there.
package layout

import (
	"cmp"
	"math"
	"slices"

	"github.com/pota-project/pota/graphs"
)

// A Layout gives every event a column. ⊥ is left of all others, and ⊤ right of them.
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
	free   []int                           // of each lane: the first column that is free from there on
	synced map[graphs.Event][]graphs.Event // neighbours in a sync
}

// A Block is a rectangle of lanes and columns, both ends included.
type Block struct {
	Members      []graphs.Event
	Top, Bottom  int
	First, Final int
}

// New lays out the events of a window. Process order, messages and syncs are those of its
// computation; graph is that with more edges, or the same.
//
// The time complexity of New is O(|V| log |V|+|edges|), and for each meta-event of several events
// at most their number times the edges between them.
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
	// Meta-events of several events come after others of their rank, which they would push aside.
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

// before returns the events of a meta-event that happened before one of them: by a message, by
// other causality, or on its process.
func (l *Layout) before(e graphs.Event) []graphs.Event {
	causes := slices.Clone(l.Of.Causes(e))
	if l.Of.Position(e) > 1 {
		causes = append(causes, e-1)
	}
	isOther := func(f graphs.Event) bool { return !l.Inside(f) || !l.graph.SameStep(e, f) }
	return slices.DeleteFunc(causes, isOther)
}

// place gives columns to the events of one meta-event after all their causes outside have theirs:
// columns where its lanes are free, and after those of the causes.
func (l *Layout) place(group []graphs.Event) {
	depth := l.depths(group)
	// Events are numbered process by process, and those of a group are in increasing order.
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

// depths returns the columns of the events of a meta-event, counted from its first one: the lengths
// of the longest paths. It follows happened-before and syncs or, where syncs close a cycle,
// happened-before alone.
func (l *Layout) depths(group []graphs.Event) map[graphs.Event]int {
	depth := make(map[graphs.Event]int, len(group))
	for _, syncs := range []bool{true, false} {
		clear(depth)
		// A path has each event once, so that nothing changes after as many rounds as there are events.
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

// Times returns the earliest and the latest time at which an event may have happened, in nanoseconds.
// It is not ok if they are not known.
type Times func(e graphs.Event) (from, to int64, ok bool)

// ByTime places some events of c, which are in increasing order, by time: it returns the earliest
// time, and for each event how many nanoseconds after that it stands. That is its earliest time. An
// event without a time stands where the one before it on its process does, and none stands before
// that. at is nil if no event has a time.
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

// Since returns the nanoseconds from a time to a later one, which may be more than an int64 holds.
func Since(first, later int64) float64 { return float64(uint64(later) - uint64(first)) }
