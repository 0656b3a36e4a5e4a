// Package layout says which events of a computation are drawn, and in which columns.
//
// # Definitions
//
// A Window is what is drawn of a computation: the events between two cuts, its low and its high
// one. The cuts in it are those between its least and its greatest cut; these are the low and the
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
	"slices"

	"github.com/pota-project/pota/graphs"
)

// A Layout gives every event a column.
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
	graph     *graphs.Computation
	occupied  map[cell]struct{} // by an event, or kept free for a meta-event
	unordered map[graphs.Edge]bool
	sent      map[graphs.Event][]graphs.Event // by receiver: the senders
	synced    map[graphs.Event][]graphs.Event // neighbours in a sync
}

type cell struct{ lane, column int }

// A Block is a rectangle of lanes and columns, both ends included.
type Block struct {
	Members      []graphs.Event
	Top, Bottom  int
	First, Final int
}

// New lays out the events of a window. Process order, messages and syncs are those of its
// computation; graph is that with more edges, or the same.
//
// The time complexity of New is O(|V| log |V|+|edges|), and for each meta-event of several
// events the cells of its rectangle.
func New(w *Window, graph *graphs.Computation) *Layout {
	l := &Layout{
		Column:    make([]int, w.Of.Top()+1),
		Window:    w,
		graph:     graph,
		occupied:  make(map[cell]struct{}),
		unordered: make(map[graphs.Edge]bool),
		sent:      make(map[graphs.Event][]graphs.Event),
		synced:    make(map[graphs.Event][]graphs.Event),
	}
	l.relate()
	for _, group := range l.metaEvents() {
		l.place(group)
	}
	return l
}

// relate notes what orders the events of a meta-event: messages and other causality do, general
// edges and syncs do not.
func (l *Layout) relate() {
	for _, m := range l.Of.Messages() {
		if m.Recv != graphs.Bottom && l.Inside(m.Send) && l.graph.SameStep(m.Send, m.Recv) {
			l.sent[m.Recv] = append(l.sent[m.Recv], m.Send)
		}
	}
	for _, e := range l.Of.Edges() {
		l.unordered[e] = true
	}
	for _, sync := range l.Of.Syncs() {
		lanes := slices.Sorted(slices.Values(sync)) // events are numbered process by process
		for i, e := range lanes {
			if i > 0 && l.Inside(lanes[i-1]) && l.Inside(e) {
				l.synced[e] = append(l.synced[e], lanes[i-1])
				l.synced[lanes[i-1]] = append(l.synced[lanes[i-1]], e)
			}
			for _, f := range sync {
				l.unordered[graphs.Edge{From: e, To: f}] = true
			}
		}
	}
}

// metaEvents returns the meta-events of the graph, as far as they are shown, in a possible order:
// that of a depth-first search along processes.
func (l *Layout) metaEvents() [][]graphs.Event {
	component, count := graphs.Components(int(l.Of.Top())+1, func(v int32, buf []int32) []int32 {
		e := graphs.Event(v)
		if p := l.Of.Process(e); p >= 0 && l.Of.Process(e+1) == p {
			buf = append(buf, v+1)
		}
		for _, f := range l.graph.Succs(e) {
			buf = append(buf, int32(f))
		}
		return buf
	})
	all := make([][]graphs.Event, count)
	for e := graphs.Event(1); e < l.Of.Top(); e++ {
		if l.Inside(e) {
			k := count - 1 - int(component[e])
			all[k] = append(all[k], e)
		}
	}
	return slices.DeleteFunc(all, func(group []graphs.Event) bool { return len(group) == 0 })
}

// before returns the events of a meta-event that happened before one of them: by a message, by
// other causality, or on its process.
func (l *Layout) before(e graphs.Event) []graphs.Event {
	causes := slices.Clone(l.sent[e])
	for _, f := range l.Of.Preds(e) {
		if l.Inside(f) && !l.unordered[graphs.Edge{From: f, To: e}] {
			causes = append(causes, f)
		}
	}
	if l.Of.Position(e) > 1 {
		causes = append(causes, e-1)
	}
	return causes
}

// place gives columns to the events of one meta-event after all their causes outside
// have theirs.
func (l *Layout) place(group []graphs.Event) {
	depth := l.depths(group)
	// Events are numbered process by process, and those of a group are in increasing order.
	b := Block{Members: group, Top: l.Of.Process(group[0]), Bottom: l.Of.Process(group[len(group)-1])}
	width := 0
	for _, e := range group {
		width = max(width, depth[e])
	}

	b.First = l.free(b, l.start(group), width)
	b.Final = b.First + width
	for _, e := range group {
		l.Column[e] = b.First + depth[e]
	}
	for lane := b.Top; lane <= b.Bottom; lane++ {
		for c := b.First; c <= b.Final; c++ {
			l.occupied[cell{lane, c}] = struct{}{}
		}
	}
	if len(group) > 1 {
		l.Blocks = append(l.Blocks, b)
	}
}

// start returns the least column after those of all causes outside a meta-event.
func (l *Layout) start(group []graphs.Event) int {
	start := 0
	for _, e := range group {
		causes := l.graph.Preds(e)
		if l.Of.Position(e) > 1 {
			causes = append(slices.Clip(causes), e-1)
		}
		for _, f := range causes {
			if l.Inside(f) && !l.graph.SameStep(e, f) {
				start = max(start, l.Column[f]+1)
			}
		}
	}
	return start
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
					if l.graph.SameStep(e, f) {
						d = max(d, depth[f]+1)
					}
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

// free returns the least column from start on where the cells of b are free.
func (l *Layout) free(b Block, start, width int) int {
	for {
		clash := -1
		for lane := b.Top; lane <= b.Bottom; lane++ {
			for c := start; c <= start+width; c++ {
				if _, ok := l.occupied[cell{lane, c}]; ok {
					clash = max(clash, c)
				}
			}
		}
		if clash < 0 {
			return start
		}
		start = clash + 1
	}
}
