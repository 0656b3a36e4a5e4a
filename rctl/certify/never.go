package certify

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/internal/effort"
	"github.com/pota-project/pota/rctl/internal/flow"
	"github.com/pota-project/pota/rctl/internal/intervals"
	"github.com/pota-project/pota/rctl/syntax"
)

// refute returns a proof that no cut from low to high satisfies n.
func (m *maker) refute(n *node, low, high graphs.Cut) *proof {
	// shows asks the checker, and remembers a success, so that the same proof is not checked
	// again at the end.
	shows := func(p *proof) bool {
		if m.checker.Refute(n, low, high, p) != nil {
			return false
		}
		m.checked = checked{n, low, high, p}
		return true
	}

	// The checker refutes many formulas by values and forced events alone.
	if shows(forced) {
		return forced
	}
	// From the cheapest way to the most expensive; each returns as soon as it succeeds.
	switch n.Op {
	case syntax.OpEU, syntax.OpAU, syntax.OpEW, syntax.OpAW:
		at := low.Equal(high)
		// At a single cut, to refute A is to prove E, and a run for it may be known already.
		if at && (n.Op == syntax.OpAU || n.Op == syntax.OpAW) && m.holds(n.Not, low) {
			return m.prove(n.Not, low)
		}
		along := func() *proof { return operand(1, m.refute(n.Along, low, high)) }
		// If the formula along the run fails at once and the values show it, no search for slices
		// is needed.
		if at && m.known(n.Along.Not, low) {
			return along()
		}
		if p := m.forced(n, low, shows); p != nil {
			return p
		}
		if n.Along.Truth == nil {
			if p := along(); p != nil {
				return p
			}
		}
		// A strong until needs its goal at some cut. If no cut from low to the end has it, the rest
		// does not matter.
		if n.Op == syntax.OpEU || n.Op == syntax.OpAU {
			final := m.comp.Final()
			p := m.refute(n.Goal, low, final)
			by := operand(0, p)
			if m.checked.is(n.Goal, low, final, p) { // the rule requires no more
				m.checked = checked{n, low, high, by}
			}
			return by
		}
	case syntax.OpAX:
		if low.Equal(high) && m.holds(n.Not, low) {
			return m.prove(n.Not, low)
		}
	case syntax.OpEX:
		if p := m.nexts(n, low, high); p != nil {
			return p
		}
	case syntax.OpOr:
		if p := m.parts(n, func(s *node) *proof { return m.refute(s, low, high) }); p != nil {
			return p
		}
	case syntax.OpAnd:
		not := make(map[string]bool) // the negations of the temporal operands so far, by their text
		for i, s := range n.Sub {
			if s.Truth != nil {
				continue
			}
			if p := (&proof{Rule: "operands", Which: i}); not[s.Formula.String()] && shows(p) {
				return p
			}
			not[s.Not.Formula.String()] = true
		}
		for i, s := range n.Sub {
			// A bound on a sum is tried by flow before the general way, as boxes would split it
			// without end.
			q := m.flow(s, low, high)
			if s.Truth == nil {
				q = m.refute(s, low, high)
			}
			if p := operand(i, q); p != nil && shows(p) {
				return p
			}
		}
	}

	// The remaining formulas are about values: by an order of intervals, by flow, then by cases.
	for _, by := range []func(n *node, low, high graphs.Cut) *proof{m.order, m.flow, m.boxes} {
		if p := by(n, low, high); p != nil && shows(p) {
			return p
		}
	}

	return nil
}

// maxBoxes bounds how many boxes the cuts between two are split into.
const maxBoxes = 1000

// boxes shows that no cut between two satisfies n by cases: an event has happened or has not.
// It is the middle one among the events of the process with most events that can change what n
// says without temporal operators.
func (m *maker) boxes(n *node, low, high graphs.Cut) *proof {
	visible := make([][]int32, m.comp.NumProcesses())
	later := m.comp.From(low)
	said := []*node{n}
	if n.Op == syntax.OpAnd {
		said = n.Sub
	}
	for _, s := range said {
		if s.Truth == nil {
			continue
		}
		for _, e := range m.changes(s.Formula, later) {
			p := m.comp.Process(e)
			visible[p] = append(visible[p], int32(m.comp.Position(e)))
		}
	}

	// Several operands may change at one event; duplicates would distort which process has most.
	for p := range visible {
		slices.Sort(visible[p])
		visible[p] = slices.Compact(visible[p])
	}

	left := maxBoxes
	return m.split(n, low, high, visible, &left)
}

// changes lists events that can change a formula without temporal operators, all such events of later among them.
func (m *maker) changes(f *syntax.Formula, later *graphs.Computation) (all []graphs.Event) {
	if local(f) {
		for _, i := range m.intervals(f, later) {
			all = append(all, i.Begin, i.End)
		}
		return m.inner(all)
	}

	t, err := atoms.Compile(m.comp, f)
	if err != nil {
		return nil
	}
	for _, s := range t.Slots {
		all = append(all, s.Changes()...)
	}
	return all
}

