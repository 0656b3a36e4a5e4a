package view

import (
	"math"
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

	// Time has the columns by time: where the clock of the first event says, but at least one to
	// the right of the node before it on the process. It is nil if times are not known.
	Time []float64 `json:"time,omitempty"`
}

// Lay fills in where lanes, events and folds are. Events that the formula does not see are folded;
// seen is nil where there is no formula, and then events that assign something are seen. The
// processes of the formula, named, come first and stay in view; if there are many, the participants
// in the run do, the last ones first.
//
// The time complexity of Lay is O(|V| log |V|+|edges|).
func (d *Data) Lay(w *Window, seen, run []int32, named []int) {
	visible := make([]bool, w.len)
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
	owner := make([]int, 0, w.len) // of each event: the place of its process
	for p, shown := range d.Processes {
		owner = append(owner, slices.Repeat([]int{p}, int(shown.Count))...)
	}
	d.order(owner, visible, run, named)

	all := func(graphs.Event) bool { return true }
	wanted := func(e graphs.Event) bool { return visible[w.Number(e)] }
	d.Unfolded = d.layout(w, owner, layout.Fold(w.Of, w.Inside, all))
	d.Folded = d.layout(w, owner, layout.Fold(w.Of, w.Inside, wanted))
}

// layout lays out the nodes.
func (d *Data) layout(w *Window, owner []int, folds *layout.Folds) *Layout {
	placed := layout.New(w.Of, w.Of, w.Inside, folds)
	l := new(Layout)
	for _, n := range folds.Nodes {
		l.First = append(l.First, w.Number(n.First))
		l.Count = append(l.Count, int32(n.Count))
		l.Column = append(l.Column, int32(placed.Column[n.Anchor]))
	}
	d.byTime(l, owner)
	if len(l.First) == int(w.len) {
		l.First, l.Count = nil, nil
	}
	return l
}

// byTime fills in the columns by time. There are as many columns as by causality.
func (d *Data) byTime(l *Layout, owner []int) {
	first, last := math.Inf(1), math.Inf(-1)
	for _, t := range d.Clock {
		if t != nil {
			first, last = min(first, *t), max(last, *t)
		}
	}
	if d.Clock == nil || len(l.Column) == 0 {
		return
	}

	scale := float64(slices.Max(l.Column))
	if last > first {
		scale /= last - first
	}
	const precision = 1000 // parts of a column that can be told apart
	next := 0.0
	for i, e := range l.First {
		if i == 0 || owner[e] != owner[l.First[i-1]] {
			next = 0
		}
		column := next
		if t := d.Clock[e]; t != nil {
			column = max(next, math.Round((*t-first)*scale*precision)/precision)
		}
		l.Time = append(l.Time, column)
		next = column + 1
	}
}

// maxPinned is how many lanes stay in view at most while the others scroll.
const maxPinned = 6

// order orders the lanes, and marks the processes of events that the formula sees.
func (d *Data) order(owner []int, visible []bool, run []int32, named []int) {
	for e, p := range owner {
		d.Processes[p].Seen = d.Processes[p].Seen || visible[e]
	}
	place := make(map[int]int)
	for p, shown := range d.Processes {
		place[shown.Number] = p
	}
	var mentioned []int
	isMentioned := make([]bool, len(d.Processes))
	for _, n := range named {
		if p, ok := place[n]; ok {
			mentioned = append(mentioned, p)
			isMentioned[p] = true
		}
	}

	listed := make([]bool, len(d.Processes))
	list := func(p int) {
		if !listed[p] {
			listed[p] = true
			d.Lanes = append(d.Lanes, p)
		}
	}
	d.Lanes = []int{}
	if len(mentioned) <= maxPinned {
		for _, p := range mentioned {
			list(p)
		}
	} else {
		for _, e := range slices.Backward(run) {
			if p := owner[e]; visible[e] && isMentioned[p] && len(d.Lanes) < maxPinned {
				list(p)
			}
		}
	}
	d.Pinned = len(d.Lanes)
	for _, p := range mentioned {
		list(p)
	}
	for p := range d.Processes {
		list(p)
	}
}
