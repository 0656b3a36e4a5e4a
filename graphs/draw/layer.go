package draw

import (
	"slices"

	"github.com/pota-project/pota/graphs"
)

// layering gives every event of a scene a column.
//
//	(1) messages and other happened-before lead to a greater column
//	(2) so does every edge of the graph whose ends are not of one meta-event
//	(3) the events of a sync have the same column, unless happened-before forbids it
//	(4) in the columns of a meta-event of several events, the lanes from its first
//	    to its last have no other event
type layering struct {
	s      *Scene
	column []int             // of each event
	taken  map[cell]struct{} // by an event, or kept free for a meta-event
	blocks []block           // meta-events of several events, in order of placing

	preds  map[graphs.Event][]graphs.Event // by messages and other happened-before
	synced map[graphs.Event][]graphs.Event // by a link of a sync
}

type cell struct{ lane, column int }

// block is a rectangle of lanes and columns, ends included.
type block struct {
	members      []graphs.Event
	top, bottom  int
	first, final int
}

// layers places the meta-events of the graph one after the other. The time complexity
// of layers is O(|V| log |V|+|edges|), and for each meta-event of several events the
// cells of its rectangle.
func (s *Scene) layers() *layering {
	l := &layering{
		s: s, column: make([]int, s.Of.Top()+1), taken: make(map[cell]struct{}),
		preds: make(map[graphs.Event][]graphs.Event), synced: make(map[graphs.Event][]graphs.Event),
	}
	for _, link := range s.Links {
		switch link.Kind {
		case Message, Causal:
			l.preds[link.To] = append(l.preds[link.To], link.From)
		case Sync:
			l.synced[link.To] = append(l.synced[link.To], link.From)
		}
	}
	for _, group := range s.metaEvents() {
		l.place(group)
	}
	return l
}

// metaEvents returns the meta-events of the graph, as far as they are drawn, in an
// order in which they can happen: that of a depth-first search along processes.
func (s *Scene) metaEvents() [][]graphs.Event {
	component, count := graphs.Components(int(s.Of.Top())+1, func(v int32, buf []int32) []int32 {
		e := graphs.Event(v)
		if p := s.Of.Process(e); p >= 0 && s.Of.Process(e+1) == p {
			buf = append(buf, v+1)
		}
		for _, f := range s.Graph.Succs(e) {
			buf = append(buf, int32(f))
		}
		return buf
	})
	all := make([][]graphs.Event, count)
	for _, e := range s.Events {
		k := count - 1 - int(component[e])
		all[k] = append(all[k], e)
	}
	return slices.DeleteFunc(all, func(group []graphs.Event) bool { return len(group) == 0 })
}

// before returns the events from which links of happened-before lead to e, and the
// one before it on its process.
func (l *layering) before(e graphs.Event) []graphs.Event {
	if l.s.Of.Position(e) > 1 {
		return append(l.preds[e][:len(l.preds[e]):len(l.preds[e])], e-1)
	}
	return l.preds[e]
}

// sorted returns the strongly connected components of some events in increasing order, in an
// order in which edges lead forward. Edges are those of happened-before and, if wanted, those
// of syncs in both directions. Within a component, events are in increasing order.
func (l *layering) sorted(events []graphs.Event, syncs bool) [][]graphs.Event {
	if len(events) == 1 {
		return [][]graphs.Event{events}
	}
	index := make(map[graphs.Event]int32, len(events))
	for i, e := range events {
		index[e] = int32(i)
	}
	succs := make([][]int32, len(events))
	edge := func(e, f graphs.Event) {
		from, inside := index[e]
		if inside {
			succs[from] = append(succs[from], index[f])
		}
	}
	for _, f := range events {
		for _, e := range l.before(f) {
			edge(e, f)
		}
		if !syncs {
			continue
		}
		for _, e := range l.synced[f] {
			if _, inside := index[e]; inside {
				edge(e, f)
				edge(f, e)
			}
		}
	}

	component, count := graphs.Components(len(events), func(v int32, buf []int32) []int32 {
		return append(buf, succs[v]...)
	})
	components := make([][]graphs.Event, count)
	for i, e := range events {
		k := count - 1 - int(component[i]) // edges lead to smaller numbers
		components[k] = append(components[k], e)
	}
	for _, members := range components {
		slices.Sort(members)
	}
	return components
}

// place gives columns to the events of one meta-event, all whose causes outside
// have theirs.
func (l *layering) place(group []graphs.Event) {
	of := l.s.Of
	start := 0
	for _, e := range group {
		for _, causes := range [][]graphs.Event{l.s.Graph.Preds(e), l.before(e)} {
			for _, f := range causes {
				if l.s.Shows(f) && !l.s.Graph.SameStep(e, f) {
					start = max(start, l.column[f]+1)
				}
			}
		}
	}
	depth := l.depths(group)
	b := block{members: group, top: of.Process(group[0]), bottom: of.Process(group[0])}
	width := 0
	for _, e := range group {
		b.top, b.bottom = min(b.top, of.Process(e)), max(b.bottom, of.Process(e))
		width = max(width, depth[e])
	}
	b.first = l.free(b, start, width)
	b.final = b.first + width
	for _, e := range group {
		l.column[e] = b.first + depth[e]
	}
	for lane := b.top; lane <= b.bottom; lane++ {
		for c := b.first; c <= b.final; c++ {
			l.taken[cell{lane, c}] = struct{}{}
		}
	}
	if len(group) > 1 {
		l.blocks = append(l.blocks, b)
	}
}

// depths returns the columns of the events of a meta-event, counted from its first
// one. It follows happened-before and syncs, or where syncs close a cycle,
// happened-before alone.
func (l *layering) depths(group []graphs.Event) map[graphs.Event]int {
	depth := make(map[graphs.Event]int, len(group))
	part := make(map[graphs.Event]int, len(group)) // in which of the components it is
	for k, sync := range l.sorted(group, true) {
		level, flat := 0, true
		for _, one := range l.sorted(sync, false) {
			e, d := one[0], 0
			for _, f := range l.before(e) {
				if at, inside := depth[f]; inside {
					d = max(d, at+1)
					flat = flat && part[f] != k
				}
			}
			depth[e], part[e] = d, k
			level = max(level, d)
		}
		if flat {
			for _, e := range sync {
				depth[e] = level
			}
		}
	}
	return depth
}

// free returns the least column from start on at which the cells of b are free.
func (l *layering) free(b block, start, width int) int {
	for {
		clash := -1
		for lane := b.top; lane <= b.bottom; lane++ {
			for c := start; c <= start+width; c++ {
				if _, ok := l.taken[cell{lane, c}]; ok {
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
