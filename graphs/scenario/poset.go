package scenario

import (
	"slices"
)

// Phase orders what one event does: it receives, acts and sends.
type Phase uint8

// The phases of an event.
const (
	Call Phase = iota // the send of a message that the event itself receives
	Receive
	Act
	Send
)

// An Occurrence is a send, a receive or an action of the trace.
type Occurrence struct {
	Process  int32 // of those that take part, from 0
	Position int32 // of the event on its process, from 1
	Step     int32 // events of one step happen together
	Phase    Phase
	Message  int32 // its number, -1 for an action
	Class    int32
	Clock    []int32 // by process: the last position that happened before the step of the event
}

// before reports whether a happened before b or, as far as that is not ordered, together with it.
func before(a, b *Occurrence) bool {
	return a.Position <= b.Clock[a.Process] || a.Step == b.Step && a.Phase <= b.Phase
}

// strictly reports whether a happened before b.
func strictly(a, b *Occurrence) bool {
	return a.Position <= b.Clock[a.Process] || a.Step == b.Step && a.Phase < b.Phase
}

// A Class says what arrows an occurrence can stand for.
type Class struct {
	Arrows []int32
	Lanes  uint64 // lifelines of an occurrence that stands for none, and should not be there
}

// A Poset is the part of a trace to compare, partially ordered by happened-before.
//
// Example: A sends x to B. That is a Send of process 0 at position 1 with clock [0 0], and a Receive
// of process 1 at position 1 with clock [1 0], both of message 0.
type Poset struct {
	Occurrences []Occurrence // in a possible order
	Classes     []Class
	// Holds reports whether a note holds at some moment after the first k occurrences of each process
	// and before the next ones. It is only asked for notes that assert something.
	Holds func(note int, counts []int32) bool
	// Processes is how many take part.
	Processes int
}

// A layout is a poset with indexes for the search. Its cuts count the occurrences of each track, so a
// cut takes k numbers for k tracks.
type layout struct {
	*Poset
	tracks []track
	at     []spot          // by occurrence
	sends  map[int32]int32 // the occurrence that sends a message
	lanes  []uint64        // by occurrence
	total  uint64          // lifelines with occurrences that are totally ordered
}

// A track is a chain of occurrences. What one event does in one phase has no order, so a process may
// have several tracks: one event that sends x and y to two processes makes two, x first on one and y
// first on the other.
type track struct {
	process int32
	members []int32
}

// A spot is the place of an occurrence in its track.
type spot struct{ track, index int32 }

// layoutOf works out what the search asks for, in time O(n) for n occurrences.
func layoutOf(s *Scenario, p *Poset) *layout {
	l := &layout{
		Poset: p,
		at:    make([]spot, len(p.Occurrences)),
		sends: make(map[int32]int32),
		lanes: make([]uint64, len(p.Occurrences)),
		total: ^uint64(0),
	}
	l.findTracks()
	last := make(map[int]*Occurrence) // of each lifeline
	for i := range p.Occurrences {
		o := &p.Occurrences[i]
		if o.Phase == Send || o.Phase == Call {
			l.sends[o.Message] = int32(i)
		}
		l.lanes[i] = p.Classes[o.Class].Lanes
		for _, a := range p.Classes[o.Class].Arrows {
			if o.Phase == Receive {
				l.lanes[i] |= bit(s.Arrows[a].To)
			} else {
				l.lanes[i] |= bit(s.Arrows[a].From)
			}
		}
		for _, lane := range lifelines(l.lanes[i]) {
			if last[lane] != nil && !strictly(last[lane], o) {
				l.total &^= bit(lane)
			}
			last[lane] = o
		}
	}
	return l
}

// findTracks puts each occurrence into a track: of several that one event has in one phase, the i-th
// goes into the i-th track of the process. It takes time O(n).
func (l *layout) findTracks() {
	of := make(map[[2]int32]int32)   // by process and number among siblings
	last := make(map[int32][2]int32) // the last occurrence of a process, and its number
	for i, o := range l.Occurrences {
		sibling := int32(0)
		if prev, ok := last[o.Process]; ok {
			if p := l.Occurrences[prev[0]]; p.Position == o.Position && p.Phase == o.Phase {
				sibling = prev[1] + 1
			}
		}
		last[o.Process] = [2]int32{int32(i), sibling}
		key := [2]int32{o.Process, sibling}
		t, ok := of[key]
		if !ok {
			t = int32(len(l.tracks))
			of[key] = t
			l.tracks = append(l.tracks, track{process: o.Process})
		}
		l.at[i] = spot{t, int32(len(l.tracks[t].members))}
		l.tracks[t].members = append(l.tracks[t].members, int32(i))
	}
}

// stands reports whether an occurrence can stand for an arrow.
func (l *layout) stands(i, arrow int32) bool {
	return slices.Contains(l.Classes[l.Occurrences[i].Class].Arrows, arrow)
}