// inner leaves out ⊥ and ⊤, which may be the ends of intervals.
func (m *maker) inner(all []graphs.Event) []graphs.Event {
	return slices.DeleteFunc(all, func(e graphs.Event) bool { return m.comp.Process(e) < 0 })
}

// nexts shows that no cut from low to high satisfies n, an EX: no cut from low up to the next step
// of each process after high satisfies the operand. It is nil if some cut may.
func (m *maker) nexts(n *node, low, high graphs.Cut) *proof {
	next := high.Clone()
	for q, k := range high {
		if k < m.comp.Final()[q] {
			// Events of one step happen together, so the next cut has all of them.
			for _, e := range m.comp.Step(m.comp.Event(q, int(k)+1)) {
				next[m.comp.Process(e)] = max(next[m.comp.Process(e)], int32(m.comp.Position(e)))
			}
		}
	}

	return operand(1, m.refute(n.Sub[0], low, next))
}

// split divides the cuts from low to high into those with an event and those without it, and goes
// on with both parts. left bounds how many parts there may still be.
func (m *maker) split(n *node, low, high graphs.Cut, visible [][]int32, left *int) *proof {
	if m.checker.Refute(n, low, high, nil) == nil {
		return forced
	}
	if *left--; *left < 0 || m.ctx.Err() != nil {
		return nil
	}
	// The visible events of a process between low and high; the process with most is halved.
	var widest []int32
	process := 0
	for p, v := range visible {
		from, _ := slices.BinarySearch(v, low[p]+1)
		to, _ := slices.BinarySearch(v, high[p]+1)
		if to-from > len(widest) {
			widest, process = v[from:to], p
		}
	}

	if len(widest) == 0 {
		return nil
	}
	// The median, so the depth is logarithmic in the events of each process.
	at := widest[len(widest)/2]
	without := high.Clone()
	without[process] = at - 1
	// The case that the event has happened begins at the least cut with it, and is void where
	// that lies beyond high.
	has, lacks := forced, forced
	if with, _ := m.comp.Above(low, m.comp.Event(process, int(at))); with.Within(high) {
		has = m.split(n, with, high, visible, left)
	}
	// The other ends just before it.
	if has != nil && low.Within(without) {
		lacks = m.split(n, low, without, visible, left)
	}
	if has == nil || lacks == nil {
		return nil
	}
	return &proof{Rule: "split", Events: []graphs.Event{m.comp.Event(process, int(at))}, Of: parts(has, lacks)}
}

// flow shows by a maximum flow that a sum is less, or greater, than n says. It is nil if n is not a
// bound on a sum.
func (m *maker) flow(n *node, low, _ graphs.Cut) *proof {
	e := n.Expr
	if e == nil || e.Op != syntax.ExprCompare || len(e.Args) != 2 || e.Rel[0].Relates(-1) == e.Rel[0].Relates(1) {
		return nil
	}
	left, _ := effort.Left(m.ctx)
	ctx, end := effort.Limited(effort.Counted(m.ctx), flowSteps*left)
	defer end()
	negated := n.ID%2 != 0 // whether n is the negation of its expression
	all, err := flow.Cases(ctx, m.comp.From(low), e, negated)
	// The next check of the context finds the error.
	_ = effort.Spend(m.ctx, effort.Spent(ctx)/flowSteps)
	if all == nil || err != nil {
		return nil
	}
	return cases(all)
}

// flowSteps is how many steps of a flow, an edge or two each, take as long as one other step.
const flowSteps = 16

// cases combines the flows of all cases into one proof, by which of the events where cases begin
// has happened last. The checker takes at most 64 events in a split, so that there are at most 65
// cases on each level.
func cases(all []flow.Case) *proof {
	if n := min(len(all), maxCases); n > 1 {
		p := &proof{Rule: "split"}
		for i := range n {
			first, next := i*len(all)/n, (i+1)*len(all)/n
			if i > 0 {
				p.Events = append(p.Events, all[first].With)
			}
			p.Of = append(p.Of, cases(all[first:next]))
		}
		// The rule lists the last case first.
		slices.Reverse(p.Of)
		return p
	}

	p := &proof{Rule: "flow"}
	for _, t := range all[0].Transfers {
		p.Flow = append(p.Flow, [3]int64{int64(t.From), int64(t.To), t.Amount})
	}
	return p
}

// maxCases bounds the cases of a proof by rule split.
const maxCases = 65

