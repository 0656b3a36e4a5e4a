package rctl

import (
	"cmp"
	"context"
	"slices"

	"github.com/pota-project/pota/graphs"
)

// A satOrders numbers the events on which the truth of a formula hangs, and says
// how happened-before relates them. The events of one meta-event have one number.
//
//	(1) only events after the least cut and within the greatest are numbered
//	(2) two numbered events are related by happened-before exactly if a path of
//	    implied leads from the number of the later to that of the earlier
type satOrders struct {
	comp    *graphs.Computation
	number  []int32        // of each event, 0 where it has none
	events  []graphs.Event // one of each number, from 1
	implied [][2]int32     // a cut that has the first has the second
	first   []int32        // that imply none
}

// newSatOrders numbers events, which may be any and in any order. What is known
// at an event are the last numbered events before it, one of each process: its
// front. A numbered event is related to its front and is a front of its own for
// what follows. The error is that of ctx.
//
// The time complexity of newSatOrders is O(|V| + |edges|·front), where front is
// the number of events in one.
func newSatOrders(ctx context.Context, c *graphs.Computation, events []graphs.Event) (*satOrders, error) {
	o := &satOrders{comp: c, number: make([]int32, c.NumEvents()+2), events: []graphs.Event{graphs.Bottom}}
	for _, e := range events {
		if c.Has(c.Initial(), e) || !c.Has(c.Final(), e) {
			continue
		}
		for _, m := range c.Step(e) {
			o.number[m] = -1 // wanted
		}
	}
	w := &frontWalk{satOrders: o, last: make([]satFront, c.NumProcesses()), sent: make(map[graphs.Event]*sentFront)}
	for i, e := range c.Topological(c.Initial(), c.Final()) {
		if i&0xfff == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		if step := c.Step(e); step[0] == e {
			w.visit(step)
		}
	}
	return o, nil
}

// A satFront is a set of numbers with the processes of their events, by process.
// Fronts are immutable.
type satFront []frontEvent

type frontEvent struct{ process, number int32 }

type frontWalk struct {
	*satOrders
	last []satFront // after the last event of each process
	sent map[graphs.Event]*sentFront
}

// sentFront is kept until all that it was sent to have been visited.
type sentFront struct {
	front satFront
	left  int
}

// visit goes on to a meta-event.
func (w *frontWalk) visit(step []graphs.Event) {
	c := w.comp
	var front satFront
	for _, m := range step {
		front = mergeFronts(front, w.last[c.Process(m)])
		for _, f := range c.Preds(m) {
			s := w.sent[f]
			if s == nil {
				continue // of the same step, or before the least cut
			}
			front = mergeFronts(front, s.front)
			if s.left--; s.left == 0 {
				delete(w.sent, f)
			}
		}
	}
	if w.number[step[0]] != 0 {
		n := int32(len(w.events))
		w.events = append(w.events, step[0])
		if len(front) == 0 {
			w.first = append(w.first, n)
		}
		for _, f := range front {
			w.implied = append(w.implied, [2]int32{n, f.number})
		}
		front = satFront{{int32(c.Process(step[0])), n}}
		for _, m := range step {
			w.number[m] = n
		}
	}
	for _, m := range step {
		w.last[c.Process(m)] = front
		left := 0
		for _, f := range c.Succs(m) {
			if c.Has(c.Final(), f) && !c.SameStep(m, f) {
				left++
			}
		}
		if left > 0 && len(front) > 0 {
			w.sent[m] = &sentFront{front, left}
		}
	}
}

// mergeFronts returns the later ones of the events of two fronts.
func mergeFronts(a, b satFront) satFront {
	if covers(a, b) {
		return a
	}
	if covers(b, a) {
		return b
	}
	merged := make(satFront, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch d := cmp.Compare(a[0].process, b[0].process); {
		case d < 0:
			merged, a = append(merged, a[0]), a[1:]
		case d > 0:
			merged, b = append(merged, b[0]), b[1:]
		default:
			merged = append(merged, frontEvent{a[0].process, max(a[0].number, b[0].number)})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(merged, a...), b...)
}

// covers reports whether merging b into a changes nothing.
func covers(a, b satFront) bool {
	for _, f := range b {
		for len(a) > 0 && a[0].process < f.process {
			a = a[1:]
		}
		if len(a) == 0 || a[0].process != f.process || a[0].number < f.number {
			return false
		}
	}
	return true
}

// len returns how many numbers there are.
func (o *satOrders) len() int { return len(o.events) - 1 }

func (o *satOrders) bytes() int64 {
	return 4*int64(len(o.number)) + 4*int64(len(o.events)) + 8*int64(len(o.implied))
}

// cut returns the least cut with the events of some numbers.
func (o *satOrders) cut(in func(number int32) bool) graphs.Cut {
	var events []graphs.Event
	for n := int32(1); n < int32(len(o.events)); n++ {
		if in(n) {
			events = append(events, o.events[n])
		}
	}
	cut, _ := o.comp.Above(o.comp.Initial(), events...)
	return cut
}

// generators returns numbers of events that the cut has and that need each other
// not, such that every cut with them all has the numbered events that cut has.
func (o *satOrders) generators(cut graphs.Cut) []int32 {
	needed := make([]bool, len(o.events))
	for _, i := range o.implied {
		if o.comp.Has(cut, o.events[i[0]]) {
			needed[i[1]] = true
		}
	}
	var list []int32
	for n := int32(1); n < int32(len(o.events)); n++ {
		if o.comp.Has(cut, o.events[n]) && !needed[n] {
			list = append(list, n)
		}
	}
	slices.Reverse(list)
	return list
}
