package slice

import (
	"slices"

	"github.com/pota-project/pota/graphs"
)

// EX returns slices for EX p, s being the slice of p. A cut satisfies EX p if it is in
// one of them. There is one for each process with a step: the cuts where the next step
// of that process can be executed and leads into s. They are lean if s is.
//
// Let C and D be such cuts for a process, C with fewer of its events, and their steps S
// and T. Then D has S, and C has no event of T. So the steps lead from the meet of C and
// D to the meet of C+S and D+T, and from their join to the join: both are such cuts,
// too. C determines the events of C+S: C+S has an event in one step with an event of the
// process if C has all events that precede that step on the process, and any other event
// if C has it. So each edge of s moves to the events that C must have, and so do the
// edges of the computation into the steps: they say when the steps can be executed.
//
// The time complexity of EX is O(|V|+|edges|), the time of Edges, and O(added edges)
// for each process that has an end of one.
func EX(s *Slice) []*Slice {
	if s.Empty() {
		return nil
	}
	c := s.comp
	added := s.Edges()
	touched := make([]bool, c.NumProcesses())
	for _, e := range added {
		for _, end := range [...]graphs.Event{e.From, e.To} {
			for _, m := range c.Step(end) {
				if p := c.Process(m); p >= 0 {
					touched[p] = true
				}
			}
		}
	}
	var all []*Slice
	for p := range touched {
		if c.Initial()[p] == c.Final()[p] {
			continue
		}
		m := mover{c, p}
		t := m.enabled()
		if touched[p] {
			t = And(t, m.moved(added))
		} else {
			t = And(t, s)
		}
		if t.lean = s.lean; !t.Empty() {
			all = append(all, t)
		}
	}
	return all
}

// A mover turns edges for the cuts after a step of process p into edges for the cuts
// before it.
type mover struct {
	c *graphs.Computation
	p int
}

// before returns the event that a cut must have so that it has e after a step of p.
func (m mover) before(e graphs.Event) graphs.Event {
	if e == graphs.Bottom || e == m.c.Top() {
		return e
	}
	step := m.c.Step(e) // in increasing order
	if i := slices.IndexFunc(step, func(f graphs.Event) bool { return m.c.Process(f) == m.p }); i >= 0 {
		return m.preceding(step[i])
	}
	return e
}

// preceding returns the event before e on its process, ⊥ for the first.
func (m mover) preceding(e graphs.Event) graphs.Event {
	if m.c.Position(e) == 1 {
		return graphs.Bottom
	}
	return e - 1
}

// enabled returns the slice of the cuts where the next step of p can be executed.
func (m mover) enabled() *Slice {
	c := m.c
	var list []graphs.Edge
	for k := c.Initial()[m.p] + 1; k <= c.Final()[m.p]; k++ {
		first := c.Event(m.p, int(k))
		for _, e := range c.Step(first) {
			for _, u := range c.Preds(e) {
				if !c.SameStep(u, e) {
					list = append(list, graphs.Edge{From: u, To: first})
				}
			}
			if u := m.preceding(e); u != graphs.Bottom && c.Process(e) != m.p && !c.SameStep(u, e) {
				list = append(list, graphs.Edge{From: u, To: first})
			}
		}
	}
	// A cut with an event of the last step has no next one.
	last := c.Step(c.Event(m.p, int(c.Final()[m.p])))
	i := slices.IndexFunc(last, func(e graphs.Event) bool { return c.Process(e) == m.p })
	return And(m.moved(list), newSlice(c, nil, barred(c, last[i]), true))
}

// moved returns the slice of the cuts that satisfy the added edges after a step of p.
func (m mover) moved(added []graphs.Edge) *Slice {
	c := m.c
	s := newSlice(c, nil, nil, true)
	var list []graphs.Edge
	for _, e := range added {
		u, v := m.before(e.From), m.before(e.To)
		switch {
		case u == graphs.Bottom || v == c.Top() || u == v:
		case u == c.Top() && v == graphs.Bottom:
			return None(c)
		case u == c.Top():
			s.high = append(s.high, barred(c, v)...)
		case v == graphs.Bottom:
			s.low = append(s.low, forced(c, u)...)
		default:
			list = append(list, graphs.Edge{From: u, To: v})
		}
	}
	return s.with(list, false)
}
