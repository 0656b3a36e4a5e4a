package certificate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// Bounds of what the checker does by itself.
const (
	deepest   = 1000    // rules in one another
	mostTried = 1 << 20 // steps that look tries, or as many as there are events
)

// refute checks that no cut between two satisfies n.
func (k *Checker) refute(n *Node, low, high graphs.Cut, p *Proof) {
	if p == nil {
		p = forced
	}
	k.depth++
	k.require(k.depth <= deepest, n.Not, p, "there are too many rules in one another")
	switch at := low.Equal(high); {
	case p.Rule == "forced":
		k.forced(n, low, high, p)
	case p.Rule == "operands":
		k.operands(n, low, high, p)
	case p.Rule == "contradiction":
		k.contradiction(n, p)
	case p.Rule == "split":
		k.split(n, low, high, p)
	case p.Rule == "ends":
		k.require(n.Op == syntax.OpEU || n.Op == syntax.OpAU, n.Not, p, "its negation asks for nothing in the end")
		k.refute(n.Goal, low, k.final, p.of(0))
	case p.Rule == "flow":
		k.flow(n, low, p)
	case at && p.Rule == "cut":
		k.cut(n.Not, low, p)
	case at && p.Rule == "run":
		k.run(n.Not, low, p)
	case at && p.Rule == "pass":
		k.pass(n.Not, low, p)
	case at && p.Rule == "look":
		k.look(n.Not, low, p)
	default:
		k.require(false, n.Not, p, "there is no such rule for cuts from %v to %v", low, high)
	}
	if k.depth--; k.Step != nil {
		k.Step(n, low, high, p)
	}
}

// operands is rule 2.
func (k *Checker) operands(n *Node, low, high graphs.Cut, p *Proof) {
	if n.Op == syntax.OpOr {
		for i, s := range n.Sub {
			k.refute(s, low, high, p.of(i))
		}
		return
	}
	k.require(n.Op == syntax.OpAnd && p.Which >= 0 && p.Which < len(n.Sub), n.Not, p, "it has no such operand")
	k.refute(n.Sub[p.Which], low, high, p.of(0))
}

// contradiction is rule 10.
func (k *Checker) contradiction(n *Node, p *Proof) {
	k.require(n.Op == syntax.OpAnd && p.Which >= 0 && p.Which < len(n.Sub), n.Not, p, "it has no such operand")
	not := n.Sub[p.Which].Not.Formula
	k.require(slices.ContainsFunc(n.Sub, func(s *Node) bool { return s.Formula.Equal(not) }), n.Not, p, "no operand is the negation of that")
}

// split is rule 3.
func (k *Checker) split(n *Node, low, high graphs.Cut, p *Proof) {
	k.require(len(p.Events) == 1, n.Not, p, "it is about one event")
	k.exist(n.Not, p, p.Events...)
	e, with, without := p.Events[0], low.Clone(), high.Clone()
	if k.advance(with, e, high) >= 0 {
		k.refute(n, with, high, p.of(0))
	}
	process := k.comp.Process(e)
	without[process] = min(without[process], int32(k.comp.Position(e))-1)
	if low.Within(without) {
		k.refute(n, low, without, p.of(1))
	}
}

// A linear sum is of numbers, each of one chain.
type linear struct {
	*Checker
	base, size int64                                   // its value at a cut; the sizes of all numbers together
	rounded    bool                                    // there are fractions, of which only the order counts
	put        func(of *term, e graphs.Event, x int64) // takes by how much an event after the cut changes it
}

// add adds up terms from c on. It is not ok if they are no such numbers, or could overflow.
func (l *linear) add(parts []part, c graphs.Cut) bool {
	for _, part := range parts {
		before := graphs.Int(0)
		for e, d := range l.chain(part.reads, c) {
			x := part.value(d)
			change := part.sign * (x.Int64() - before.Int64())
			if x.Float || before.Float { // whether it is more or less
				change, l.rounded = part.sign*int64(x.Compare(before)), true
			}
			l.size += max(change, -change)
			if !oneChain(part.reads) || x.Kind != graphs.Number || !(math.Abs(x.Float64()) <= 1<<50) || l.size > 1<<60 {
				return false
			}
			if before = x; e == graphs.Bottom {
				l.base += change
			} else if change != 0 {
				l.put(part.term, e, change)
			}
		}
	}
	return true
}

