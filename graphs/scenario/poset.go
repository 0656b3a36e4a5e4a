package scenario

import "slices"

// Phase orders the parts of one event: it receives, acts and sends.
type Phase uint8

// The phases of an event.
const (
	Call Phase = iota // the send of a message that is received in the same step
	Receive
	Act
	Send
)

// An Occurrence is a send, a receive or an action of the trace.
type Occurrence struct {
	Process  int32 // the index among the processes that take part, from 0
	Position int32 // the position on its process, from 1; occurrences of one event may share it
	Step     int32 // the step; events of one step happen together
	Phase    Phase
	Message  int32   // the message number
	Arrows   []int32 // the arrows that it can stand for
	Clock    []int32 // by process: the last position that happened before the step of the event
}

// before reports whether a happened before b, or in the same step and not in a later phase.
func before(a, b *Occurrence) bool {
	return a.Position <= b.Clock[a.Process] || a.Step == b.Step && a.Phase <= b.Phase
}

// strictly reports whether a happened before b.
func strictly(a, b *Occurrence) bool {
	return a.Position <= b.Clock[a.Process] || a.Step == b.Step && a.Phase < b.Phase
}

// A Poset is the part of a trace to compare, partially ordered by happened-before.
//
// Example: A sends x to B. That is a Send of process 0 at position 1 with clock [0 0], and a Receive
// of process 1 at position 1 with clock [1 0], both of message 0.
type Poset struct {
	Occurrences []Occurrence // in a possible order; those of one event and phase are adjacent
	// Holds reports whether a note holds at some moment after the first k occurrences of each
	// process and before the next ones. It is called only for notes with an assertion.
	Holds func(note int, counts []int32) bool
	// Processes is the set of lifelines of each process that takes part.
	Processes []uint64
}

// A layout is a poset with indexes for the search. A cut counts the occurrences of each track, so
// it is k numbers for k tracks.
//
// A track is a chain of occurrences. The occurrences of one event in one phase are not ordered, so
// a process may have several tracks: an event that sends x and y to two processes makes two, one
// for x and one for y.
type layout struct {
	*Poset
	tracks [][]int32
	at     []spot          // by occurrence: its place
	sends  map[int32]int32 // the occurrence that sends a message
	on     []uint64        // by occurrence: its lifelines
	noted  uint64          // the lifelines with notes: everything on their processes may matter
	total  uint64          // the lifelines whose occurrences are totally ordered
}

// A spot is the place of an occurrence: a track, and an index in it.
type spot struct{ track, index int32 }

// layoutOf computes the indexes in time O(n·k) for n occurrences in k tracks.
func layoutOf(t *table, p *Poset) *layout {
	l := &layout{Poset: p, sends: make(map[int32]int32), total: ^uint64(0)}
	for i, n := range t.scenario.Notes {
		if t.asserted(int32(i)) {
			l.noted |= 1 << n.Lifeline
		}
	}
	last := make(map[int]*Occurrence) // the last occurrence of each lifeline
	for i := range p.Occurrences {
		o := &p.Occurrences[i]
		n := slices.IndexFunc(l.tracks, func(track []int32) bool {
			last := &p.Occurrences[track[len(track)-1]]
			return last.Process == o.Process && strictly(last, o)
		})
		if n < 0 {
			n = len(l.tracks)
			l.tracks = append(l.tracks, nil)
		}
		l.at = append(l.at, spot{int32(n), int32(len(l.tracks[n]))})
		l.tracks[n] = append(l.tracks[n], int32(i))

		if o.Phase == Send || o.Phase == Call {
			l.sends[o.Message] = int32(i)
		}
		lanes := uint64(0)
		for _, a := range o.Arrows {
			if o.Phase == Receive {
				lanes |= t.lanes(t.scenario.Arrows[a].To)
			} else {
				lanes |= t.lanes(t.scenario.Arrows[a].From)
			}
		}
		l.on = append(l.on, lanes)
		for _, lane := range lifelines(l.orders(int32(i))) {
			if last[lane] != nil && !strictly(last[lane], o) {
				l.total &^= 1 << lane
			}
			last[lane] = o
		}
	}
	return l
}

// orders returns the lifelines that order an occurrence: its own, and those of its process with
// notes.
func (l *layout) orders(i int32) uint64 {
	return l.on[i] | l.Processes[l.Occurrences[i].Process]&l.noted
}

// fits reports whether an occurrence can stand for the arrow or receive n.
func (l *layout) fits(i int32, n *node) bool {
	o := &l.Occurrences[i]
	switch n.op {
	case opArrow:
		return o.Phase != Receive && slices.Contains(o.Arrows, n.n)
	case opReceive:
		return o.Phase == Receive && o.Message == n.m
	}
	return false
}
