package simulate

import "github.com/pota-project/pota/graphs/record"

var alternatingBit = Model{
	Name:         "alternating-bit",
	Description:  "a sender and a receiver over lossy channels",
	MinProcesses: 2,
	MaxProcesses: 2,
	Faults: []Fault{
		{"no-resend", "acknowledged", "the sender does not send again what was lost"},
		{"any-bit", "once", "the receiver accepts each copy of a message"},
	},
	properties: []Property{
		{"zero", `AG(sent_msg == 0 -> AF received_msg == 0)`},
		{"one", `AG(sent_msg == 1 -> AF received_msg == 1)`},
		{"acknowledged", `AG(sent_msg == 0 -> AF got_ack == 0) && AG(sent_msg == 1 -> AF got_ack == 1)`},
		{"once", `AG(accepted <= sent)`},
		{"in-step", `AG(sent <= accepted + 1)`},
	},
	run: func(w *world) {
		// The bit distinguishes a copy from the next message only in FIFO channels.
		w.fifo, w.loss = true, 0.2
		s := play(&bitSender{process: w.process("sender", record.Set("sent_msg", 1),
			record.Set("got_ack", 1), record.Set("sent", 0)), bit: 1, acked: true})
		r := play(&bitReceiver{process: w.process("receiver", record.Set("received_msg", 1),
			record.Set("sent_ack", 1), record.Set("accepted", 0)), bit: 1})
		s.receiver, r.sender = r.process, s.process
		s.later(1, "next")
	},
}

// A bitSender sends a message until it is acknowledged, then the next one with the
// other bit (K. A. Bartlett, R. A. Scantlebury, P. T. Wilkinson, 1969).
type bitSender struct {
	*process
	receiver *process
	bit      int // the bit of the last message
	acked    bool
	sent     int // how many messages were sent, not counting copies
}

// watch sends the message again if it is not acknowledged in time.
func (s *bitSender) watch(number int) {
	if !s.faulty("no-resend") {
		// The timeout is twice the round-trip time, so that few copies are unnecessary.
		s.later(4, number)
	}
}

// wake sends a new message with the other bit, or the last one again: the reason is its number.
func (s *bitSender) wake(reason any) {
	number, again := reason.(int)
	switch {
	// A message and its acknowledgement are four events; copies of lost messages account for the rest.
	case !again && s.begin(6):
		s.sent++
		s.bit, s.acked = 1-s.bit, false
		s.send(s.receiver, s.bit, record.Set("sent_msg", s.bit), record.Set("sent", s.sent))
		s.watch(s.sent)
	case again && !s.acked && s.sent == number:
		s.send(s.receiver, s.bit, record.Set("sent_msg", s.bit), record.Label("again"))
		s.watch(number)
	}
}

// take handles an acknowledgement. One with the other bit belongs to an earlier copy.
func (s *bitSender) take(m message) {
	bit := m.body.(int)
	s.receive(m, record.Set("got_ack", bit))
	if bit == s.bit && !s.acked {
		s.acked = true
		s.later(1, "next")
	}
}

// A bitReceiver accepts a message with another bit than the last one, and
// acknowledges every copy.
type bitReceiver struct {
	*process
	sender   *process
	bit      int // the bit of the last message
	accepted int
}

// take acknowledges a message, and accepts it if its bit is new.
func (r *bitReceiver) take(m message) {
	bit := m.body.(int)
	if bit != r.bit || r.faulty("any-bit") {
		r.accepted++
	}
	r.bit = bit
	r.receive(m, record.Set("received_msg", bit), record.Set("accepted", r.accepted))
	// Copies are acknowledged as well: the acknowledgement before may have been lost.
	r.send(r.sender, bit, record.Set("sent_ack", bit))
}