// flow is rule 5.
func (k *Checker) flow(n *Node, low graphs.Cut, p *Proof) {
	k.require(n.sum != nil && n.Expr.Rel[0].Relates(-1) != n.Expr.Rel[0].Relates(1), n.Not, p, "it is not a bound")
	rel, is := n.Expr.Rel[0], n.ID%2 == 0
	weight, sign := make([]int64, k.comp.Top()+1), int64(1) // the sum times sign is bounded from above
	if rel.Relates(-1) == is {
		sign = -1
	}
	l := &linear{Checker: k, put: func(_ *term, e graphs.Event, x int64) { weight[e] += sign * x }}
	k.require(l.add(n.sum, low) && !l.rounded, n.Not, p, "it is not about a sum of whole numbers")
	l.base *= sign
	for _, t := range p.Flow {
		u, v := graphs.Event(t[0]), graphs.Event(t[1])
		k.require(int64(u) == t[0] && int64(v) == t[1] && t[2] >= 0 && t[2] <= 1<<60-l.size, n.Not, p, "a flow has two events and an amount")
		k.exist(n.Not, p, u, v)
		l.size += t[2]
		k.require(slices.Contains(k.comp.Preds(v), u), n.Not, p, "a flow is not along an edge")
		if !k.comp.Has(low, u) {
			weight[u], weight[v] = weight[u]+t[2], weight[v]-t[2]
		}
	}
	for q, i := range low {
		sum, most := int64(0), int64(0)
		for ; i < k.final[q]; most = max(most, sum) {
			i++
			sum += weight[k.comp.Event(q, int(i))]
		}
		l.base += most
	}
	k.require(rel.Relates(cmp.Compare(l.base*sign, 0)) != is, n.Not, p, "the sum may be more by %d", l.base)
}

// cut is rule 6.
func (k *Checker) cut(n *Node, c graphs.Cut, p *Proof) {
	to, at := graphs.Cut(p.Cut), c.Clone()
	ok := n.Op == syntax.OpEU && n.Sub[0] == k.falsehood.Not && len(to) == len(c) && c.Within(to) && to.Within(k.final)
	for q := 0; ok && q < len(to); q++ {
		ok = to[q] == at[q] || k.advance(at, k.comp.Event(q, int(to[q])), to) >= 0
	}
	k.require(ok, n, p, "a cut from %v on shows EF", c)
	k.refute(n.Goal.Not, to, to, p.of(0))
}

// run is rule 7.
func (k *Checker) run(n *Node, c graphs.Cut, p *Proof) {
	k.require(n.Op == syntax.OpEX || n.Op == syntax.OpEU || n.Op == syntax.OpER, n, p, "no one run shows it")
	during, goal, left := n.Sub[0], n.Sub[len(n.Sub)-1], 0
	for _, leg := range p.Run {
		left += int(max(0, leg[1]))
	}
	k.require(n.Op != syntax.OpEX || left == 1, n, p, "one step shows it")
	if n.Op == syntax.OpER {
		during, goal = goal, during
	} else if n.Op == syntax.OpEX || left == 0 {
		during = k.falsehood.Not
	}
	a := &along{Checker: k, n: n, p: p, from: c}
	a.during(during, p.of(1))
	at, before := c.Clone(), c // the last cut at which during has to hold
	for _, leg := range p.Run {
		for range leg[1] {
			if left--; left == 0 && n.Op == syntax.OpEU {
				before = at.Clone()
			}
			a.hold(at)
			q := int(leg[0])
			if q < 0 || q >= len(at) || at[q] == k.final[q] || k.advance(at, k.comp.Event(q, int(at[q])+1), k.final) != len(k.comp.Step(k.comp.Event(q, int(at[q])))) {
				k.require(false, n, p, "process %d cannot take the next step at %v", q, at)
			}
		}
	}
	if n.Op == syntax.OpER {
		before = at
		a.hold(at)
	}
	for _, check := range a.last {
		check(before)
	}
	if n.Op != syntax.OpER || p.of(0) != nil || !at.Equal(k.final) {
		k.refute(goal.Not, at, at, p.of(0))
	}
}

// What is along a run has to hold at each of its cuts, but for U the last.
type along struct {
	*Checker
	n    *Node
	p    *Proof
	from graphs.Cut
	each []*Node            // what to evaluate at each cut
	last []func(graphs.Cut) // what else to check, of the last cut at which it has to hold
}

