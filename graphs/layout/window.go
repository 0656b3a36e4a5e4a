package layout

import (
	"slices"
	"sort"

	"github.com/pota-project/pota/graphs"
)

// A Window is a part of a computation: the events between two cuts.
//
//	(1) Low is within Least, Least within Greatest, Greatest within High
//	(2) Least and Greatest are cuts of Of
//	(3) Low has no events, or is Least; High has all events, or is Greatest
//
// Its events are those of High that are not in Low, numbered from 0 process by process.
type Window struct {
	Of              *graphs.Computation
	Low, High       graphs.Cut
	Least, Greatest graphs.Cut

	first []int32 // the number of the first event of each process
	len   int32
}

// All returns the window of all events of c.
func All(c *graphs.Computation) *Window {
	w := Between(c, c.NoEvents(), c.AllEvents())
	w.Least, w.Greatest = c.Initial(), c.Final()
	return w
}

// Between returns the window between two cuts of c. Low must be within high.
func Between(c *graphs.Computation, low, high graphs.Cut) *Window {
	w := &Window{Of: c, Low: low, High: high, Least: low, Greatest: high}
	for p := range c.NumProcesses() {
		w.first = append(w.first, w.len)
		w.len += high[p] - low[p]
	}
	return w
}

// Around returns the window of all events or, if there are more than most, of the events nearest
// to cut: up to two thirds of them before the cut, and the rest after it. The distance of an event
// from the cut is the length of the longest path between them.
//
// The time complexity of Around is that of Nearest.
func Around(c *graphs.Computation, cut graphs.Cut, most int) *Window {
	if c.NumEvents() <= most {
		return All(c)
	}
	low := Nearest(c, cut, most*2/3, false)
	high := Nearest(c, cut, most-(cut.Size()-low.Size()), true)
	if rest := most - (high.Size() - low.Size()); rest > 0 {
		low = Nearest(c, cut, most-(high.Size()-cut.Size()), false)
	}
	return Between(c, low, high)
}

// Len returns the number of events.
func (w *Window) Len() int { return int(w.len) }

// Event returns the event with a number in [0, Len).
//
// The time complexity of Event is O(log n) for n processes.
func (w *Window) Event(number int32) graphs.Event {
	p := sort.Search(len(w.first), func(p int) bool { return w.first[p] > number }) - 1
	return w.Of.Event(p, int(w.Low[p]+number-w.first[p])+1)
}

// Events yields the events of the window in order of their numbers.
func (w *Window) Events(yield func(graphs.Event) bool) {
	for p := range w.Of.NumProcesses() {
		for k := w.Low[p] + 1; k <= w.High[p]; k++ {
			if !yield(w.Of.Event(p, int(k))) {
				return
			}
		}
	}
}

// Number returns the number of e. It returns -1 if e is ⊥ or in Low, and so in every cut of the
// window, and Len if e is in no cut of the window.
func (w *Window) Number(e graphs.Event) int32 {
	p := w.Of.Process(e)
	switch {
	case w.Of.Has(w.Low, e):
		return -1
	case p < 0 || !w.Of.Has(w.High, e):
		return w.len
	}
	return w.first[p] + int32(w.Of.Position(e)) - w.Low[p] - 1
}

// Numbers returns the numbers of events.
func (w *Window) Numbers(events []graphs.Event) []int32 {
	list := []int32{}
	for _, e := range events {
		list = append(list, w.Number(e))
	}
	return list
}

// Inside reports whether e is an event of the window.
func (w *Window) Inside(e graphs.Event) bool {
	n := w.Number(e)
	return 0 <= n && n < w.len
}

// Pairs returns the edges that a set of events in the window can violate, each as two numbers: that
// of the event that is required and that of the event that requires it.
func (w *Window) Pairs(edges []graphs.Edge) []int32 {
	pairs := []int32{}
	for _, e := range edges {
		if from, to := w.Number(e.From), w.Number(e.To); from != -1 && to != w.len {
			pairs = append(pairs, from, to)
		}
	}
	return pairs
}

// Nearest returns cut with the nearest events outside it added or, if add is false, the nearest
// events inside it removed. It adds or removes at most most events: fewer if there are fewer, or if
// a meta-event does not fit.
//
// The time complexity of Nearest is O(|V|+|edges|).
func Nearest(c *graphs.Computation, cut graphs.Cut, most int, add bool) graphs.Cut {
	result := cut.Clone()
	// the steps that can be added or removed, each after its nearer causes
	var steps [][]graphs.Event
	for step := range c.Steps() {
		e := step[0]
		if c.Has(cut, e) != add && c.Has(c.Final(), e) && !c.Has(c.Initial(), e) {
			steps = append(steps, step)
		}
	}
	if !add {
		slices.Reverse(steps)
	}
	// the length of the longest path to each event; 0 for events that are not in steps
	level := make([]int32, c.Top()+1)
	by := int32(-1)
	if add {
		by = 1
	}
	// nearest has the steps of each level, by their places. No level is empty, since a longer path
	// passes through each lower level.
	var nearest [][]int32
	for i, step := range steps {
		far := int32(0)
		for _, e := range step {
			next, others := e-graphs.Event(by), c.Preds(e)
			if !add {
				others = c.Succs(e)
			}
			if c.Process(next) == c.Process(e) {
				far = max(far, level[next])
			}
			for _, f := range others {
				far = max(far, level[f])
			}
		}
		for _, e := range step {
			level[e] = far + 1
		}
		if int(far) == len(nearest) {
			nearest = append(nearest, nil)
		}
		nearest[far] = append(nearest[far], int32(i))
	}
	for _, i := range slices.Concat(nearest...) {
		step := steps[i]
		if most -= len(step); most < 0 {
			break
		}
		for _, e := range step {
			result[c.Process(e)] += by
		}
	}
	return result
}
