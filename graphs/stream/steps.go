package stream

import (
	"cmp"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
)

// Events that wait for each other through complete syncs are admitted together, as one step.
//
// Example: P1 joins sync s and then receives m; P2 joins s and then sends m. Once both have
// joined, s is complete, {P1:1, P2:1} is a step, and the rest follows one by one.
//
// A step can become ready when an event of it arrives, when a sync is completed, or when another
// event is admitted. Then the process of that event, or of an event that waited for it, is
// tried (try, settle): it is checked whether all causes of its next event have arrived.

// group is a sync.
type group struct {
	id       string
	members  []*pending
	joined   int       // how many members are of processes that have not closed
	of       dense.Set // the processes of the members
	complete bool
}

// completed checks whether a sync has become complete.
func (s *Stream) completed(g *group) {
	if g.complete || !(s.ended || len(g.members) == s.opts.SyncSize || s.Fixed() && g.joined == s.unclosed) {
		return
	}
	g.complete = true
	s.complete++
	for _, e := range g.members {
		s.try(e.process)
	}
}

// allCompleted checks all syncs for completion, in the order of their ids. It takes O(1) time for each that stays open.
func (s *Stream) allCompleted() {
	var some []string
	for id, g := range s.groups {
		if s.ended || g.joined == s.unclosed {
			some = append(some, id)
		}
	}
	slices.Sort(some)
	for _, id := range some {
		s.completed(s.groups[id])
	}
}

// close notes that all events of a process have arrived.
func (s *Stream) close(p int32) {
	x := &s.processes[p]
	if x.closed {
		return
	}
	x.closed = true
	s.unclosed--
	for _, e := range x.queue {
		for _, g := range e.groups {
			g.joined--
		}
	}
	s.allCompleted()
}

// try asks settle to check whether the next event of a process can be admitted together with others.
func (s *Stream) try(p int32) {
	if x := &s.processes[p]; s.complete > 0 && !x.tried {
		x.tried = true
		s.trials = append(s.trials, p)
	}
}

// settle admits the events that have become ready.
func (s *Stream) settle() {
	for s.givenUp == nil {
		for len(s.ready) > 0 {
			p := s.ready[len(s.ready)-1]
			s.ready = s.ready[:len(s.ready)-1]
			// Without syncs, the events of a queue are admitted one by one.
			for queue := s.processes[p].queue; len(queue) > 0 && queue[0].missing == 0 && len(queue[0].groups) == 0; queue = s.processes[p].queue {
				s.admit(queue[0])
			}
			s.try(p)
		}
		if len(s.trials) == 0 {
			return
		}
		p := s.trials[len(s.trials)-1]
		s.trials = s.trials[:len(s.trials)-1]
		s.processes[p].tried = false
		s.steps(p)
	}
}

// steps admits the next event of a process with all its causes, if they have arrived. It admits
// no event that is on a causal cycle without a sync, or depends on one.
//
// The time complexity of steps is O(1) for each event admitted, and each event that one refers
// to.
func (s *Stream) steps(p int32) {
	queue := s.processes[p].queue
	if len(queue) == 0 || slices.ContainsFunc(queue[0].groups, func(g *group) bool { return !g.complete }) {
		return
	}
	all, open := s.closure(p)
	if open != nil {
		return
	}

	// Components come out in a causal order, so each step finds its causes admitted.
	cyclic := s.cyclic(all)
	step, count := s.components(all, true)
	events := make([][]*pending, count)
	for i, e := range all {
		events[step[i]] = append(events[step[i]], e)
	}
	for _, some := range events {
		if s.givenUp != nil || slices.ContainsFunc(some, func(e *pending) bool { return cyclic[e.number] }) {
			return
		}
		slices.SortFunc(some, func(e, f *pending) int { return cmp.Or(cmp.Compare(e.process, f.process), cmp.Compare(e.pos, f.pos)) })
		s.admit(some...)
	}
}

// A need says why an event waits: for a send, for an event with some id, or for a sync to become
// complete. If it has none of these, the event waits for itself.
type need struct {
	event   *pending
	message *message
	id      string
	group   *group
}

// closure returns the events that have arrived and must be admitted before the next event of
// process p, or together with it. If one of these waits for something that has not arrived,
// closure returns that need instead.
//
// The time complexity of closure is O(1) for each event, and each event that one refers to.
func (s *Stream) closure(p int32) (all []*pending, open *need) {
	// Events of a process are reached in order, so a count for each process is enough.
	reached := make(map[int32]int)
	reach := func(f *pending) {
		x := &s.processes[f.process]
		to := int(f.pos - x.admitted)
		if n := reached[f.process]; n < to {
			all = append(all, x.queue[n:to]...)
			reached[f.process] = to
		}
	}
	joined := make(map[*group]bool)
	reach(s.processes[p].queue[0])
	for i := 0; i < len(all); i++ {
		e := all[i]
		if open := s.needs(e, reach); open != nil {
			return nil, open
		}
		for _, g := range e.groups {
			switch {
			case !g.complete:
				return nil, &need{event: e, group: g}
			case !joined[g]:
				joined[g] = true
				for _, f := range g.members {
					reach(f)
				}
			}
		}
	}
	return all, nil
}

// components returns the strongly connected components of the waits-for relation on a causally
// closed set of events, each after its causes. If together is true, the events of a sync wait for
// each other.
func (s *Stream) components(all []*pending, together bool) (component []int32, count int) {
	for i, e := range all {
		e.number = int32(i)
	}
	return graphs.Components(len(all), func(i int32, buf []int32) []int32 {
		e := all[i]
		s.needs(e, func(f *pending) { buf = append(buf, f.number) })
		if !together {
			return buf
		}

		// A star of edges in both directions ties the events of a sync with O(n) edges.
		for _, g := range e.groups {
			first := g.members[0]
			if buf = append(buf, first.number); e == first {
				for _, f := range g.members {
					buf = append(buf, f.number)
				}
			}
		}
		return buf
	})
}

// needs calls visit for each event that e waits for, except for those of syncs. If one has not arrived, it stops
// and returns that need.
func (s *Stream) needs(e *pending, visit func(*pending)) *need {
	p := &s.processes[e.process]
	if before := e.pos - p.admitted - 2; before >= 0 {
		visit(p.queue[before])
	}
	for _, m := range e.receives {
		switch {
		case m.sent:
		case m.sender == nil:
			return &need{event: e, message: m}
		default:
			visit(m.sender)
		}
	}
	for _, r := range e.after {
		if r.id == "" {
			continue
		}
		f := s.byID(r.id)
		if f == nil {
			return &need{event: e, id: r.id}
		}
		visit(f)
	}
	return nil
}

// cyclic reports, for each event of a causally closed set, whether it is on a cycle without a
// sync.
func (s *Stream) cyclic(all []*pending) []bool {
	component, count := s.components(all, false)
	size := make([]int, count)
	for _, c := range component {
		size[c]++
	}
	cyclic := make([]bool, len(all))
	for i, e := range all {
		cyclic[i] = size[component[i]] > 1
		s.needs(e, func(f *pending) { cyclic[i] = cyclic[i] || e == f })
	}
	return cyclic
}