// during adds what makes n hold.
func (a *along) during(n *Node, p *Proof) {
	switch {
	case n.Op == syntax.OpAnd:
		for i, s := range n.Sub {
			a.during(s, p.of(i))
		}
	case n.Truth != nil && n.one:
		a.last = append(a.last, func(end graphs.Cut) {
			for e, d := range a.chain(n.reads, a.from) {
				if !a.comp.Has(end, e) {
					break
				}
				a.require(n.Truth(d), a.n, a.p, "%s is false after event %d", n, e)
			}
		})
	case n.Truth != nil:
		a.each = append(a.each, n)
	case n.Op == syntax.OpOr && p != nil && p.Which >= 0 && p.Which < len(n.Sub):
		a.during(n.Sub[p.Which], p.of(0))
	case n.Op == syntax.OpAR && n.Sub[0] == a.falsehood:
		a.refute(n.Not, a.from, a.from, p)
	default:
		a.require(n.Op == syntax.OpEU || n.Op == syntax.OpER, a.n, a.p, "nothing says that %s holds along the run", n)
		a.last = append(a.last, func(end graphs.Cut) { a.refute(n.Not, end, end, p.of(0)) })
		a.during(n.Along, p.of(1))
	}
}

// hold evaluates what several chains can change.
func (a *along) hold(c graphs.Cut) {
	for _, n := range a.each {
		if !n.Truth(c) {
			a.require(false, a.n, a.p, "%s is false at %v", n, c)
		}
	}
}

// pass is rule 8.
func (k *Checker) pass(n *Node, c graphs.Cut, p *Proof) {
	k.require(n.Op == syntax.OpAU && n.Sub[0] == k.falsehood.Not && p.Which >= 0 && p.Which <= len(p.Events), n, p, "it is not AF")
	low, high := c.Clone(), k.final.Clone()
	first, last := p.Events[:p.Which], p.Events[p.Which:]
	k.exist(n, p, p.Events...)
	for _, e := range first {
		k.advance(low, e, k.final)
	}
	for _, e := range last {
		d := c.Clone()
		k.advance(d, e, k.final)
		same := slices.ContainsFunc(first, func(f graphs.Event) bool { return k.comp.SameStep(e, f) })
		k.require(!same && !k.comp.Has(c, e) && low.Within(d), n, p, "event %d can come before the first ones", e)
		high[k.comp.Process(e)] = min(high[k.comp.Process(e)], int32(k.comp.Position(e))-1)
	}
	k.refute(n.Goal.Not, low, high, p.of(0))
}

// look is rule 9.
func (k *Checker) look(n *Node, c graphs.Cut, p *Proof) {
	known, tried := make(map[string]bool), 0
	var holds func(n *Node, c graphs.Cut) bool
	next := func(n *Node, c graphs.Cut, want bool) bool { // at some next cut n is as wanted
		for q, i := range c {
			if i == k.final[q] {
				continue
			}
			d, e := c.Clone(), k.comp.Event(q, int(i)+1)
			if k.advance(d, e, k.final) == len(k.comp.Step(e)) && holds(n, d) == want {
				return true
			}
		}
		return false
	}
	holds = func(n *Node, c graphs.Cut) (is bool) {
		if n.Truth != nil {
			return n.Truth(c)
		} else if n.Op == syntax.OpAnd || n.Op == syntax.OpAX || n.Op == syntax.OpAR || n.Op == syntax.OpER {
			return !holds(n.Not, c)
		}
		key := fmt.Sprint(n.ID, c)
		if is, ok := known[key]; ok {
			return is
		}
		tried += 1 + len(c)
		k.require(tried <= max(mostTried, k.comp.NumEvents()), n, p, "there is more to look at than the checker does")
		switch n.Op {
		case syntax.OpOr:
			is = slices.ContainsFunc(n.Sub, func(s *Node) bool { return holds(s, c) })
		case syntax.OpEX:
			is = next(n.Sub[0], c, true)
		case syntax.OpEU:
			is = holds(n.Sub[1], c) || holds(n.Sub[0], c) && next(n, c, true)
		case syntax.OpAU:
			is = holds(n.Sub[1], c) || holds(n.Sub[0], c) && !c.Equal(k.final) && !next(n, c, false)
		}
		known[key] = is
		return is
	}
	k.require(holds(n, c), n, p, "it fails at %v", c)
}
