package graphs

import "slices"

// Topological returns the events of the cuts between from and to, those of from
// not among them, in an order in which they could have happened: the events of
// one meta-event stand together. Among what could come next, the earliest
// started process that can go on goes on.
//
// The time complexity of Topological is O(|V|+|edges|).
func (c *Computation) Topological(from, to Cut) []Event {
	order := make([]Event, 0, to.Size()-from.Size())
	wait := c.countCauses(from, to)
	var ready []Event // representatives, last in first out
	for p := c.NumProcesses() - 1; p >= 0; p-- {
		for e := c.base[p] + Event(to[p]); e > c.base[p]+Event(from[p]); e-- {
			if c.representative(e) == e && wait[e] == 0 {
				ready = append(ready, e)
			}
		}
	}
	release := func(f Event) {
		r := c.representative(f)
		wait[r]--
		if wait[r] == 0 {
			ready = append(ready, r)
		}
	}
	for len(ready) > 0 {
		e := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		order = append(order, c.Step(e)...)
		for _, m := range c.Step(e) {
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

// countCauses counts, for the representative of each meta-event between two
// cuts, the edges into it from other meta-events between them.
func (c *Computation) countCauses(from, to Cut) []int32 {
	wait := make([]int32, len(c.proc))
	for p := range c.names {
		for e := c.base[p] + Event(from[p]) + 1; e <= c.base[p]+Event(to[p]); e++ {
			r := c.representative(e)
			for _, f := range c.Preds(e) {
				if !c.Has(from, f) && !c.SameStep(e, f) {
					wait[r]++
				}
			}
			if f := e - 1; f > c.base[p]+Event(from[p]) && !c.SameStep(e, f) {
				wait[r]++
			}
		}
	}
	return wait
}

// findCycle returns the events of a cycle in order, nil when there is none.
func (c *Computation) findCycle() []Event {
	n := c.NumEvents()
	wait := make([]int32, n+2)
	var ready []Event
	for e := Event(1); e < c.Top(); e++ {
		wait[e] = int32(len(c.Preds(e)))
		if c.Position(e) > 1 {
			wait[e]++
		}
		if wait[e] == 0 {
			ready = append(ready, e)
		}
	}
	done := 0
	release := func(f Event) {
		wait[f]--
		if wait[f] == 0 {
			ready = append(ready, f)
		}
	}
	for len(ready) > 0 {
		e := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		done++
		for _, f := range c.Succs(e) {
			release(f)
		}
		if c.proc[e+1] == c.proc[e] {
			release(e + 1)
		}
	}
	if done == n {
		return nil
	}
	return c.traceCycle(wait)
}

// traceCycle walks backwards from some event that waits for ever, always to
// another such event, until one comes back.
func (c *Computation) traceCycle(wait []int32) []Event {
	e := Event(1)
	for wait[e] == 0 {
		e++
	}
	at := make(map[Event]int)
	var walk []Event
	for {
		if i, ok := at[e]; ok {
			cycle := slices.Clone(walk[i:])
			slices.Reverse(cycle)
			least := slices.Index(cycle, slices.Min(cycle))
			return append(cycle[least:], cycle[:least]...)
		}
		at[e] = len(walk)
		walk = append(walk, e)
		e = c.waitingCause(e, wait)
	}
}

func (c *Computation) waitingCause(e Event, wait []int32) Event {
	for _, f := range c.Preds(e) {
		if wait[f] > 0 {
			return f
		}
	}
	if c.Position(e) > 1 && wait[e-1] > 0 {
		return e - 1
	}
	panic("this cannot happen, because an event waits only for events that wait")
}

// before and after are the cuts of nothing and of all events, consistent or not.
func (c *Computation) before() Cut { return make(Cut, c.NumProcesses()) }

func (c *Computation) after() Cut {
	all := make(Cut, c.NumProcesses())
	for p := range all {
		all[p] = int32(c.Len(p))
	}
	return all
}

// Order returns all events in an order in which they could have happened, as
// Topological does, those that no cut has among them. The slice must not be
// changed. The first call takes O(|V|+|edges|) time.
func (c *Computation) Order() []Event {
	c.idx.ordered.Do(func() { c.idx.order = c.Topological(c.before(), c.after()) })
	return c.idx.order
}

// LastBefore returns, for each event, the position of the last event of process p
// that happened before it or is it, 0 where there is none. Events of one
// meta-event happened before each other. The time complexity of LastBefore is
// O(|V|+|edges|).
func (c *Computation) LastBefore(p int) []int32 {
	last := make([]int32, len(c.proc))
	order := c.Order()
	for i := 0; i < len(order); {
		step := c.Step(order[i])
		i += len(step)
		k := int32(0)
		for _, m := range step {
			for _, f := range c.Preds(m) {
				k = max(k, last[f])
			}
			switch {
			case int(c.proc[m]) == p:
				k = max(k, int32(m-c.base[p]))
			case c.proc[m-1] == c.proc[m]:
				k = max(k, last[m-1])
			}
		}
		for _, m := range step {
			last[m] = k
		}
	}
	return last
}
