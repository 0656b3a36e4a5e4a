package simulate

import (
	"slices"

	"github.com/pota-project/pota/graphs/record"
)

// A process executes events and receives messages.
type process struct {
	*world
	name   string
	log    *record.Process
	handle func(m message) // must receive m
	latest map[*process]int64
	rest   []*process // see others
}

// A message is on its way from one process to another.
type message struct {
	from  *process
	body  any
	token record.Token
}

// process declares a process with the initial values of its variables.
func (w *world) process(name string, init ...record.Assignment) *process {
	p := &process{world: w, name: name, log: w.recorder.Process(name, init...)}
	w.processes = append(w.processes, p)
	return p
}

// others returns all processes but p, which must have been declared, in order.
func (p *process) others() []*process {
	if p.rest == nil {
		p.rest = slices.DeleteFunc(slices.Clone(p.processes), func(q *process) bool { return q == p })
	}
	return p.rest
}

// counts counts an event that is to be recorded, unless nothing is any more.
func (p *process) counts() bool {
	if !p.stopped {
		p.events++
	}
	return !p.stopped
}

// event records an event.
func (p *process) event(actions ...record.Action) {
	if p.counts() {
		p.log.Event(actions...)
	}
}

// send records an event that sends a message, which is on its way then.
func (p *process) send(to *process, body any, actions ...record.Action) {
	if p.counts() {
		p.carry(to, message{p, body, p.log.Send(to.name, actions...)})
	}
}

// lose records an event that sends a message which never arrives.
func (p *process) lose(to *process, actions ...record.Action) {
	if p.counts() {
		p.log.Send(to.name, actions...)
	}
}

// multicast records an event that sends one message to several processes. It is
// not lost.
func (p *process) multicast(to []*process, body any, actions ...record.Action) {
	if !p.counts() {
		return
	}
	names := make([]string, len(to))
	for i, q := range to {
		names[i] = q.name
	}
	m := message{p, body, p.log.Multicast(names, actions...)}
	for _, q := range to {
		p.deliver(q, m)
	}
}

// receive records an event that receives a message.
func (p *process) receive(m message, actions ...record.Action) {
	if p.counts() {
		p.log.Receive(m.token, actions...)
	}
}

// carry delivers a message or loses it.
func (p *process) carry(to *process, m message) {
	if p.loss == 0 || !p.chance(p.loss) {
		p.deliver(to, m)
	}
}

func (p *process) deliver(to *process, m message) {
	at := p.now + p.delay(1)
	if p.fifo {
		if p.latest == nil {
			p.latest = make(map[*process]int64)
		}
		at = max(at, p.latest[to]+1)
		p.latest[to] = at
	}
	p.at(at, func() { to.handle(m) })
}
