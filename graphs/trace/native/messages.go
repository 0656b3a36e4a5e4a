package native

import (
	"sort"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/admission"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/graphs/trace/internal/symbols"
)

// messages matches sends and receives.
type messages struct {
	symbols  symbols.Table
	sends    dense.List[graphs.Handle] // the send of each symbol; NoHandle while unknown
	receives dense.List[receipt]
	to       dense.List[address] // the receivers that events name by "to", in the order of events
	order    dense.List[int32]   // the symbols in the order of sending
}

// A receipt is a receive of a message.
type receipt struct {
	message int32 // symbol
	event   graphs.Handle
}

// An address is the "to" of an event.
type address struct {
	event   graphs.Handle
	process int32 // symbol
}

// ofLines looks up the symbols of the messages of a chunk, and stores them in its ops. For many
// messages, one pass over a chunk is faster than single lookups.
func (m *messages) ofLines(c *chunk) {
	// The field name of sends and receives is not used otherwise.
	for i := range c.ops {
		if o := &c.ops[i]; o.kind == opSend || o.kind == opRecv {
			o.name = m.symbols.Intern(c.str(o.bits))
		}
	}
	for m.sends.Len() < m.symbols.Len() {
		m.sends.Add(graphs.NoHandle)
	}
}

// send records that h sends the message with symbol s and that id.
func (m *messages) send(h graphs.Handle, s int32, id []byte) error {
	// Check the id first, so that an error leaves the message unsent.
	if len(id) == 0 {
		return admission.NoMessageID.Broken()
	}
	send := m.sends.At(int(s))
	if *send != graphs.NoHandle {
		return admission.SentTwice.Broken(id)
	}
	*send = h
	m.order.Add(s)
	return nil
}

// receive records that h receives the message with symbol s and that id.
func (m *messages) receive(h graphs.Handle, s int32, id []byte) error {
	if len(id) == 0 {
		return admission.NoMessageID.Broken()
	}
	m.receives.Add(receipt{s, h})
	return nil
}

// address records the receiver of those messages of h that are never received.
func (m *messages) address(h graphs.Handle, process int32) {
	m.to.Add(address{h, process})
}

// resolve adds the messages to the Builder in order of sending.
func (m *messages) resolve(r *resolver, names bool) {
	receivers := dense.Group(m.sends.Len(), func(add func(int, graphs.Handle)) {
		for _, x := range m.receives.All() {
			add(int(x.message), x.event)
		}
	})
	deliveries := m.receives.Len()
	for s, send := range m.sends.All() {
		all := receivers.Row(s)
		if len(all) == 0 {
			deliveries++ // the message is never received
		} else if *send == graphs.NoHandle {
			id := m.symbols.At(int32(s))
			r.refuseEvent(all[0], opRecv, id, admission.NeverSent.Broken(id, r.why))
		}
	}
	for _, a := range m.to.All() { // a receiver without a line is a process without events
		if n := &r.processes.numbers[a.process]; *n < 0 {
			*n = int32(r.builder.NewProcess(string(r.processes.symbols.At(a.process))))
		}
	}
	r.twice(&receivers, func(s int, process string, h graphs.Handle) {
		id := m.symbols.At(int32(s))
		r.refuseEvent(h, opRecv, id, admission.ReceivedTwice.Broken(process, id))
	})
	if r.fault != nil {
		return
	}

	r.builder.GrowMessages(deliveries)
	for _, s := range m.order.All() {
		name := ""
		if names {
			name = string(m.symbols.At(*s))
		}
		index := r.builder.NewMessage(name)
		send := *m.sends.At(int(*s))
		all := receivers.Row(int(*s))
		for _, h := range all {
			r.builder.Deliver(index, send, h, 0)
		}
		if len(all) == 0 {
			r.builder.Deliver(index, send, graphs.NoHandle, m.receiver(r, send))
		}
	}
}

// receiver returns the process that event h names as its receiver, or -1 if it names none.
func (m *messages) receiver(r *resolver, h graphs.Handle) int {
	// Addresses are in the order of events, so a binary search finds them.
	i := sort.Search(m.to.Len(), func(i int) bool { return m.to.At(i).event >= h })
	if i < m.to.Len() && m.to.At(i).event == h {
		return int(r.processes.numbers[m.to.At(i).process])
	}
	return -1
}

// syncs groups the events that happen together.
type syncs struct {
	symbols symbols.Table
	members []member
}

// A member is an event that joins a group.
type member struct {
	group int32 // the symbol of the sync id
	event graphs.Handle
}

// join records that event h joins the group of an id.
func (s *syncs) join(h graphs.Handle, id []byte) error {
	g := s.symbols.Intern(id)
	if n := len(s.members); n > 0 && s.members[n-1] == (member{g, h}) {
		return admission.JoinedTwice.Broken(id)
	}
	s.members = append(s.members, member{g, h})
	return nil
}

// resolve adds a sync for each group, in the order of the groups.
func (s *syncs) resolve(r *resolver) {
	groups := dense.Group(s.symbols.Len(), func(add func(int, graphs.Handle)) {
		for _, m := range s.members {
			add(int(m.group), m.event)
		}
	})
	r.twice(&groups, func(g int, process string, h graphs.Handle) {
		id := s.symbols.At(int32(g))
		r.refuseEvent(h, opSync, id, admission.JoinedByTwo.Broken(process, id))
	})
	if r.fault != nil {
		return
	}
	for g := range groups.Len() {
		r.builder.Sync(groups.Row(g)...)
	}
}
