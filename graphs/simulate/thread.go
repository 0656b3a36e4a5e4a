package simulate

import (
	"iter"

	"github.com/pota-project/pota/graphs/record"
)

// A thread is a process whose program is a function that reads and writes shared
// registers. It runs as a coroutine and gives way to the other threads before each
// of its events.
type thread struct {
	*process
	pass   func(struct{}) bool // lets others go on; returns when it is our turn
	resume func() (struct{}, bool)
	parked bool // waits for a register
}

// thread declares a process and starts its program. When the world is stopped,
// begin is false, nothing is recorded and nobody waits any more, so that the
// program comes to its end.
func (w *world) thread(name string, program func(t *thread), init ...record.Assignment) {
	t := &thread{process: w.process(name, init...)}
	var stop func()
	t.resume, stop = iter.Pull(func(yield func(struct{}) bool) {
		t.pass = yield
		program(t)
	})
	w.stops = append(w.stops, stop)
	t.wake(1)
}

// wake makes the thread go on after a while.
func (t *thread) wake(delays float64) { t.after(delays, func() { t.resume() }) }

// pause lets the other threads go on for a while.
func (t *thread) pause(delays float64) {
	if !t.stopped {
		t.wake(delays)
		t.pass(struct{}{})
	}
}

// do records an event of the thread, after a while.
func (t *thread) do(actions ...record.Action) {
	t.pause(1)
	t.event(actions...)
}

// work executes some local events, which set loc.
func (t *thread) work() {
	for range t.IntN(4) {
		t.do(record.Set("loc", t.IntN(10)))
	}
}

// A register is a shared variable. Its record orders the accesses.
type register struct {
	*record.Variable[int]
	value   int
	waiting []*thread // for another value
}

// register declares a shared variable.
func (w *world) register(name string, value int) *register {
	return &register{Variable: record.NewVariable(w.recorder, name, value), value: value}
}

// registers declares n shared variables.
func (w *world) registers(kind string, n, value int) []*register {
	list := make([]*register, n)
	for i := range list {
		list[i] = w.register(name(kind, i), value)
	}
	return list
}

// write sets a register, together with variables of the thread.
func (t *thread) write(r *register, value int, actions ...record.Action) {
	t.pause(1)
	t.store(r, value, actions...)
}

// add adds to a register in one event.
func (t *thread) add(r *register, difference int) {
	t.pause(1)
	t.store(r, r.value+difference)
}

// take waits until a register has a value and sets it to another in one event.
func (t *thread) take(r *register, from, to int) {
	t.pause(1)
	t.wait(is(r, from))
	t.store(r, to)
}

// await waits until a condition is met, and records the event that reads it.
func (t *thread) await(any ...condition) {
	t.pause(1)
	if r := t.wait(any...); r != nil {
		t.load(r)
	}
}

// A condition is something that the value of a register meets.
type condition struct {
	register *register
	met      func(value int) bool
}

func is(r *register, value int) condition {
	return condition{r, func(v int) bool { return v == value }}
}

func isNot(r *register, value int) condition {
	return condition{r, func(v int) bool { return v != value }}
}

func less(r *register, value int) condition {
	return condition{r, func(v int) bool { return v < value }}
}

// wait returns the register of the first condition that is met, as soon as one
// is, nil when the world was stopped before.
func (t *thread) wait(any ...condition) *register {
	for !t.stopped {
		for _, c := range any {
			if c.met(c.register.value) {
				return c.register
			}
		}
		for _, c := range any {
			c.register.waiting = append(c.register.waiting, t)
		}
		t.parked = true
		t.pass(struct{}{})
	}
	return nil
}

// load records an event that reads a register.
func (t *thread) load(r *register) {
	if t.counts() {
		r.Read(t.log)
	}
}

// store records an event that writes a register, and wakes those who wait for it.
func (t *thread) store(r *register, value int, actions ...record.Action) {
	if !t.counts() {
		return
	}
	r.value = value
	r.Write(t.log, value, actions...)
	for _, waiter := range r.waiting {
		if waiter.parked {
			waiter.parked = false
			waiter.wake(1)
		}
	}
	r.waiting = r.waiting[:0]
}
