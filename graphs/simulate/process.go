package simulate

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/record"
)

// A process executes events and receives messages.
type process struct {
	*world
	name   string
	log    *record.Process
	handle func(m message)    // handles m, and must receive it
	wake   func(reason any)   // handles a reason that was put off
	latest map[*process]int64 // by receiver, when the last message to it arrives

	// Used by a Program.
	variables []string // the variables, as declared
	initial   []graphs.Value
	save      func() any // returns a copy of the state
	load      func(any)
	program   []statement // the program of a thread
	rounds    int         // how many rounds it has begun
	putOff    []any       // reasons to wake it
	done      []effect    // the effects of the step that is executed
}

// An actor is the behaviour of a process. Method take handles a message, which it must receive, and
// wake handles a reason that was put off. The state of the actor is S. Pointers in S point to values
// that never change or that a method clone copies.
type actor[S any] interface {
	*S
	self() *process
	take(m message)
}

// self returns the process that an actor embeds.
func (p *process) self() *process { return p }

// play makes an actor the behaviour of its process, and returns the actor.
func play[S any, A actor[S]](a A) A {
	p := a.self()
	p.handle = a.take
	if w, ok := any(a).(interface{ wake(reason any) }); ok {
		p.wake = w.wake
	}
	p.save = func() any { return *a }
	p.load = func(state any) {
		*a = state.(S)
		if c, ok := any(a).(interface{ clone() }); ok {
			c.clone()
		}
	}
	return a
}

// later wakes the process after a while, for a reason, which must be a comparable value.
func (p *process) later(delays float64, reason any) {
	if p.whole {
		p.putOff = append(p.putOff, reason)
		return
	}
	p.after(delays, func() { p.wake(reason) })
}

// A message is in transit from one process to another.
type message struct {
	from  *process
	body  any
	token record.Token
}

// process declares a process with the initial values of its variables.
func (w *world) process(name string, init ...record.Assignment) *process {
	p := &process{world: w, name: name}
	p.declare(init...)
	w.processes = append(w.processes, p)
	return p
}

// declare declares variables of the process with their initial values.
func (p *process) declare(init ...record.Assignment) {
	p.log = p.recorder.Process(p.name, init...)
	for _, a := range init {
		variable, value := valueOf(a)
		p.variables, p.initial = append(p.variables, variable), append(p.initial, value)
	}
}

// others returns all processes but p, in order. All must have been declared.
func (p *process) others() []*process {
	return slices.DeleteFunc(slices.Clone(p.processes), func(q *process) bool { return q == p })
}

// counts counts an event, and reports whether it must be recorded.
func (p *process) counts(e effect) bool {
	if p.whole {
		p.done = append(p.done, e)
		return false
	}
	if !p.stopped {
		p.events++
	}
	return !p.stopped
}

// event records an event.
func (p *process) event(actions ...record.Action) {
	if p.counts(effect{actions: actions}) {
		p.log.Event(actions...)
	}
}

// send records an event that sends a message. The message may be lost.
func (p *process) send(to *process, body any, actions ...record.Action) {
	if p.counts(effect{actions: actions, to: []*process{to}, body: body, lossy: p.loss > 0}) {
		m := message{p, body, p.log.Send(to.name, actions...)}
		if p.loss == 0 || !p.chance(p.loss) {
			p.deliver(to, m)
		}
	}
}

// lose records an event that sends a message that never arrives.
func (p *process) lose(to *process, actions ...record.Action) {
	if p.counts(effect{actions: actions}) {
		p.log.Send(to.name, actions...)
	}
}

// multicast records an event that sends one message to several processes. The
// message is never lost.
func (p *process) multicast(to []*process, body any, actions ...record.Action) {
	if !p.counts(effect{actions: actions, to: to, body: body}) {
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
	if p.counts(effect{actions: actions, receives: true}) {
		p.log.Receive(m.token, actions...)
	}
}

// deliver makes a message arrive after a random time. If channels are FIFO, it arrives after all earlier
// ones.
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
