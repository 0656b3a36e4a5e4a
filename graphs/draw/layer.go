package draw

import (
	"cmp"
	"slices"

	"github.com/pota-project/pota/graphs"
)

// layering gives every event of a scene a column.
//
//	(1) messages and other happened-before lead to a greater column
//	(2) so does every edge of the graph whose ends are not of one meta-event
//	(3) events tied together have the same column, unless happened-before
//	    forbids it
//	(4) in the columns of a meta-event of several events, the lanes from its first
//	    to its last have no other event
type layering struct {
	s      *Scene
	column []int             // of each event
	taken  map[cell]struct{} // by an event, or kept free for a meta-event
	blocks []block           // meta-events of several events, in order of placing
}

type cell struct{ lane, column int }

// block is a rectangle of lanes and columns, ends included.
type block struct {
	members      []graphs.Event
	top, bottom  int
	first, final int
}

// ranks numbers the vertices of a graph's components so that edges lead to
// greater or equal numbers.
func (s *Scene) ranks(succ func(e graphs.Event, add func(graphs.Event))) []int32 {
	component, count := graphs.Components(int(s.Of.Top())+1, func(v int32, buf []int32) []int32 {
		e := graphs.Event(v)
		if s.Of.Process(e) < 0 {
			return buf
		}
		add := func(f graphs.Event) { buf = append(buf, int32(f)) }
		if s.Of.Process(e+1) == s.Of.Process(e) {
			add(e + 1)
		}
		succ(e, add)
		return buf
	})
	for v := range component {
		component[v] = int32(count) - component[v]
	}
	return component
}

// layers places the meta-events of the graph one after the other. Within one it
// follows happened-before and ties, or where ties close a cycle, happened-before
// alone. The time complexity of layers is O(|V| log |V|+|edges|), and for each
// meta-event of several events the cells of its rectangle.
func (s *Scene) layers() *layering {
	hard := make([][]graphs.Event, s.Of.Top()+1) // messages and other happened-before
	tied := make([][]graphs.Event, s.Of.Top()+1)
	for _, l := range s.Links {
		switch l.Kind {
		case Message, Causal:
			hard[l.From] = append(hard[l.From], l.To)
		case Sync:
			tied[l.From] = append(tied[l.From], l.To)
			tied[l.To] = append(tied[l.To], l.From)
		}
	}
	each := func(events []graphs.Event, add func(graphs.Event)) {
		for _, f := range events {
			add(f)
		}
	}
	meta := s.ranks(func(e graphs.Event, add func(graphs.Event)) { each(s.Graph.Succs(e), add) })
	ties := s.ranks(func(e graphs.Event, add func(graphs.Event)) { each(hard[e], add); each(tied[e], add) })
	plain := s.ranks(func(e graphs.Event, add func(graphs.Event)) { each(hard[e], add) })

	order := slices.Clone(s.Events)
	slices.SortFunc(order, func(e, f graphs.Event) int {
		return cmp.Or(cmp.Compare(meta[e], meta[f]), cmp.Compare(ties[e], ties[f]), cmp.Compare(plain[e], plain[f]))
	})
	l := &layering{s: s, column: make([]int, s.Of.Top()+1), taken: make(map[cell]struct{})}
	preds := make([][]graphs.Event, s.Of.Top()+1)
	for e, next := range hard {
		for _, f := range next {
			preds[f] = append(preds[f], graphs.Event(e))
		}
	}
	for _, group := range runs(order, meta) {
		l.place(group, ties, preds)
	}
	return l
}

// runs cuts a sequence into maximal pieces of equal key.
func runs(events []graphs.Event, key []int32) [][]graphs.Event {
	var pieces [][]graphs.Event
	for len(events) > 0 {
		n := 1
		for n < len(events) && key[events[n]] == key[events[0]] {
			n++
		}
		pieces = append(pieces, events[:n])
		events = events[n:]
	}
	return pieces
}

// place gives columns to the events of one meta-event, all whose causes outside
// have theirs.
func (l *layering) place(group []graphs.Event, ties []int32, preds [][]graphs.Event) {
	of := l.s.Of
	inside := make(map[graphs.Event]bool, len(group))
	for _, e := range group {
		inside[e] = true
	}
	start := 0
	before := func(e graphs.Event, from []graphs.Event) {
		for _, f := range from {
			if !inside[f] && l.s.Shows(f) {
				start = max(start, l.column[f]+1)
			}
		}
	}
	for _, e := range group {
		before(e, l.s.Graph.Preds(e))
		before(e, preds[e])
		if of.Position(e) > 1 {
			before(e, []graphs.Event{e - 1})
		}
	}
	depth := l.depths(group, inside, ties, preds)
	b := block{members: group, top: of.Process(group[0]), bottom: of.Process(group[0])}
	width := 0
	for i, e := range group {
		b.top, b.bottom = min(b.top, of.Process(e)), max(b.bottom, of.Process(e))
		width = max(width, depth[i])
	}
	b.first = l.free(b, start, width)
	b.final = b.first + width
	for i, e := range group {
		l.column[e] = b.first + depth[i]
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

// depths returns the columns of the events of a meta-event, counted from its
// first one.
func (l *layering) depths(group []graphs.Event, inside map[graphs.Event]bool, ties []int32, preds [][]graphs.Event) []int {
	depth := make(map[graphs.Event]int, len(group))
	own := func(e graphs.Event) int {
		d := 0
		for _, f := range preds[e] {
			if inside[f] {
				d = max(d, depth[f]+1)
			}
		}
		if f := e - 1; inside[f] && l.s.Of.Process(f) == l.s.Of.Process(e) {
			d = max(d, depth[f]+1)
		}
		return d
	}
	for _, tie := range runs(group, ties) {
		level, flat := 0, true
		for i, e := range tie {
			depth[e] = own(e)
			flat = flat && (i == 0 || depth[e] == 0 || !l.follows(e, tie[:i], preds))
			level = max(level, depth[e])
		}
		if flat {
			for _, e := range tie {
				depth[e] = level
			}
		}
	}
	list := make([]int, len(group))
	for i, e := range group {
		list[i] = depth[e]
	}
	return list
}

// follows reports whether an edge of happened-before leads from one of events to e.
func (l *layering) follows(e graphs.Event, events []graphs.Event, preds [][]graphs.Event) bool {
	return slices.ContainsFunc(events, func(f graphs.Event) bool {
		return f == e-1 && l.s.Of.Process(f) == l.s.Of.Process(e) || slices.Contains(preds[e], f)
	})
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
