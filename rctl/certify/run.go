package certify

import (
	"slices"
	"sort"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// run shows a formula with an E operator by the run that is its evidence.
func (m *maker) run(n *node, c graphs.Cut) *proof {
	e := m.evidence(n, c)
	// No evidence at this cut: evidence for the same formula from another cut may have a run that
	// passes here, which is cheaper than a decision.
	if e == nil {
		for _, from := range m.shown[rctl.Shown(n.Formula, rctl.Holds).String()] {
			if p := m.hops(n, c, from, nil); from.Whole && n.Op == syntax.OpEW && p != nil {
				return p
			}
		}
		res := m.decide(n, c)
		if res.Verdict != rctl.Holds {
			return nil
		}
		e = res.Evidence
	}

	// The formula holds by values alone, or for another reason than a run: any run to the end
	// shows it.
	if e == nil || !syntax.IsExistential(e.Formula) {
		e = &rctl.Evidence{Cut: m.comp.Final(), Whole: true}
	}
	// whole says that the run goes to the end with no goal, as for EG.
	whole := e.Whole && n.Op == syntax.OpEW
	var p *proof
	if !whole {
		goal := n.Sub[len(n.Sub)-1]
		if p = m.prove(goal, e.Cut); p == nil {
			return nil
		}
	}

	// Hops are shorter than a run, a few cuts in place of each step.
	if h := m.hops(n, c, e, p); h != nil && h != p {
		return m.checkInside(n, c, h)
	}
	// The run is computed on first use, as most evidence is proved by hops.
	if e.Run == nil {
		e.Run = (&engine.Run{Cut: e.Cut, Within: m.comp.From(c), Via: e.Via}).In(m.comp.From(c))
	}
	w := &walk{comp: m.comp, cut: c.Clone()}
	for i := 0; i < len(e.Run); i += len(m.comp.Step(e.Run[i])) {
		w.steps = append(w.steps, e.Run[i]) // the other events of the step follow it
	}
	if n.Op == syntax.OpEX {
		p = &proof{Rule: "operands", Which: m.comp.Process(w.steps[0]), Of: parts(p)}
	} else {
		last := len(w.steps)
		if !whole {
			// At the cut of the goal nothing needs to hold along.
			last--
		}
		turns, along := m.along(n.Along, w, last)
		if turns == nil {
			return nil
		}
		which, to := 0, len(w.steps)
		// From the last stretch to the first, as each proof contains the next one.
		for i, turn := range slices.Backward(turns) {
			p = &proof{Rule: "run", Which: which, Run: w.legs(turn, to), Of: parts(p, along[i])}
			which, to = 1, turn
		}
	}

	return m.checkInside(n, c, p)
}

// checkInside checks a proof unless it is about the root, whose proof is checked in the end.
func (m *maker) checkInside(n *node, c graphs.Cut, p *proof) *proof {
	if n == m.root {
		return p
	}
	return m.check(n, c, p)
}

// maxHops bounds how deep proofs of hops are nested.
const maxHops = 1000

// hops shows n by a few cuts of a run and a proof of the goal at the last one. It returns nil if the
// checker cannot verify that n holds at all cuts between one of them and the next.
func (m *maker) hops(n *node, c graphs.Cut, e *rctl.Evidence, goal *proof) *proof {
	if n.Op == syntax.OpEX || n.Along.Truth == nil || len(e.Via) > maxHops {
		return nil
	}
	var all [][]graphs.Event
	// The hops are the events of e.Via, and from the last of them to the cut of the goal.
	for k, at := 0, c; k <= len(e.Via); k++ {
		next, events := e.Cut, e.Via[min(k, len(e.Via)):min(k+1, len(e.Via))]
		if k < len(e.Via) {
			next, _ = m.comp.Above(at, events...)
		} else {
			// The last event of each process that moves on needs the rest.
			events = nil
			for q, count := range next {
				if count > at[q] {
					events = append(events, m.comp.Event(q, int(count)))
				}
			}
		}
		if !at.Equal(next) {
			// The checker must accept the whole box between two hops without a proof; otherwise
			// hops fail as a whole.
			if m.checker.Refute(n.Along.Not, at, next, nil) != nil {
				return nil
			}
			all = append(all, events)
		}
		at = next
	}

	p := goal
	// From the last hop to the first: each contains the proof of what follows, and Which says
	// that it is a hop again.
	for k, events := range slices.Backward(all) {
		p = &proof{Rule: "run", Events: events, Of: parts(p)}
		if k < len(all)-1 {
			p.Which = 1
		}
	}

	return p
}

// A walk is a run from a cut on.
type walk struct {
	comp  *graphs.Computation
	steps []graphs.Event // one event of each step

	cut  graphs.Cut // the last result of after
	done int        // how many steps lead to that cut
}

// after returns the cut after a number of steps. The cut is valid until the next call. The time
// complexity is O(steps between the two cuts).
func (w *walk) after(steps int) graphs.Cut {
	// The cut moves by single steps from where it was. Callers ask for neighboring cuts, or
	// search by halving.
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

// legs lists the steps from one number to another. Consecutive steps of one process are one leg.
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

// maxTurns bounds the stretches of a run times the events. It saves time, and package encoding/json
// bounds how deep proofs are nested.
const maxTurns = 1e7

// along returns proofs that n holds at the cuts of a run up to the given one: a proof for each
// stretch, and where the stretch begins.
func (m *maker) along(n *node, w *walk, last int) (turns []int, of []*proof) {
	// Values need no proof, and no cut at all is shown by none.
	if n.Truth != nil || last < 0 {
		return []int{0}, []*proof{forced}
	}
	for first := 0; first <= last; {
		// Each stretch is as long as possible, so their number is least: what holds on an
		// interval holds on each part of it.
		s := m.stretch(n, w, first, last)
		if s.last < first || len(of)*m.comp.NumEvents() > maxTurns {
			return nil, nil
		}
		// Both cuts are cloned, because after reuses its result.
		p := s.prove(w.after(first).Clone(), w.after(s.last).Clone())
		if p == nil {
			return nil, nil
		}
		turns, of = append(turns, first), append(of, p)
		first = s.last + 1
	}

	return turns, of
}

// A stretch is a part of a run along which a formula holds for one reason.
type stretch struct {
	last  int // its last cut; the one before its first cut if the stretch is empty
	prove func(first, last graphs.Cut) *proof
}

// stretch returns a long stretch for n that begins at the cut first and ends at last or before.
func (m *maker) stretch(n *node, w *walk, first, last int) stretch {
	between := func(from, to graphs.Cut) *proof { return m.refute(n.Not, from, to) }
	switch {
	case n.Truth != nil:
		i := first
		for i <= last && n.Truth(w.after(i)) {
			// The scan is linear, but it evaluates values only.
			i++
		}
		return stretch{i - 1, func(_, _ graphs.Cut) *proof { return forced }}
	case n.Op == syntax.OpAnd:
		all := make(map[*node]stretch)
		for _, s := range n.Sub {
			// Each operand limits the next, so the stretch of the conjunction is the shortest.
			all[s] = m.stretch(s, w, first, last)
			last = all[s].last
		}
		return stretch{last, func(from, to graphs.Cut) *proof {
			return m.parts(n, func(s *node) *proof { return all[s].prove(from, to) })
		}}
	case n.Op == syntax.OpOr:
		// One operand must hold along the whole stretch: the one that reaches furthest is used.
		best, which := stretch{last: first - 1}, 0
		for i, s := range n.Sub {
			if best.last == last {
				break
			}
			if one := m.stretch(s, w, first, last); one.last > best.last {
				best, which = one, i
			}
		}
		return stretch{best.last, func(from, to graphs.Cut) *proof {
			return operand(which, best.prove(from, to))
		}}
	case n.Op == syntax.OpAW && n.Goal.Formula.Op == syntax.OpFalse: // AG
		// AG at the first cut implies AG at all later ones.
		if !m.holds(n, w.after(first)) {
			last = first - 1
		}
		return stretch{last, between}
	case n.Op == syntax.OpEU, n.Op == syntax.OpEW:
		// EU at the last cut, together with what holds along up to it, implies EU at each cut
		// before.
		along := m.stretch(n.Along, w, first, last)
		return stretch{m.furthest(n, w, first, along.last), func(from, to graphs.Cut) *proof {
			p, q := m.prove(n, to), along.prove(from, to)
			if p == nil || q == nil {
				return nil
			}
			return &proof{Rule: "last", Of: parts(p, q)}
		}}
	}

	low := w.after(first).Clone()
	// That no cut up to the last satisfies the negation is monotone: if it fails for a stretch,
	// it fails for longer ones, so a binary search finds the longest.
	fails := func(last int) bool { return between(low, w.after(last)) == nil }
	if last >= first && fails(last) {
		last = first - 1 + sort.Search(last-first, func(i int) bool { return fails(first + i) })
	}
	return stretch{last, between}
}

// furthest returns the last of some cuts of a run at which n holds according to its slice, or
// first-1 if it holds at none.
func (m *maker) furthest(n *node, w *walk, first, last int) int {
	if last < first {
		return last
	}
	// A slice is tried before an engine, because membership is cheap. If there is one, the last cut
	// within it is found by binary search.
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
