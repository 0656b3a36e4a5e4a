package graphs

import "iter"

// Topological returns the events of to that are not in from, in an order that happened-before
// allows; the events of a meta-event are adjacent. The order stays on a process while its next step
// is enabled.
//
// The time complexity of Topological is O(|V|+|edges|).
func (c *Computation) Topological(from, to Cut) []Event {
	order := make([]Event, 0, to.Size()-from.Size())
	wait := c.countCauses(from, to)
	var ready []Event // representatives, last in first out
	for p := c.NumProcesses() - 1; p >= 0; p-- {
		for e := c.base[p] + Event(to[p]); e > c.base[p]+Event(from[p]); e-- {
			if c.representative(e) == e && wait.add(e, 0) == 0 {
				ready = append(ready, e)
			}
		}
	}
	release := func(f Event) {
		if r := c.representative(f); wait.add(r, -1) == 0 {
			ready = append(ready, r)
		}
	}
	for len(ready) > 0 {
		e := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		begin := len(order)
		if c.meta == nil {
			order = append(order, e) // Step would allocate a list of all events
		} else {
			order = append(order, c.Step(e)...)
		}
		for _, m := range order[begin:] {
			for _, f := range c.Succs(m) {
				if c.Has(to, f) && !c.SameStep(m, f) {
					release(f)
				}
			}
			if f := m + 1; c.proc[f] == c.proc[m] && c.Has(to, f) && !c.SameStep(m, f) {
				release(f)
			}
		}
	}
	return order
}

// A tally has a count for each event. It uses a map for few events, because a deep formula needs
// many runs, most of them short.
type tally struct {
	few map[Event]int32
	all []int32
}

// add adds n to the count of e, and returns the new count.
func (t *tally) add(e Event, n int32) int32 {
	if t.few != nil {
		t.few[e] += n
		return t.few[e]
	}
	t.all[e] += n
	return t.all[e]
}

// countCauses counts, for the representative of each meta-event between two
// cuts, the edges into it from other meta-events between them.
func (c *Computation) countCauses(from, to Cut) tally {
	var wait tally
	if few := to.Size() - from.Size(); few < len(c.proc)/32 {
		wait.few = make(map[Event]int32, few)
	} else {
		wait.all = make([]int32, len(c.proc))
	}
	for p := range c.names {
		for e := c.base[p] + Event(from[p]) + 1; e <= c.base[p]+Event(to[p]); e++ {
			r := c.representative(e)
			for _, f := range c.Preds(e) {
				if !c.Has(from, f) && !c.SameStep(e, f) {
					wait.add(r, 1)
				}
			}
			if f := e - 1; f > c.base[p]+Event(from[p]) && !c.SameStep(e, f) {
				wait.add(r, 1)
			}
		}
	}
	return wait
}

// NoEvents returns the cut without events, consistent or not.
func (c *Computation) NoEvents() Cut { return make(Cut, c.NumProcesses()) }

// AllEvents returns the cut of all events, consistent or not.
func (c *Computation) AllEvents() Cut {
	all := c.NoEvents()
	for p := range all {
		all[p] = int32(c.Len(p))
	}
	return all
}

// Order returns all events in the order of Topological, including events that no cut contains. The
// slice must not be changed. The first call takes O(|V|+|edges|) time.
func (c *Computation) Order() []Event {
	c.idx.ordered.Do(func() {
		if c.meta == nil {
			c.idx.order = c.oneByOne()
		} else {
			c.idx.order = c.Topological(c.NoEvents(), c.AllEvents())
		}
	})
	return c.idx.order
}

// oneByOne is Topological for all events of a computation in which each is its own step. It needs
// no cuts, and takes a third of the time.
func (c *Computation) oneByOne() []Event {
	order := make([]Event, 0, c.NumEvents())
	wait := make([]int32, len(c.proc)) // how many direct causes of each event are not in order
	var ready []Event                  // the events that have none, last in first out
	for e := c.Top() - 1; e > Bottom; e-- {
		wait[e] = int32(len(c.Preds(e)))
		if c.proc[e-1] == c.proc[e] {
			wait[e]++
		}
		if wait[e] == 0 {
			ready = append(ready, e)
		}
	}
	release := func(f Event) {
		if wait[f]--; wait[f] == 0 {
			ready = append(ready, f)
		}
	}
	for len(ready) > 0 {
		e := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		order = append(order, e)
		for _, f := range c.Succs(e) {
			release(f)
		}
		if c.proc[e+1] == c.proc[e] {
			release(e + 1)
		}
	}
	return order
}

