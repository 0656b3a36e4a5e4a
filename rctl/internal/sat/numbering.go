package sat

import (
	"cmp"
	"context"

	"github.com/pota-project/pota/graphs"
)

// A numbering numbers the events where a formula turns, and says how happened-before
// relates them. The events of one meta-event have one number.
//
// For example, let P have the events p1 and p2, and Q have q1, q2 and q3, let P send at
// p1 what Q receives at q2, and let the formula turn at p1 and q3. Only these two get
// numbers, p1 is 1 and q3 is 2. The last numbered event before q2 is p1, and so it is
// before q3: a cut with number 2 has number 1. The clauses need nothing else of the
// five events.
//
//	(1) only events after the initial cut and within the final one are numbered
//	(2) two numbered events are related by happened-before exactly if a path of
//	    implied leads from the number of the later to that of the earlier
type numbering struct {
	comp    *graphs.Computation
	number  []int32        // by event, 0 if it has none
	events  []graphs.Event // by number, from 1: one of the events that have it
	implied [][2]int32     // pairs of numbers: a cut that has the first has the second
	first   []int32        // the numbers that imply no other
}

// newNumbering numbers events, given in any order. The frontier of an event has the last numbered
// events before it, one of each process. A numbered event implies its frontier, and then takes its
// place in the frontiers of what follows. The error is ctx's own.
//
// The time complexity of newNumbering is O(|V| + |edges|·f), where f is the size of a frontier.
func newNumbering(ctx context.Context, c *graphs.Computation, events []graphs.Event) (*numbering, error) {
	n := &numbering{comp: c, number: make([]int32, c.NumEvents()+2), events: []graphs.Event{graphs.Bottom}}
	for _, e := range events {
		if c.Has(c.Initial(), e) || !c.Has(c.Final(), e) {
			continue
		}
		for _, m := range c.Step(e) {
			n.number[m] = -1 // wanted
		}
	}
	w := &walk{numbering: n, last: make([]frontier, c.NumProcesses()), sent: make(map[graphs.Event]*sentFrontier)}
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
	return n, nil
}

// A frontier is a set of numbers with the processes of their events, by process.
// Frontiers are immutable.
type frontier []numbered

type numbered struct{ process, number int32 }

// A walk visits the meta-events in an order in which they can happen.
type walk struct {
	*numbering
	last []frontier // after the last event of each process
	sent map[graphs.Event]*sentFrontier
}

// A sentFrontier is kept until all its receivers have been visited.
type sentFrontier struct {
	frontier frontier
	left     int
}

// visit goes on to a meta-event.
func (w *walk) visit(step []graphs.Event) {
	c := w.comp
	var before frontier
	for _, m := range step {
		before = latest(before, w.last[c.Process(m)])
		for _, f := range c.Preds(m) {
			s := w.sent[f]
			if s == nil {
				continue // of the same step, or before the initial cut
			}
			before = latest(before, s.frontier)
			if s.left--; s.left == 0 {
				delete(w.sent, f)
			}
		}
	}
	if w.number[step[0]] != 0 {
		n := int32(len(w.events))
		w.events = append(w.events, step[0])
		if len(before) == 0 {
			w.first = append(w.first, n)
		}
		for _, f := range before {
			w.implied = append(w.implied, [2]int32{n, f.number})
		}
		before = frontier{{int32(c.Process(step[0])), n}}
		for _, m := range step {
			w.number[m] = n
		}
	}
	for _, m := range step {
		w.last[c.Process(m)] = before
		left := 0
		for _, f := range c.Succs(m) {
			if c.Has(c.Final(), f) && !c.SameStep(m, f) {
				left++
			}
		}
		if left > 0 && len(before) > 0 {
			w.sent[m] = &sentFrontier{before, left}
		}
	}
}

// latest joins two frontiers: of each process it keeps the later event.
func latest(a, b frontier) frontier {
	if covers(a, b) {
		return a
	}
	if covers(b, a) {
		return b
	}
	merged := make(frontier, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch d := cmp.Compare(a[0].process, b[0].process); {
		case d < 0:
			merged, a = append(merged, a[0]), a[1:]
		case d > 0:
			merged, b = append(merged, b[0]), b[1:]
		default:
			merged = append(merged, numbered{a[0].process, max(a[0].number, b[0].number)})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(merged, a...), b...)
}

// covers reports whether latest(a, b) is a.
func covers(a, b frontier) bool {
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
func (n *numbering) len() int { return len(n.events) - 1 }
