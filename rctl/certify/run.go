package certify

import (
	"slices"
	"sort"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// run shows a formula with an E operator by the run that is its evidence.
func (m *maker) run(n *certificate.Node, c graphs.Cut) (*certificate.Proof, bool) {
	e := m.evidence(n, c)
	if e == nil {
		for _, from := range m.shown[rctl.Shown(n.Formula, rctl.Holds).String()] {
			if p := m.hops(n, c, from, nil); from.Whole && n.Op == syntax.OpEW && p != nil {
				return p, true
			}
		}
		res := m.decide(n, c)
		if res.Verdict != rctl.Holds {
			return nil, false
		}
		e = res.Evidence
	}

	if e == nil || !syntax.IsExistential(e.Formula) {
		e = &rctl.Evidence{Cut: m.comp.Final(), Whole: true}
	}
	whole := e.Whole && n.Op == syntax.OpEW
	var p *certificate.Proof
	if !whole {
		goal, ok := n.Sub[len(n.Sub)-1], false
		if p, ok = m.prove(goal, e.Cut); !ok {
			return nil, false
		}
	}

	if h := m.hops(n, c, e, p); h != nil && h != p {
		return h, n == m.root || m.check(n, c, h)
	}
	if e.Run == nil {
		e.Run = (&engine.Run{Cut: e.Cut, Within: m.comp.From(c), Via: e.Via}).In(m.comp.From(c))
	}
	w := &walk{comp: m.comp, cut: c.Clone()}
	if w.add(e.Run); n.Op == syntax.OpEX {
		p = &certificate.Proof{Rule: "operands", Which: m.comp.Process(w.steps[0]), Of: parts(p)}
	} else {
		last := len(w.steps)
		if !whole {
			last--
		}
		turns, along, ok := m.along(n.Along, w, last)
		if !ok {
			return nil, false
		}
		which, to := 0, len(w.steps)
		for i, turn := range slices.Backward(turns) {
			p = &certificate.Proof{Rule: "run", Which: which, Run: w.legs(turn, to), Of: parts(p, along[i])}
			which, to = 1, turn
		}
	}

	return p, n == m.root || m.check(n, c, p)
}

// maxHops bounds how deep the proofs of hops are in one another.
const maxHops = 1000

// hops shows n by a few cuts of a run and by a proof of the goal at the last one. n holds at
// all cuts between one and the next. It returns nil if it does not.
func (m *maker) hops(n *certificate.Node, c graphs.Cut, e *rctl.Evidence, goal *certificate.Proof) *certificate.Proof {
	if n.Op == syntax.OpEX || n.Along.Truth == nil || len(e.Via) > maxHops {
		return nil
	}
	var all [][]graphs.Event
	for k, at := 0, c; k <= len(e.Via); k++ {
		next, events := e.Cut, e.Via[min(k, len(e.Via)):min(k+1, len(e.Via))]
		if k < len(e.Via) {
			next, _ = m.comp.Above(at, events...)
		} else {
			events = m.lasts(at, next)
		}
		if !at.Equal(next) {
			if m.checker.Refute(n.Along.Not, at, next, nil) != nil {
				return nil
			}
			all = append(all, events)
		}
		at = next
	}

	p := goal
	for k, events := range slices.Backward(all) {
		p = &certificate.Proof{Rule: "run", Events: events, Of: parts(p)}
		if k < len(all)-1 {
			p.Which = 1
		}
	}

	return p
}

// A walk is a run from a cut on.
type walk struct {
	comp  *graphs.Computation
	steps []graphs.Event // an event of each

	cut  graphs.Cut // that after was asked for last
	done int        // steps that lead to it
}

// add adds events, those of a step together.
func (w *walk) add(events []graphs.Event) {
	for len(events) > 0 {
		w.steps = append(w.steps, events[0])
		events = events[len(w.comp.Step(events[0])):]
	}
}

// after returns the cut after so many steps, until it is called again. The time complexity is
// O(steps) from the cut before, or back to an earlier one.
func (w *walk) after(steps int) graphs.Cut {
	for ; w.done > steps; w.done-- {
		for _, e := range w.comp.Step(w.steps[w.done-1]) {
			w.cut[w.comp.Process(e)]--
		}
	}
	for ; w.done < steps; w.done++ {
		for _, e := range w.comp.Step(w.steps[w.done]) {
			w.cut[w.comp.Process(e)]++
		}
	}
	return w.cut
}

// legs lists some of the steps, those of a process that follow each other together.
func (w *walk) legs(from, to int) (legs [][2]int32) {
	for _, e := range w.steps[from:to] {
		p := int32(w.comp.Process(e))
		if i := len(legs) - 1; i >= 0 && legs[i][0] == p {
			legs[i][1]++
		} else {
			legs = append(legs, [2]int32{p, 1})
		}
	}
	return legs
}

// maxTurns bounds the stretches of a run, times the events: for the time, and as package
// encoding/json bounds how deep proofs are in one another.
const maxTurns = 1e7

// along returns proofs that n holds along a run, up to the last of some cuts: one for each
// stretch, with its beginning.
func (m *maker) along(n *certificate.Node, w *walk, last int) (turns []int, of []*certificate.Proof, ok bool) {
	if n.Truth != nil || last < 0 {
		return []int{0}, make([]*certificate.Proof, 1), true
	}
	for first := 0; first <= last; {
		s := m.stretch(n, w, first, last)
		if s.last < first || len(of)*m.comp.NumEvents() > maxTurns {
			return nil, nil, false
		}
		p, ok := s.prove(w.after(first).Clone(), w.after(s.last).Clone())
		if !ok {
			return nil, nil, false
		}
		turns, of = append(turns, first), append(of, p)
		first = s.last + 1
	}

	return turns, of, true
}

// A stretch is a part of a run along which a formula holds for one reason.
type stretch struct {
	last  int // cut; one before the first if there is none
	prove func(first, last graphs.Cut) (*certificate.Proof, bool)
}

// stretch returns a long one for n from a cut of a run on, up to the last at most.
func (m *maker) stretch(n *certificate.Node, w *walk, first, last int) stretch {
	switch {
	case n.Truth != nil:
		i := first
		for i <= last && n.Truth(w.after(i)) {
			i++
		}
		return stretch{i - 1, func(_, _ graphs.Cut) (*certificate.Proof, bool) { return nil, true }}
	case n.Op == syntax.OpAnd:
		all := make(map[*certificate.Node]stretch)
		for _, s := range n.Sub {
			all[s] = m.stretch(s, w, first, last)
			last = all[s].last
		}
		return stretch{last, func(from, to graphs.Cut) (*certificate.Proof, bool) {
			return m.parts(n, func(s *certificate.Node) (*certificate.Proof, bool) { return all[s].prove(from, to) })
		}}
	case n.Op == syntax.OpOr:
		best, which := stretch{last: first - 1}, 0
		for i, s := range n.Sub {
			if best.last == last {
				break
			}
			if one := m.stretch(s, w, first, last); one.last > best.last {
				best, which = one, i
			}
		}
		return stretch{best.last, func(from, to graphs.Cut) (*certificate.Proof, bool) {
			p, ok := best.prove(from, to)
			return &certificate.Proof{Rule: "operands", Which: which, Of: parts(p)}, ok
		}}
	case n.Op == syntax.OpAW && n.Goal.Formula.Op == syntax.OpFalse: // AG
		if !m.holds(n, w.after(first)) {
			last = first - 1
		}
		return stretch{last, func(from, to graphs.Cut) (*certificate.Proof, bool) { return m.refute(n.Not, from, to) }}
	case n.Op == syntax.OpEU, n.Op == syntax.OpEW:
		along := m.stretch(n.Along, w, first, last)
		return stretch{m.furthest(n, w, first, along.last), func(from, to graphs.Cut) (*certificate.Proof, bool) {
			p, ok := m.prove(n, to)
			q, also := along.prove(from, to)
			return &certificate.Proof{Rule: "last", Of: parts(p, q)}, ok && also
		}}
	}

	low := w.after(first).Clone()
	fails := func(last int) bool {
		_, ok := m.refute(n.Not, low, w.after(last))
		return !ok
	}

	if last >= first && fails(last) {
		last = first - 1 + sort.Search(last-first, func(i int) bool { return fails(first + i) })
	}
	return stretch{last, func(from, to graphs.Cut) (*certificate.Proof, bool) { return m.refute(n.Not, from, to) }}
}

// furthest returns the last cut of a run between two at which n holds according to its slice,
// or one before the first if there is none.
func (m *maker) furthest(n *certificate.Node, w *walk, first, last int) int {
	if last < first {
		return last
	}
	s, err := m.session.SliceOf(m.ctx, n.Formula)
	outside := func(i int) bool { return err == nil && !s.Contains(w.after(i)) }
	if !outside(last) && m.holds(n, w.after(last)) {
		return last
	}
	if err != nil {
		return first - 1
	}
	last = first - 1 + sort.Search(last-first, func(i int) bool { return outside(first + i) })
	if last >= first && !m.holds(n, w.after(last)) {
		return first - 1
	}
	return last
}