// order shows that no two of the formulas counted by n hold at once, each a formula of one
// process. A path leads from the end of each interval of one formula to the next interval that
// begins, and one unit flows along it. It is nil if n does not count such formulas, or if two of them hold at once.
func (m *maker) order(n *node, low, _ graphs.Cut) *proof {
	e := n.Expr
	if e == nil || len(e.Args) != 2 {
		return nil
	}
	count, number := e.Args[0], e.Args[1]
	if count.Op != syntax.ExprCount {
		count, number = number, count
	}
	// The bound is one or two at once, among formulas of one process each, as for mutual
	// exclusion.
	if count.Op != syntax.ExprCount || number.Op != syntax.ExprNumber || number.Int < 1 || number.Int > 2 {
		return nil
	}
	// Indexed by event, as events are small integers; ⊥ stands for no interval.
	ends := make([]graphs.Event, m.comp.Top()+1) // by where the interval begins
	later := m.comp.From(low)
	for _, f := range count.Sub {
		if !local(f) {
			return nil
		}
		for _, i := range m.intervals(f, later) {
			if i.Begin == graphs.Bottom && ends[i.Begin] != graphs.Bottom {
				return nil
			}
			ends[i.Begin] = i.End
		}
	}

	// All paths are written into one proof, a flow of one unit that passes through every
	// interval.
	p := &proof{Rule: "flow"}
	w := &way{comp: m.comp, seen: low.Clone(),
		head: make([]graphs.Event, m.comp.Top()+1), next: make([]graphs.Event, m.comp.Top()+1)}
	last := ends[graphs.Bottom]
	for _, e := range m.comp.Order() {
		if ends[e] == graphs.Bottom {
			continue
		}
		if from := last; from != graphs.Bottom && !w.find(from, e, p) {
			return nil
		}
		last = ends[e]
	}

	return p
}

// A way finds paths to later and later events.
type way struct {
	comp *graphs.Computation
	seen graphs.Cut // the events that the ends of all paths so far need
	// By event: a later event of its process that is on the path, and the end of the edge that the
	// path takes from here.
	head, next []graphs.Event
	todo       []graphs.Event
}

// find makes one unit flow from an event to another. It returns false unless the second event needs
// the first, and the ends of earlier paths do not. The time complexity of all calls together is
// O(|V|+|edges|).
func (w *way) find(from, to graphs.Event, p *proof) bool {
	if w.comp.Process(from) < 0 || w.comp.Has(w.seen, from) {
		return false
	}
	for w.todo = append(w.todo[:0], to); len(w.todo) > 0; {
		e := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		q, last := w.comp.Process(e), w.comp.Position(e)
		k := int(w.seen[q]) + 1
		// This comes before the loop: events of e's own step may come before e and need it.
		w.seen[q] = max(w.seen[q], int32(last))
		for ; k <= last; k++ {
			f := w.comp.Event(q, k)
			w.head[f] = e
			for _, g := range w.comp.Preds(f) {
				if !w.comp.Has(w.seen, g) {
					w.next[g] = f
					w.todo = append(w.todo, g)
				}
			}
		}
	}

	if !w.comp.Has(w.seen, from) {
		return false
	}
	// head and next form the path backwards from the search, read forwards here.
	for e := w.head[from]; e != to; e = w.head[w.next[e]] {
		p.Flow = append(p.Flow, [3]int64{int64(e), int64(w.next[e]), 1})
	}
	return true
}

// local reports whether a formula is of one process.
func local(f *syntax.Formula) bool {
	owner, _, ok := syntax.ChainOf(f)
	return ok && owner >= 0
}

// intervals returns the intervals of a formula of one process in later, the computation from some cut on.
func (m *maker) intervals(f *syntax.Formula, later *graphs.Computation) []intervals.Interval {
	t, err := atoms.Compile(m.comp, f)
	if err != nil {
		return nil
	}
	return intervals.Of(later, atoms.Along(t))
}

// pass shows AF of a conjunction of formulas, each of one process, by one interval of each: all
// intervals begin before one of them ends. It uses the first such choice.
func (m *maker) pass(n *node, c graphs.Cut) *proof {
	if n.Op != syntax.OpAU || n.Along.Formula.Op != syntax.OpTrue || n.Goal.Truth == nil {
		return nil
	}
	goals := []*node{n.Goal}
	if n.Goal.Op == syntax.OpAnd && !local(n.Goal.Formula) {
		goals = n.Goal.Sub
	}
	left := make([][]intervals.Interval, len(goals))
	later := m.comp.From(c)
	for i, s := range goals {
		if !local(s.Formula) {
			return nil
		}
		if left[i] = m.intervals(s.Formula, later); len(left[i]) == 0 {
			return nil
		}
	}

	// An interval that ends before all others can begin is dropped. Each round drops one at
	// least, so there are as many rounds as intervals at most.
	begins, ends := make([]graphs.Event, len(left)), make([]graphs.Event, len(left))
	for again := true; again; {
		again = false
		for i, all := range left {
			begins[i], ends[i] = all[0].Begin, all[0].End
		}
		// need has all beginnings and what they need: the least cut with all intervals begun.
		need, _ := m.comp.Above(c, begins...)
		for i, end := range ends {
			past, ok := m.comp.Above(c, end)
			// A beginning and an end in one step happen at once, so no cut lies between them.
			same := slices.ContainsFunc(begins, func(begin graphs.Event) bool { return m.comp.SameStep(begin, end) })
			if !ok || need.Within(past) && !same {
				continue
			}
			if left[i] = left[i][1:]; len(left[i]) == 0 {
				return nil
			}
			again = true
		}
	}

	// The rule expects the beginnings first, their number in Which, and then the ends.
	begins = m.inner(begins)
	p := &proof{Rule: "pass", Which: len(begins), Events: append(begins, m.inner(ends)...)}
	return m.check(n, c, p)
}
