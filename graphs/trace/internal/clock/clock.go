// Package clock turns vector clocks into few causal edges.
//
// # Definitions
//
// The clock of event k of process p has a count for some processes; entry q = c says that the c-th
// event of q happened before the event. The naive translation is one edge for each entry. An entry
// is kept unless
//
//	(1) it did not advance: an earlier clock of p has an entry q >= c, or
//	(2) it is implied by a kept entry r = d of the same clock: some clock of r up
//	    to its d-th event has an entry q >= c.
//
// The dropped entries follow from the kept ones and process order, by induction over
// happened-before, so the transitive closure is the same. If the naive edges have a cycle, so have
// the kept ones. Otherwise some strongly connected component of the naive graph has an event into
// which neither a kept edge nor process order leads from inside. A naive edge from inside leads
// into it, which was dropped. If that was by (1), the earlier event of its process is inside; if it
// was by (2), the event of the kept entry is: a contradiction either way.
package clock

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"github.com/pota-project/pota/graphs"
)

// Clocks collects the entries of all clocks of a trace. The caller identifies processes by numbers
// of its choice. The zero value is ready to use.
type Clocks struct {
	entries []entry // the entries that advanced; those of one event are adjacent
	history map[pair][]mark
}

type entry struct {
	event    graphs.Handle
	q, count int32
}

type pair struct{ p, q int32 }

// A mark says that from position on, a process knows of count events of another.
type mark struct{ position, count int32 }

// Add adds entry q = count of the clock of an event at a position of p. The events of one process
// must be added in their order, and all entries of one event together. Add returns the previous
// entry for q on p. If that is greater, the clock runs backwards, and nothing is added.
func (c *Clocks) Add(event graphs.Handle, p, position, q, count int32) (previous int32) {
	key := pair{p, q}
	marks := c.history[key]
	if len(marks) > 0 {
		previous = marks[len(marks)-1].count
	}
	if count <= previous {
		return previous
	}
	if c.history == nil {
		c.history = make(map[pair][]mark)
	}
	c.history[key] = append(marks, mark{position, count})
	c.entries = append(c.entries, entry{event, q, count})
	return previous
}

// All calls f for each entry that advanced, in the order of addition.
func (c *Clocks) All(f func(event graphs.Handle, q, count int32)) {
	for _, e := range c.entries {
		f(e.event, e.q, e.count)
	}
}

// Edges calls f for each entry that is kept; c must not be used afterwards.
//
// The time complexity of Edges is O(entries·log(entries)·(1+kept entries of one
// event)).
func (c *Clocks) Edges(f func(event graphs.Handle, q, count int32)) {
	for len(c.entries) > 0 {
		n := 1
		for n < len(c.entries) && c.entries[n].event == c.entries[0].event {
			n++
		}
		c.reduce(c.entries[:n], f)
		c.entries = c.entries[n:]
	}
}

// reduce keeps a greatest entry, drops all entries that it implies, and repeats this with the
// remaining ones.
func (c *Clocks) reduce(rest []entry, f func(event graphs.Handle, q, count int32)) {
	for len(rest) > 0 {
		greatest := 0
		for i := 1; i < len(rest); i++ {
			if c.implies(rest[i], rest[greatest]) {
				greatest = i
			}
		}
		kept := rest[greatest]
		f(kept.event, kept.q, kept.count)
		n := 0
		for i, e := range rest {
			if i != greatest && !c.implies(kept, e) {
				rest[n] = e
				n++
			}
		}
		rest = rest[:n]
	}
}

// implies reports whether the event that e names knows of the event that f names.
func (c *Clocks) implies(e, f entry) bool {
	marks := c.history[pair{e.q, f.q}]
	i := sort.Search(len(marks), func(i int) bool { return marks[i].position > e.count })
	return i > 0 && marks[i-1].count >= f.count
}

// Sort sorts the events of a process by the entries of their clocks for the process itself. These
// must be 1, 2, 3, …: Sort returns the index of the first event whose entry is another, and the
// mistake, or "".
func Sort[E any](events []E, own func(e E) int64, process string) (at int, wrong string) {
	slices.SortStableFunc(events, func(e, f E) int { return cmp.Compare(own(e), own(f)) })
	for i, e := range events {
		switch k, want := own(e), int64(i)+1; {
		case k < want:
			return i, fmt.Sprintf("two events of %q have %d as their own entry", process, k)
		case k > want:
			return i, fmt.Sprintf("an event of %q has %d as its own entry, but there is none with %d", process, k, want)
		}
	}
	return 0, ""
}
