package graphs

import "github.com/pota-project/pota/graphs/dense"

// Components finds the strongly connected components of a graph on the vertices 0 … n-1. succ
// appends the successors of a vertex to buf and returns buf. Components returns the component of
// each vertex, and the number of components, which are numbered so that every edge leads to a
// component of an equal or smaller number. (Tarjan, Depth-first search and linear graph algorithms,
// 1972, without recursion.)
//
// The time complexity of Components is O(n+|edges|).
func Components(n int, succ func(v int32, buf []int32) []int32) (component []int32, count int) {
	const done = int32(1) << 30
	type frame struct{ v, from, next, low int32 }
	var (
		index   = make([]int32, n) // 0 if unseen, then the rank in order of discovery, then done
		calls   []frame
		pending []int32 // the successors of the frames; those of a frame start at its field from
		stack   []int32
		clock   int32
	)
	component = make([]int32, n)
	enter := func(v int32) {
		clock++
		index[v] = clock
		stack = append(stack, v)
		from := int32(len(pending))
		pending = succ(v, pending)
		calls = append(calls, frame{v, from, from, clock})
	}
	for root := range int32(n) {
		if index[root] != 0 {
			continue
		}
		enter(root)
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			if int(f.next) < len(pending) {
				w := pending[f.next]
				f.next++
				switch {
				case index[w] == 0:
					enter(w)
				case index[w] < f.low:
					f.low = index[w]
				}
				continue
			}
			v, low := f.v, f.low
			pending = pending[:f.from]
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				calls[len(calls)-1].low = min(calls[len(calls)-1].low, low)
			}
			if low != index[v] {
				continue
			}
			for {
				w := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				index[w] = done
				component[w] = int32(count)
				if w == v {
					break
				}
			}
			count++
		}
	}
	return component, count
}

// components finds the strongly connected components of the graph between ⊥ and ⊤.
func (c *Computation) components() (component []int32, count int) {
	return Components(len(c.proc), func(v int32, buf []int32) []int32 {
		e := Event(v)
		for _, f := range c.Succs(e) {
			buf = append(buf, int32(f))
		}
		if e > Bottom && e < c.Top() && c.proc[e+1] == c.proc[e] {
			buf = append(buf, v+1)
		}
		return buf
	})
}

// findMetaEvents groups the events into the components of the graph. It stores nothing if each
// component is a single event.
func (c *Computation) findMetaEvents() {
	component, count := c.components()
	if count == len(component) {
		return
	}
	c.meta = component
	c.members = dense.Group(count, func(add func(int, Event)) {
		for e, m := range component {
			add(int(m), Event(e))
		}
	})
}

// Cyclic reports whether some meta-event has more than one event.
func (c *Computation) Cyclic() bool { return c.meta != nil }

// Step returns the meta-event of e, in increasing order: e and the events that happen together with
// it. The slice must not be changed.
func (c *Computation) Step(e Event) []Event {
	if c.meta == nil {
		c.idx.counted.Do(func() {
			c.idx.identity = make([]Event, len(c.proc))
			for e := range c.idx.identity {
				c.idx.identity[e] = Event(e)
			}
		})
		return c.idx.identity[e : e+1 : e+1]
	}
	return c.members.Row(int(c.meta[e]))
}

// SameStep reports whether e and f belong to the same meta-event.
func (c *Computation) SameStep(e, f Event) bool {
	if c.meta == nil {
		return e == f
	}
	return c.meta[e] == c.meta[f]
}

// representative returns the least event of e's meta-event.
func (c *Computation) representative(e Event) Event {
	if c.meta == nil {
		return e
	}
	return c.members.Row(int(c.meta[e]))[0]
}
