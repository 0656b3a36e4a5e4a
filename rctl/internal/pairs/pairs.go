package rctl

import (
	"context"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// Two or more at once, by ordering intervals.
//
// The predicates a(1), …, a(k) are each of one process, no two of the same. An
// interval of a(p) is a longest piece of p's history, as far as cuts can see it, in
// which a(p) holds. Intervals I and J of different processes meet in some cut
// unless the end of one happened before the beginning of the other or is in one
// step with it: the least cut with both beginnings has neither end.
//
// Let the intervals be numbered by their beginnings, in an order in which the
// events can have happened. If no two of different processes meet, each ends before
// the next begins. Conversely, if each ends before the next begins, then all
// that follow begin later still, and no two meet. So it is enough to look at
// neighbours, and two neighbours of which the first does not end before the second
// begins are two that meet. One pass over the computation tells: each event learns
// the greatest number of an interval that ended before it.

// pairsEF decides EF(f) for a disjunction of conjunctions such as
//
//	exists i != j: a@i && a@j
//
// expanded: each of two conjuncts, predicates of different processes, such that any
// two of all the predicates stand together somewhere; and for a count of such
// predicates that is to be at least 2. It returns the least cut at which the two
// that were found hold; another two may hold at a smaller one. It is not ok for
// other formulas.
//
// The time complexity of pairsEF is O(|V|+|edges|+|f|).
func pairsEF(ctx context.Context, c *graphs.Computation, f *syntax.Formula) (cut graphs.Cut, v Verdict, ok bool, err error) {
	family, ok := familyOf(c, f)
	if !ok {
		return nil, Unknown, false, nil
	}
	m := newMeeting(c)
	for p, a := range family {
		if a == nil {
			continue
		}
		prog, err := compile(c, a)
		if err != nil {
			return nil, Unknown, false, err
		}
		m.add(p, chainTurns(prog))
	}
	first, second, found := m.find(ctx)
	if err := ctx.Err(); err != nil {
		return nil, Unknown, false, err
	}
	if !found {
		return nil, Fails, true, nil
	}
	cut, _ = c.Above(c.Initial(), first, second)
	return cut, Holds, true, nil
}

// familyOf returns the predicates of which any two are to hold, by process.
func familyOf(c *graphs.Computation, f *syntax.Formula) (family []*syntax.Formula, ok bool) {
	family = make([]*syntax.Formula, c.NumProcesses())
	if f.Op == syntax.OpAtom {
		return family, countsPairs(f.Expr, family)
	}
	if f.Op != syntax.OpOr || len(f.Sub) < 2 {
		return nil, false
	}
	k := &kinships{known: make(map[*syntax.Formula]*kin), numbers: make(map[string]int32), joined: make(map[[2]int32]*kin)}
	n := len(family)
	of := make([]int32, n)             // the predicate of each process, one more than its number
	paired := make([]uint64, n*n/64+1) // bit p*n+q, p < q
	pairs := 0
	for _, d := range f.Sub {
		a, b, ok := k.two(d)
		if !ok {
			return nil, false
		}
		for _, x := range [2]*kin{a, b} {
			if of[x.process] == 0 {
				of[x.process] = x.number + 1
				family[x.process] = x.formula
			} else if of[x.process] != x.number+1 {
				return nil, false
			}
		}
		bit := min(a.process, b.process)*n + max(a.process, b.process)
		if paired[bit>>6]>>(bit&63)&1 == 0 {
			paired[bit>>6] |= 1 << (bit & 63)
			pairs++
		}
	}
	members := 0
	for _, a := range family {
		if a != nil {
			members++
		}
	}
	return family, pairs == members*(members-1)/2
}

// kinships tells of each predicate of one process which process that is, and which
// predicates are the same.
type kinships struct {
	known   map[*syntax.Formula]*kin // nil for what is not of one process
	numbers map[string]int32
	joined  map[[2]int32]*kin // conjunctions, by their parts
}

// A kin is a predicate of one process. Those with the same text have the same number.
type kin struct {
	process int
	number  int32
	formula *syntax.Formula
}

func (k *kinships) of(f *syntax.Formula) *kin {
	x, ok := k.known[f]
	if !ok {
		if owner, _, ok := syntax.ChainOf(f); ok && owner >= 0 {
			x = &kin{owner, k.number(f), f}
		}
		k.known[f] = x
	}
	return x
}

func (k *kinships) number(f *syntax.Formula) int32 {
	text := f.String()
	number, ok := k.numbers[text]
	if !ok {
		number = int32(len(k.numbers))
		k.numbers[text] = number
	}
	return number
}

// both returns the conjunction of two predicates of one process; x may be nil.
func (k *kinships) both(x, y *kin) *kin {
	if x == nil {
		return y
	}
	key := [2]int32{x.number, y.number}
	z := k.joined[key]
	if z == nil {
		f := syntax.And(x.formula, y.formula)
		z = &kin{x.process, k.number(f), f}
		k.joined[key] = z
	}
	return z
}

// two takes a conjunction apart into predicates of two processes.
func (k *kinships) two(f *syntax.Formula) (a, b *kin, ok bool) {
	if f.Op != syntax.OpAnd {
		return nil, nil, false
	}
	var add func(f *syntax.Formula) bool
	add = func(f *syntax.Formula) bool {
		x := k.of(f)
		switch {
		case x == nil && f.Op == syntax.OpAnd:
			for _, sub := range f.Sub {
				if !add(sub) {
					return false
				}
			}
			return true
		case x == nil:
			return false
		case a == nil || a.process == x.process:
			a = k.both(a, x)
		case b == nil || b.process == x.process:
			b = k.both(b, x)
		default:
			return false
		}
		return true
	}
	for _, sub := range f.Sub {
		if !add(sub) {
			return nil, nil, false
		}
	}
	return a, b, b != nil
}

// countsPairs reports whether e says that two or more of some predicates hold, no
// two of one process, and enters these.
func countsPairs(e *syntax.Expr, family []*syntax.Formula) bool {
	if e.Op != syntax.ExprCompare || len(e.Rel) != 1 {
		return false
	}
	count, rel, k := e.Args[0], e.Rel[0], e.Args[1]
	if count.Op != syntax.ExprCount {
		count, rel, k = k, mirrored[rel], count
	}
	if count.Op != syntax.ExprCount || k.Op != syntax.ExprNumber || k.IsFloat ||
		!(rel == syntax.GreaterEqual && k.Int == 2 || rel == syntax.Greater && k.Int == 1) {
		return false
	}
	for _, f := range count.Sub {
		owner, _, ok := syntax.ChainOf(f)
		if !ok || owner < 0 || family[owner] != nil {
			return false
		}
		family[owner] = f
	}
	return true
}

// A meeting is a search for two intervals of different processes that meet.
type meeting struct {
	comp  *graphs.Computation
	holds []bool           // by process: whether its predicate holds at the cut reached
	turns [][]graphs.Event // by process: the events at which that changes, from there on
	now   []int32          // by process: the number of its interval where it holds

	count int32        // intervals so far
	last  graphs.Event // the beginning of the last of them
	of    int          // the process of the last of them
	ended []int32      // of each event: the greatest number, from 1, of an interval that ended before it or with it
}

func newMeeting(c *graphs.Computation) *meeting {
	n := c.NumProcesses()
	return &meeting{comp: c, holds: make([]bool, n), turns: make([][]graphs.Event, n), now: make([]int32, n), ended: make([]int32, c.Top()+1)}
}

// add enters the predicate of a process by where it turns.
func (m *meeting) add(p int, t turns) {
	past := 0
	for past < len(t.events) && m.comp.Has(m.comp.Initial(), t.events[past]) {
		past++
	}
	m.holds[p], m.turns[p] = t.holds[past], t.events[past:]
}

// find returns the beginnings of two intervals that meet, ⊥ for what holds from the
// initial cut on, and whether there are two.
func (m *meeting) find(ctx context.Context) (first, second graphs.Event, found bool) {
	for p, holds := range m.holds {
		if !holds {
			continue
		}
		if m.count++; m.count == 2 {
			return graphs.Bottom, graphs.Bottom, true
		}
		m.now[p], m.of, m.last = m.count, p, graphs.Bottom
	}
	steps := 0
	inOrder(m.comp, func(step []graphs.Event) bool {
		if steps++; steps&0xffff == 0 && ctx.Err() != nil {
			return false
		}
		first, second, found = m.step(step)
		return !found
	})
	return first, second, found
}

// inOrder calls visit for each meta-event between the initial and the final cut of
// c in an order in which they can happen, until visit returns false. Where no
// meta-event has several events, it goes on with a process until an event needs one
// of another process that is still to come, and then with that process.
//
// The time complexity of inOrder is O(|V|+|edges|).
func inOrder(c *graphs.Computation, visit func(step []graphs.Event) bool) {
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
func (m *meeting) step(step []graphs.Event) (first, second graphs.Event, found bool) {
	c := m.comp
	ended := int32(0)
	for _, e := range step {
		for _, f := range c.Preds(e) {
			ended = max(ended, m.ended[f])
		}
		if c.Process(e-1) == c.Process(e) {
			ended = max(ended, m.ended[e-1])
		}
	}
	turned := false
	for _, e := range step {
		p := c.Process(e)
		if t := m.turns[p]; len(t) > 0 && t[0] == e {
			m.holds[p], m.turns[p] = !m.holds[p], t[1:]
			turned = true
		}
	}
	if turned {
		for _, e := range step {
			if p := c.Process(e); !m.holds[p] && m.now[p] > 0 {
				ended = max(ended, m.now[p])
				m.now[p] = 0
			}
		}
		for _, e := range step {
			p := c.Process(e)
			if !m.holds[p] || m.now[p] > 0 {
				continue
			}
			if m.count > 0 && ended < m.count && m.of != p {
				return m.last, e, true
			}
			m.count++
			m.now[p], m.of, m.last = m.count, p, e
		}
	}
	for _, e := range step {
		m.ended[e] = ended
	}
	return 0, 0, false
}
