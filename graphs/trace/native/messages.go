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
	to       dense.List[address] // receivers, in the order of events
	order    dense.List[int32]   // symbols in order of sending, as they are delivered
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

// ofLines finds the symbols of the messages of a chunk, and leaves them in its ops: of many
// messages that is faster for many at a time.
func (m *messages) ofLines(c *chunk) {
	// Symbols of ids replace names in the ops of sends and receives.
	for i := range c.ops {
		if o := &c.ops[i]; o.kind == opSend || o.kind == opRecv {
			o.name = m.symbols.Intern(c.str(o.bits))
		}
	}
	for m.sends.Len() < m.symbols.Len() {
		m.sends.Add(graphs.NoHandle)
	}
}

// send notes that h sends the message with symbol s and that id.
func (m *messages) send(h graphs.Handle, s int32, id []byte) error {
	// The id is checked before it is counted, so an error leaves the message unsent.
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

// receive notes that h receives the message with symbol s and that id.
func (m *messages) receive(h graphs.Handle, s int32, id []byte) error {
	if len(id) == 0 {
		return admission.NoMessageID.Broken()
	}
	m.receives.Add(receipt{s, h})
	return nil
}

// address notes where the messages of h go that are never received.
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
	for s, send := range m.sends.All() {
		all := receivers.Row(s)
		if len(all) > 0 && *send == graphs.NoHandle {
			id := m.symbols.At(int32(s))
			r.refuseEvent(all[0], opRecv, id, admission.NeverSent.Broken(id, r.why))
		}
	}
	for _, a := range m.to.All() { // a receiver without a line executes nothing
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

// receiver returns the process that the event sends to, -1 when it does not say.
func (m *messages) receiver(r *resolver, h graphs.Handle) int {
	// Addresses are added in the order of events, so a binary search finds them.
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
	group int32 // symbol of the sync id
	event graphs.Handle
}

// join notes that event h joins the group of an id.
func (s *syncs) join(h graphs.Handle, id []byte) error {
	g := s.symbols.Intern(id)
	if n := len(s.members); n > 0 && s.members[n-1] == (member{g, h}) {
		return admission.JoinedTwice.Broken(id)
	}
	s.members = append(s.members, member{g, h})
	return nil
}

// resolve ties the events of each group, in order of the groups.
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
