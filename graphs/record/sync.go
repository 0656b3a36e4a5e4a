package record

import (
	"slices"
	"strconv"
	"sync"
)

// A Mutex is a sync.Mutex that orders critical sections in the trace: Lock and
// Unlock are events, and each Lock happens after the Unlock before it. The zero
// Mutex is unlocked. It must not be copied after first use.
type Mutex struct {
	mutex    sync.Mutex
	released Ref
}

// Lock locks m and records an event of p that acquired it.
func (m *Mutex) Lock(p *Process, actions ...Action) Ref {
	m.mutex.Lock()
	return p.Event(append([]Action{After(m.released)}, actions...)...)
}

// TryLock locks m if it is not locked. If and only if it succeeds, it records an event like Lock.
func (m *Mutex) TryLock(p *Process, actions ...Action) bool {
	if !m.mutex.TryLock() {
		return false
	}
	p.Event(append([]Action{After(m.released)}, actions...)...)
	return true
}

// Unlock records an event of p that releases m, and unlocks m.
func (m *Mutex) Unlock(p *Process, actions ...Action) Ref {
	ref := p.Event(actions...)
	m.released = ref
	m.mutex.Unlock()
	return ref
}

// A Barrier lets processes wait for each other. The events of processes that waited for each other
// are one step.
type Barrier struct {
	mutex   sync.Mutex
	parties int
	members []member
	done    []chan Ref
}

// NewBarrier returns a barrier for n calls of Wait, which wait for each other.
func NewBarrier(n int) *Barrier { return &Barrier{parties: n} }

// Wait waits until as many calls wait as the barrier has parties, and records an event of p.
func (b *Barrier) Wait(p *Process, actions ...Action) Ref {
	b.mutex.Lock()
	done := make(chan Ref, 1)
	b.members = append(b.members, member{p, actions})
	b.done = append(b.done, done)
	if len(b.members) >= b.parties {
		for i, ref := range together(b.members...) {
			b.done[i] <- ref
		}
		b.members, b.done = nil, nil
	}
	b.mutex.Unlock()
	return <-done
}

// A member is one process's part in a step of several processes.
type member struct {
	process *Process
	actions []Action
}

// together records the events of the members as one step and returns their Refs. All members wait
// during the call, so everything that one of them causes has a later line than the events of all. A
// process that is a member twice takes part once; its other events are steps of their own.
func together(members ...member) []Ref {
	var id Sync
	var recorded []*Process
	for _, m := range members {
		if m.process != nil && !slices.Contains(recorded, m.process) {
			recorded = append(recorded, m.process)
		}
	}
	if len(recorded) > 1 {
		// The escaped name makes the id unique among processes.
		p := recorded[0]
		p.mutex.Lock()
		p.syncs++
		id = Sync(strconv.AppendInt(slices.Clone(p.escaped), int64(p.syncs), 10))
		p.mutex.Unlock()
	}
	refs := make([]Ref, len(members))
	for i, m := range members {
		actions := m.actions
		if k := slices.Index(recorded, m.process); k >= 0 && id != "" {
			recorded[k] = nil
			actions = append(slices.Clip(actions), id)
		}
		refs[i] = m.process.Event(actions...)
	}
	return refs
}

// A Chan is a channel that records its sends and receives as events. Without a buffer, a send and
// its receive are one step of two processes. With one, the send sends a message that the receive
// receives, and a send into a buffer of n elements happens after the receive that made room for it,
// n elements before.
type Chan[T any] struct {
	items  chan item[T]
	room   chan Ref // for each free place, the receive that made it free; nil without a buffer
	closed Ref
}

type item[T any] struct {
	value T
	token Token    // the token of the send, if there is a buffer
	from  member   // the sender, if there is no buffer
	done  chan Ref // receives the event of the sender, if there is no buffer
}

// NewChan returns a channel with a buffer of that many elements, unbuffered for 0.
func NewChan[T any](buffer int) *Chan[T] {
	c := &Chan[T]{items: make(chan item[T], buffer)}
	if buffer > 0 {
		c.room = make(chan Ref, buffer)
		for range buffer {
			c.room <- Ref{}
		}
	}
	return c
}

