package intervals

import (
	"context"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
)

// A sweep looks for two intervals of different processes that overlap.
type sweep struct {
	comp  *graphs.Computation
	holds []bool           // by process: whether its predicate holds at the cut reached
	turns [][]graphs.Event // by process: the events at which that changes, from there on
	now   []int32          // by process: the number of its interval where it holds

	count int32        // intervals so far
	last  graphs.Event // the beginning of the last of them
	of    int          // the process of the last of them
	ended []int32      // of each event: the greatest number, from 1, of an interval that ended before it or with it
}

// newSweep returns a sweep over c without predicates.
func newSweep(c *graphs.Computation) *sweep {
	n := c.NumProcesses()
	return &sweep{
		comp:  c,
		holds: make([]bool, n),
		turns: make([][]graphs.Event, n),
		now:   make([]int32, n),
		ended: make([]int32, c.Top()+1),
	}
}

// add enters the predicate of a process.
func (s *sweep) add(p int, t atoms.Column[bool]) {
	past := atoms.Count(s.comp, t.Events, s.comp.Initial())
	s.holds[p] = t.Values[past]
	s.turns[p] = t.Events[past:]
}

// find returns the beginnings of two intervals that overlap, ⊥ for what holds from the
// initial cut on, and whether there are two.
func (s *sweep) find(ctx context.Context) (first, second graphs.Event, found bool) {
	for p, holds := range s.holds {
		if !holds {
			continue
		}
		if s.count++; s.count == 2 {
			return graphs.Bottom, graphs.Bottom, true
		}
		s.begin(p, graphs.Bottom)
	}
	steps := 0
	eachStep(s.comp, func(step []graphs.Event) bool {
		if steps++; steps&0xffff == 0 && ctx.Err() != nil {
			return false
		}
		first, second, found = s.step(step)
		return !found
	})
	return first, second, found
}

// begin notes that the interval of number count begins on process p with e.
func (s *sweep) begin(p int, e graphs.Event) {
	s.now[p] = s.count
	s.of = p
	s.last = e
}

// eachStep calls visit for each meta-event between the initial and the final cut of
// c in a possible order of theirs, until visit returns false. Where no
// meta-event has several events, it goes on with a process until an event needs one
// of another process that is still to come, and then with that process.
//
// The time complexity of eachStep is O(|V|+|edges|).
func eachStep(c *graphs.Computation, visit func(step []graphs.Event) bool) {
	if c.Cyclic() {
		order := c.Topological(c.Initial(), c.Final())
		for len(order) > 0 {
			step := c.Step(order[0])
			if !visit(step) {
				return
			}
			order = order[len(step):]
		}
		return
	}
	cut := c.Initial().Clone()
	var step [1]graphs.Event
	var todo []graphs.Event // what is to be reached, the innermost last
	for p, k := range c.Final() {
		if k == cut[p] {
			continue
		}
		todo = append(todo, c.Event(p, int(k)))
	next:
		for len(todo) > 0 {
			goal := todo[len(todo)-1]
			p := c.Process(goal)
			for e := c.Event(p, int(cut[p])+1); e <= goal; e++ {
				for _, f := range c.Preds(e) {
					if !c.Has(cut, f) {
						todo = append(todo, f)
						continue next
					}
				}
				step[0] = e
				if !visit(step[:]) {
					return
				}
				cut[p]++
			}
			todo = todo[:len(todo)-1]
		}
	}
}

// step executes a meta-event.
func (s *sweep) step(step []graphs.Event) (first, second graphs.Event, found bool) {
	c := s.comp
	ended := int32(0)
	for _, e := range step {
		for _, f := range c.Preds(e) {
			ended = max(ended, s.ended[f])
		}
		if c.Process(e-1) == c.Process(e) {
			ended = max(ended, s.ended[e-1])
		}
	}
	turned := false
	for _, e := range step {
		p := c.Process(e)
		if t := s.turns[p]; len(t) > 0 && t[0] == e {
			s.holds[p] = !s.holds[p]
			s.turns[p] = t[1:]
			turned = true
		}
	}
	if turned {
		for _, e := range step {
			if p := c.Process(e); !s.holds[p] && s.now[p] > 0 {
				ended = max(ended, s.now[p])
				s.now[p] = 0
			}
		}
		for _, e := range step {
			p := c.Process(e)
			if !s.holds[p] || s.now[p] > 0 {
				continue
			}
			if s.count > 0 && ended < s.count && s.of != p {
				return s.last, e, true
			}
			s.count++
			s.begin(p, e)
		}
	}
	for _, e := range step {
		s.ended[e] = ended
	}
	return 0, 0, false
}
