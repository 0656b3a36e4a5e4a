package stream

import (
	"slices"
	"sort"
)

// A clock counts, by process, the events that happened before an event; entries beyond its length
// are 0. It never changes once a process has it. The entry of the process itself may be too low:
// events that know nothing new share the clock of those before them.
type clock []int64

// of returns the count of process p.
func (c clock) of(p int32) int64 {
	if int(p) < len(c) {
		return c[p]
	}
	return 0
}

// join raises c to d, entry by entry. Both are equally long.
func (c clock) join(d clock) {
	for p, k := range d {
		if k > c[p] {
			c[p] = k
		}
	}
}

// same reports whether c and d are one clock, not only equal.
func (c clock) same(d clock) bool {
	return len(c) == len(d) && (len(c) == 0 || &c[0] == &d[0])
}

// A turn is a change of the clock of a process: from the event at that position on.
type turn struct {
	pos   int64
	clock clock
}

// history has the clocks of a process; those of old events may be forgotten.
type history struct {
	turns []turn
	// whether clocks before the first turn have been forgotten, rather than being empty
	forgotten bool
}

// at returns the clock of the event at a position. It returns ok = false if the clock is forgotten.
func (h *history) at(pos int64) (c clock, ok bool) {
	i := sort.Search(len(h.turns), func(i int) bool { return h.turns[i].pos > pos })
	if i > 0 {
		return h.turns[i-1].clock, true
	}
	return nil, !h.forgotten
}

// forget forgets the clocks of events before a position, and all but the given number of last turns.
func (h *history) forget(pos int64, last int) {
	i := sort.Search(len(h.turns), func(i int) bool { return h.turns[i].pos > pos }) - 1
	if i = max(i, len(h.turns)-last); i > 0 {
		h.forgotten = true
		h.turns = slices.Delete(h.turns, 0, i)
	}
}
