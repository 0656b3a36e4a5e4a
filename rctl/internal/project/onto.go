package project

import (
	"slices"

	"github.com/pota-project/pota/graphs"
)

// Onto returns the computation of some events of c, in the order of their numbers, for people: with
// all processes, with the happened-before of the whole, and with all that the trace has on the events:
// their ids, labels, times and places, the messages between them, and what they themselves assign. A
// variable keeps the value of the last of these events that assigns it, whatever others did since.
//
// The time complexity of Onto is that of New, plus O(assignments·log k) for k events.
func Onto(c *graphs.Computation, events []graphs.Event) (*graphs.Computation, error) {
	s := &view{comp: c, events: events}
	if len(events)*c.NumProcesses() <= maxReduced && !c.Cyclic() {
		s.before = make([][]int32, len(events))
		for i := range events {
			s.before[i] = slices.Repeat([]int32{-1}, c.NumProcesses())
		}
	}
	b := s.frame()
	for _, e := range s.edges {
		from := int32(e[0])
		q := s.comp.Process(s.events[from])
		// An arrow that only repeats a path would hide it.
		implied := slices.ContainsFunc(s.before[e[1]], func(by int32) bool {
			return by >= 0 && by != from && by != int32(e[1]) && s.before[by][q] >= from
		})
		if !implied {
			b.Order(e[0], e[1])
		}
	}
	for i, e := range events {
		h := graphs.Handle(i)
		b.SetID(h, []byte(c.ID(e)))
		if text := c.Label(e); text != "" {
			b.SetLabel(h, text)
		}
		b.SetTime(h, c.Time(e))
		b.SetPlace(h, c.Place(e))
	}
	for _, v := range c.Variables() {
		// Values that were not read cannot be kept, and no formula here asks for them.
		if !v.Skipped() {
			w := b.Variable(v.Process, v.Name)
			b.Init(w, v.Init)
			s.own(b, v, w)
		}
	}
	s.pass(b)
	b.SetLowerBound(c.LowerBound())
	return b.Build()
}

// maxReduced bounds the events times processes for which implied edges are left out. Nobody reads
// larger pictures edge by edge.
const maxReduced = 1 << 20

// pass adds the messages whose ends are both among the events, with their names.
func (s *view) pass(b *graphs.Builder) {
	c := s.comp
	number, sent := int32(0), int32(-1) // the numbers of the last message added, here and in c
	for _, m := range c.Messages() {
		from, to := s.handle(m.Send), s.handle(m.Recv)
		if from == graphs.NoHandle || m.Recv != graphs.Bottom && to == graphs.NoHandle {
			continue
		}
		// A message with several receivers is sent once.
		if m.Index != sent {
			name := ""
			if c.HasMessageNames() { // others are made up
				name = c.MessageName(m.Index)
			}
			number, sent = b.NewMessage(name), m.Index
		}
		b.Deliver(number, from, to, int(m.To))
	}
}