// Send sends a value and records an event of p.
func (c *Chan[T]) Send(p *Process, value T, actions ...Action) {
	if c.room == nil {
		done := make(chan Ref, 1)
		c.items <- item[T]{value: value, from: member{p, actions}, done: done}
		<-done
		return
	}
	made := <-c.room
	token := p.Send("", append([]Action{After(made)}, actions...)...)
	c.items <- item[T]{value: value, token: token}
}

// Receive receives a value and records an event of p. If the channel is closed and empty, it
// records an event and returns false.
func (c *Chan[T]) Receive(p *Process, actions ...Action) (T, bool) {
	return c.ReceiveFunc(p, func(T, bool) []Action { return actions })
}

// ReceiveFunc is Receive for an event whose actions depend on the received value.
func (c *Chan[T]) ReceiveFunc(p *Process, actions func(value T, ok bool) []Action) (T, bool) {
	it, ok := <-c.items
	does := actions(it.value, ok)
	switch {
	case !ok:
		p.Event(append([]Action{After(c.closed)}, does...)...)
	case c.room == nil:
		it.done <- together(it.from, member{p, does})[0]
	default:
		c.room <- p.Receive(it.token, does...)
	}
	return it.value, ok
}

// Close records an event of p and closes the channel. Receives that find it closed happen after
// that event.
func (c *Chan[T]) Close(p *Process, actions ...Action) Ref {
	c.closed = p.Event(actions...)
	close(c.items)
	return c.closed
}

// Value is the type set of values that a shared variable can hold.
type Value interface {
	~bool | ~string | ~float32 | ~float64 |
		~int | ~int8 | ~int16 | ~int32 | ~int64 |
		~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// A Variable is a variable that several processes read and write. It holds the value, and records
// accesses in their order: a write happens after the write before it and the reads since, and a
// read happens after the write of the value that it returns. Reads are not ordered among
// themselves.
//
//	(1) reads are the reads since write, the last one of each process
//	(2) write happened before each of reads
type Variable[T Value] struct {
	name  string
	mutex sync.Mutex
	value T
	write Ref
	reads []Ref
}

// NewVariable declares a shared variable.
func NewVariable[T Value](r *Recorder, name string, init T) *Variable[T] {
	r.Shared(Set(name, init))
	return &Variable[T]{name: name, value: init}
}

// Read returns the value and records an event of p.
func (v *Variable[T]) Read(p *Process, actions ...Action) T {
	return v.ReadFunc(p, func(T) []Action { return actions })
}

// ReadFunc is Read for an event whose actions depend on the value, such as Set of a variable of p.
// The function must not use v.
func (v *Variable[T]) ReadFunc(p *Process, actions func(value T) []Action) T {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	ref := p.Event(append([]Action{After(v.write)}, actions(v.value)...)...)
	if p == nil {
		return v.value
	}
	i := slices.IndexFunc(v.reads, func(r Ref) bool { return r.of(p) })
	if i < 0 {
		v.reads = append(v.reads, ref)
	} else {
		v.reads[i] = ref
	}
	return v.value
}

// Write gives the variable a value in an event of p.
func (v *Variable[T]) Write(p *Process, value T, actions ...Action) Ref {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	return v.assign(p, value, actions)
}

// Update applies f to the value of the variable, reading and writing it in one event of p, and
// returns the new value. f must not use v.
func (v *Variable[T]) Update(p *Process, f func(T) T, actions ...Action) T {
	v.mutex.Lock()
	defer v.mutex.Unlock()
	v.assign(p, f(v.value), actions)
	return v.value
}

// assign writes; by (2), the last write is implied if there are reads.
func (v *Variable[T]) assign(p *Process, value T, actions []Action) Ref {
	causes := After(v.write)
	if len(v.reads) > 0 {
		causes = v.reads
	}
	ref := p.Event(append([]Action{Set(v.name, value), causes}, actions...)...)
	v.value = value
	if p != nil {
		v.write, v.reads = ref, v.reads[:0]
	}
	return ref
}
