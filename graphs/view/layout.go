package view

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/layout"
)

// A Layout says where the nodes of the window are: events, and folds of several events of a
// process. Nodes are numbered process by process.
type Layout struct {
	First  []int32 `json:"first,omitempty"` // of each node its first event; nil if all are events
	Count  []int32 `json:"count,omitempty"`
	Column []int32 `json:"column"`
}

// Lay fills in where lanes, events and folds are. Events that the formula does not see are folded;
// seen is nil where there is no formula, and then events that assign something are seen. An event
// of the run with a label of its own is not folded: the page says there what happened. The
// processes that are wanted come first and stay in view; if there are many, the participants
// in the run do, the last ones first.
//
// The time complexity of Lay is O(|V| log |V|+|edges|).
func (d *Data) Lay(seen, run []int32) {
	w := d.window
	visible := make([]bool, w.Len())
	for _, e := range seen {
		visible[e] = true
	}
	if seen == nil {
		for _, v := range d.Variables {
			for _, e := range v.At {
				visible[e] = true
			}
		}
	}
	owner := make([]int, 0, w.Len()) // of each event: the place of its process
	for p, shown := range d.Processes {
		owner = append(owner, slices.Repeat([]int{p}, int(shown.Count))...)
	}
	d.order(owner, visible, run)
	// A label that the event before it has, too, is what its fold is named by.
	for _, e := range run {
		first := e == 0 || owner[e-1] != owner[e]
		if d.Labels != nil && d.Labels[e] != "" && (first || d.Labels[e-1] != d.Labels[e]) {
			visible[e] = true
		}
	}

	d.Unfolded = newLayout(w, layout.Unfolded(w))
	d.Folded = newLayout(w, layout.Fold(w, func(e graphs.Event) bool { return visible[w.Number(e)] }))
}

// newLayout lays out the nodes.
func newLayout(w *layout.Window, folds *layout.Folds) *Layout {
	placed := layout.New(w, w.Of, folds)
	l := new(Layout)
	for _, n := range folds.Nodes {
		l.First = append(l.First, w.Number(n.First))
		l.Count = append(l.Count, int32(n.Count))
		l.Column = append(l.Column, int32(placed.Column[n.Anchor]))
	}
	if len(l.First) == w.Len() {
		l.First, l.Count = nil, nil
	}
	return l
}

// maxPinned is how many lanes stay in view at most while the others scroll.
const maxPinned = 6

// order orders the lanes, and marks the processes of events that the formula sees.
func (d *Data) order(owner []int, visible []bool, run []int32) {
	for e, p := range owner {
		d.Processes[p].Seen = d.Processes[p].Seen || visible[e]
	}
	var mentioned []int
	for _, n := range d.Named {
		mentioned = append(mentioned, d.place[n])
	}
	pinned := mentioned
	if len(mentioned) > maxPinned {
		pinned = nil
		for _, e := range slices.Backward(run) {
			p := owner[e]
			if visible[e] && slices.Contains(mentioned, p) && !slices.Contains(pinned, p) && len(pinned) < maxPinned {
				pinned = append(pinned, p)
			}
		}
	}

	d.Pinned = len(pinned)
	d.Lanes = []int{}
	listed := make([]bool, len(d.Processes))
	order := slices.Concat(pinned, mentioned)
	for p := range d.Processes {
		order = append(order, p)
	}
	for _, p := range order {
		if !listed[p] {
			listed[p] = true
			d.Lanes = append(d.Lanes, p)
		}
	}
}
