package simulate

import (
	"iter"

	"github.com/pota-project/pota/graphs/record"
)

// A thread is a process whose program is a function that executes operations on shared
// registers. It runs as a coroutine and yields to the other threads before each of its events.
// It does not branch on values, but waits for them.
type thread struct {
	*process
	pass   func(struct{}) bool // yields to others; returns when it is this thread's turn
	resume func() (struct{}, bool)
	parked bool // whether it waits for a register
}

// thread declares a process and starts its program, which repeats a round of about the given number of
// events. When the world is stopped, begin returns false, nothing is recorded and no thread waits any more,
// so the program ends.
func (w *world) thread(name string, events int, round func(t *thread), init ...record.Assignment) {
	if !w.whole {
		init = append(init, record.Set("loc", 0))
	}
	t := &thread{process: w.process(name, init...)}
	if w.whole {
		round(t)
		return
	}
	var stop func()
	t.resume, stop = iter.Pull(func(yield func(struct{}) bool) {
		t.pass = yield
		for t.begin(events) {
			round(t)
		}
	})
	w.stops = append(w.stops, stop)
	t.rouse(1)
}

// rouse makes the thread continue after a while.
func (t *thread) rouse(delays float64) { t.after(delays, func() { t.resume() }) }

// pause yields to the other threads for a while.
func (t *thread) pause(delays float64) {
	if !t.stopped && !t.whole {
		t.rouse(delays)
		t.pass(struct{}{})
	}
}

// A statement is one event of a thread. It waits until one of its conditions is met, if it has any.
// Then it writes a register, or reads the register of that condition, or neither.
type statement struct {
	await    []condition
	register *register // the register that it writes; nil if there is none
	update   func(value int) int
	actions  []record.Action
}

// execute executes a statement after a while. For a Program, it only records the statement.
func (t *thread) execute(o statement) {
	if t.whole {
		t.program = append(t.program, o)
		return
	}
	t.pause(1)
	read := t.wait(o.await...)
	switch {
	case o.register != nil:
		t.store(o.register, o.update(o.register.value), o.actions...)
	case len(o.await) == 0:
		t.event(o.actions...)
	case read != nil && t.counts(effect{}):
		read.Read(t.log)
	}
}

// do records an event of the thread.
func (t *thread) do(actions ...record.Action) { t.execute(statement{actions: actions}) }

// work executes at most three local events that set loc. A Program leaves them out, because no thread
// depends on them.
func (t *thread) work() {
	if t.whole {
		return
	}
	// Rounds have different lengths, so that threads come in any order.
	for range t.IntN(4) {
		t.do(record.Set("loc", t.IntN(10)))
	}
}

// A register is a shared variable. Its record orders the accesses.
type register struct {
	*record.Variable[int]
	name    string
	number  int // its number in the order of declaration
	value   int
	waiting []*thread // the threads that wait for another value
}

// register declares a shared variable.
func (w *world) register(name string, value int) *register {
	r := &register{Variable: record.NewVariable(w.recorder, name, value), name: name,
		number: len(w.shared), value: value}
	w.shared = append(w.shared, r)
	return r
}

// registers declares n shared variables, which are initially 0.
func (w *world) registers(kind string, n int) []*register {
	list := make([]*register, n)
	for i := range list {
		list[i] = w.register(name(kind, i), 0)
	}
	return list
}

// write sets a register, together with variables of the thread.
func (t *thread) write(r *register, value int, actions ...record.Action) {
	t.execute(statement{register: r, update: func(int) int { return value }, actions: actions})
}

// add adds to a register in one event.
func (t *thread) add(r *register, difference int) {
	read := condition{r, func(int) bool { return true }}
	t.execute(statement{await: []condition{read}, register: r,
		update: func(v int) int { return v + difference }})
}

// take waits until a register has the value from, and sets it to the value to in the same event.
func (t *thread) take(r *register, from, to int) {
	t.execute(statement{await: []condition{is(r, from)}, register: r,
		update: func(int) int { return to }})
}

// await waits until a condition is met, and records the event that reads it.
func (t *thread) await(any ...condition) { t.execute(statement{await: any}) }

// A condition is a predicate on the value of a register.
type condition struct {
	register *register
	met      func(value int) bool
}

// is, isNot and less are conditions on a register.
func is(r *register, value int) condition {
	return condition{r, func(v int) bool { return v == value }}
}

func isNot(r *register, value int) condition {
	return condition{r, func(v int) bool { return v != value }}
}

func less(r *register, value int) condition {
	return condition{r, func(v int) bool { return v < value }}
}

// wait waits until a condition is met, and returns its register. It returns nil if there are no
// conditions, or the world is stopped first.
func (t *thread) wait(any ...condition) *register {
	for !t.stopped && len(any) > 0 {
		for _, c := range any {
			if c.met(c.register.value) {
				return c.register
			}
		}
		for _, c := range any {
			c.register.waiting = append(c.register.waiting, t)
		}
		// A write to the register wakes the thread, which must check again, because another thread may have
		// been faster.
		t.parked = true
		t.pass(struct{}{})
	}
	return nil
}

// store records an event that writes a register, and wakes the threads that wait for it.
func (t *thread) store(r *register, value int, actions ...record.Action) {
	if !t.counts(effect{}) {
		return
	}
	r.value = value
	r.Write(t.log, value, actions...)
	for _, waiter := range r.waiting {
		if waiter.parked {
			waiter.parked = false
			waiter.rouse(1)
		}
	}
	r.waiting = r.waiting[:0]
}
