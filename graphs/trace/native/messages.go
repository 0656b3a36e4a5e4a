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
	symbols symbols.Table
	ends    dense.List[ends]    // by symbol
	more    []receipt           // receives after the first
	to      dense.List[address] // in order of events
	order   dense.List[int32]   // symbols in order of sending, as they are delivered
}

// ends are the send of a message and its first receive, NoHandle while not known.
type ends struct{ send, receive graphs.Handle }

// A receipt is a receive of a multicast message, after its first.
type receipt struct {
	message int32
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
	for m.ends.Len() < m.symbols.Len() {
		m.ends.Add(ends{graphs.NoHandle, graphs.NoHandle})
	}
}

// send notes that h sends the message with symbol s and that id.
func (m *messages) send(h graphs.Handle, s int32, id []byte) error {
	// The id is checked before it is counted, so an error leaves the message unsent.
	if len(id) == 0 {
		return admission.NoMessageID.Broken()
	}
	e := m.ends.At(int(s))
	if e.send != graphs.NoHandle {
		return admission.SentTwice.Broken(id)
	}
	e.send = h
	m.order.Add(s)
	return nil
}

// receive notes that h receives the message with symbol s and that id.
func (m *messages) receive(h graphs.Handle, s int32, id []byte) error {
	if len(id) == 0 {
		return admission.NoMessageID.Broken()
	}
	// Nearly all messages have one receive; only others cost an entry in more.
	if e := m.ends.At(int(s)); e.receive == graphs.NoHandle {
		e.receive = h
	} else {
		m.more = append(m.more, receipt{s, h})
	}
	return nil
}

// address notes where the messages of h go that are never received.
func (m *messages) address(h graphs.Handle, process int32) {
	m.to.Add(address{h, process})
}

// resolve adds the messages to the Builder in order of sending.
func (m *messages) resolve(r *resolver, names bool) {
	// Every message that is mentioned is received or sent, so one without a send has a receive.
	for s, e := range m.ends.All() {
		if e.send == graphs.NoHandle {
			id := m.symbols.At(int32(s))
			r.refuse(r.places.of(e.receive), text(opRecv, id), admission.NeverSent.Broken(id, r.lost))
		}
	}
	for _, a := range m.to.All() { // a receiver without a line executes nothing
		if n := &r.processes.numbers[a.process]; *n < 0 {
			*n = int32(r.builder.NewProcess(string(r.processes.symbols.At(a.process))))
		}
	}
	// Stable, so that receives of a message stay in the order of the trace.
	sort.SliceStable(m.more, func(i, j int) bool { return m.more[i].message < m.more[j].message })
	m.checkReceivers(r)
	if r.fault != nil {
		return
	}

	// The exact number is known here: no growth, no copy.
	r.builder.GrowMessages(m.order.Len() + len(m.more))
	for _, s := range m.order.All() {
		name := ""
		if names {
			name = string(m.symbols.At(*s))
		}
		index := r.builder.NewMessage(name)
		e := m.ends.At(int(*s))
		if e.receive == graphs.NoHandle {
			r.builder.Deliver(index, e.send, graphs.NoHandle, m.receiver(r, e.send))
			continue
		}
		r.builder.Deliver(index, e.send, e.receive, 0)
		for _, other := range m.others(*s) {
			r.builder.Deliver(index, e.send, other.event, 0)
		}
	}
}

// others returns the receives of a message after the first, once more is sorted.
func (m *messages) others(s int32) []receipt {
	if len(m.more) == 0 {
		return nil
	}
	// more is sorted by message, so the receives of one are a stretch of it.
	i := sort.Search(len(m.more), func(i int) bool { return m.more[i].message >= s })
	n := i
	for n < len(m.more) && m.more[n].message == s {
		n++
	}
	return m.more[i:n]
}

// checkReceivers refuses a message that one process receives twice.
func (m *messages) checkReceivers(r *resolver) {
	// Marks are positions in more, so the slice need not be cleared between messages.
	seen := make([]int, len(r.builder.Processes())) // i+1 where more[i:] began the message last received
	for i := 0; i < len(m.more); {
		s := m.more[i].message
		mark := i + 1
		seen[r.builder.ProcessOf(m.ends.At(int(s)).receive)] = mark
		for ; i < len(m.more) && m.more[i].message == s; i++ {
			h := m.more[i].event
			p := r.builder.ProcessOf(h)
			if seen[p] == mark {
				id := m.symbols.At(s)
				r.refuse(r.places.of(h), text(opRecv, id), admission.ReceivedTwice.Broken(r.builder.Processes()[p], id))
			}
			seen[p] = mark
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