// Steps yields the meta-events in the order of Order, including meta-events that no cut contains.
func (c *Computation) Steps() iter.Seq[[]Event] {
	return func(yield func([]Event) bool) {
		for order := c.Order(); len(order) > 0; {
			step := order[:1:1]
			if c.meta != nil {
				step = c.Step(order[0])
			}
			order = order[len(step):]
			if !yield(step) {
				return
			}
		}
	}
}

// Unrolled returns the events of a run, those of each meta-event together, with each event after
// its causes: the event before it on its process, and its Causes. Apart from that the events of a
// meta-event are in increasing order. Syncs and general edges tie events to each other, but are no
// causes. Unrolled returns run itself if every meta-event is a single event.
//
// The time complexity of Unrolled is O(|run|+|edges|).
func (c *Computation) Unrolled(run []Event) []Event {
	if !c.Cyclic() {
		return run
	}
	done := make([]Event, 0, len(run))
	const (
		begun = iota + 1
		placed
	)
	state := make(map[Event]uint8) // of the events of the current meta-event
	// A stack with each event below its causes; a step may be too deep for recursion.
	var todo []Event
	push := func(e, f Event) {
		if c.SameStep(e, f) && state[f] == 0 {
			todo = append(todo, f)
		}
	}
	for len(done) < len(run) {
		step := c.Step(run[len(done)])
		clear(state)
		for i := len(step) - 1; i >= 0; i-- {
			todo = append(todo, step[i])
		}
		for len(todo) > 0 {
			e := todo[len(todo)-1]
			switch state[e] {
			case 0:
				state[e] = begun
				causes := c.Causes(e)
				for i := len(causes) - 1; i >= 0; i-- {
					push(e, causes[i])
				}
				if f := e - 1; c.proc[f] == c.proc[e] {
					push(e, f)
				}
				continue
			case begun:
				state[e] = placed
				done = append(done, e)
			}
			todo = todo[:len(todo)-1]
		}
	}
	return done
}

// LastBefore returns, for each event, the position of the last event of process p that equals it or
// happened before it, or 0 if there is none. Events of one meta-event happened before each other.
//
// The time complexity of LastBefore is O(|V|+|edges|).
func (c *Computation) LastBefore(p int) []int32 {
	return c.LastBeforeInto(p, nil)
}

// LastBeforeInto is LastBefore, but overwrites and returns last, the result of an earlier call. It
// allocates if last is nil.
func (c *Computation) LastBeforeInto(p int, last []int32) []int32 {
	if last == nil {
		last = make([]int32, len(c.proc))
	}
	clear(last)
	for step := range c.Steps() {
		k := c.greatestBefore(step, last)
		for _, m := range step {
			if int(c.proc[m]) == p {
				k = max(k, int32(m-c.base[p]))
			}
		}
		for _, m := range step {
			last[m] = k
		}
	}
	return last
}

// Ranks returns, for each event, the length of the longest chain of meta-events that ends with that
// of the event. Events of one meta-event have the same rank.
//
// The time complexity of Ranks is O(|V|+|edges|).
func (c *Computation) Ranks() []int32 {
	ranks := make([]int32, len(c.proc))
	for step := range c.Steps() {
		rank := c.greatestBefore(step, ranks) + 1
		for _, m := range step {
			ranks[m] = rank
		}
	}
	return ranks
}

// greatestBefore returns the maximum of numbers over the events that directly precede those of a
// step, or 0 if there are none. No number may be negative, and those of the step itself must be 0.
func (c *Computation) greatestBefore(step []Event, numbers []int32) int32 {
	k := int32(0)
	for _, m := range step {
		for _, f := range c.Preds(m) {
			k = max(k, numbers[f])
		}
		if c.proc[m-1] == c.proc[m] {
			k = max(k, numbers[m-1])
		}
	}
	return k
}
