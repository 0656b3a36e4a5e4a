package certificate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// refute checks that no cut between two satisfies n.
func (k *Checker) refute(n *Node, low, high graphs.Cut, p *Proof) {
	between := map[string]func(n *Node, low, high graphs.Cut, p *Proof){
		"forced": k.forced, "operands": k.operands, "split": k.split, "flow": k.flow,
	}[p.Rule]
	at := map[string]func(n *Node, c graphs.Cut, p *Proof){"run": k.run, "pass": k.pass, "look": k.look}[p.Rule]
	switch {
	case between != nil:
		between(n, low, high, p)
	case at != nil && low.Equal(high):
		at(n.Not, low, p)
	default:
		k.require(false, n.Not, p, "there is no such rule for cuts from %v to %v", low, high)
	}
	k.Step(n, low, high, p)
}

// forced is rule 1.
func (k *Checker) forced(n *Node, low, high graphs.Cut, p *Proof) {
	k.ties = p.Ties
	d := low.Clone()
	k.require(!k.up(n, d, high), n.Not, p, "its negation may hold at a cut from %v on", d)
}

// operands is rule 2.
func (k *Checker) operands(n *Node, low, high graphs.Cut, p *Proof) {
	switch {
	case n.Op == syntax.OpOr:
		for i, s := range n.Sub {
			k.refute(s, low, high, p.of(i))
		}
	case n.Op == syntax.OpAnd && p.Which >= 0 && p.Which < len(n.Sub):
		not := n.Sub[p.Which].Not.Formula
		if !slices.ContainsFunc(n.Sub, func(s *Node) bool { return s.Formula.Equal(not) }) {
			k.refute(n.Sub[p.Which], low, high, p.of(0))
		}
	case n.Along != nil && p.Which == 1:
		k.refute(n.Along, low, high, p.of(0))
	case n.Op == syntax.OpEU || n.Op == syntax.OpAU:
		k.refute(n.Goal, low, k.final, p.of(0))
	case n.Op == syntax.OpEX && p.Which == 1:
		next := high.Clone()
		for q, i := range high {
			if i < k.final[q] {
				for _, e := range k.comp.Step(k.comp.Event(q, int(i)+1)) {
					next[k.comp.Process(e)] = max(next[k.comp.Process(e)], int32(k.comp.Position(e)))
				}
			}
		}
		k.refute(n.Sub[0], low, next, p.of(0))
	case n.Op == syntax.OpEX && low.Equal(high):
		for q := range low {
			if d := low.Clone(); k.step(d, q) {
				k.refute(n.Sub[0], d, d, p.of(q))
			}
		}
	default:
		d := low.Clone()
		k.require(n.Op == syntax.OpAX && k.step(d, p.Which) && low[p.Which] == high[p.Which], n.Not, p, "its negation has no such operand")
		k.refute(n.Sub[0], d, high.Join(d), p.of(0))
	}
}

// split is rule 3.
func (k *Checker) split(n *Node, low, high graphs.Cut, p *Proof) {
	m, with, without := len(p.Events), []graphs.Cut{low}, high.Clone()
	k.require(0 < m && m <= 64 && slices.IsSorted(p.Events), n.Not, p, "it is about up to 64 events, in their order")
	k.exist(n.Not, p, p.Events...)
	for _, e := range p.Events {
		k.require(k.comp.Process(e) == k.comp.Process(p.Events[0]), n.Not, p, "event %d is of another process", e)
		if d := with[len(with)-1].Clone(); k.advance(d, e, high) >= 0 {
			with = append(with, d)
		}
	}

	for i := m; i >= 0; i-- {
		// remove the event and all events that need it
		for todo := slices.Clone(p.Events[i:min(i+1, m)]); len(todo) > 0; todo = todo[1:] {
			for q := k.comp.Process(todo[0]); k.comp.Has(without, todo[0]); without[q]-- {
				todo = append(todo, k.comp.Succs(k.comp.Event(q, int(without[q])))...)
			}
		}
		if i < len(with) && with[i].Within(without) {
			k.refute(n, with[i], without, p.of(m-i))
		}
	}
}

// flow is rule 4.
func (k *Checker) flow(n *Node, low, high graphs.Cut, p *Proof) {
	k.require(n.sum != nil, n.Not, p, "it is no bound on a sum of whole numbers of several chains")
	weight := k.weight // the weight of ⊥ is the sum at low
	if k.weight = nil; weight == nil {
		weight = make([]int64, k.comp.Top()+1)
	}
	for _, part := range n.sum {
		before := int64(0)
		for e, d := range k.chain(part.reads, low) {
			if !k.comp.Has(high, e) {
				break
			}
			x := part.value(d).Int64()
			weight[e] += n.sign * (x - before)
			before = x
		}
	}

	left := int64(exact)
	for _, t := range p.Flow {
		u, v := graphs.Event(t[0]), graphs.Event(t[1])
		k.require(int64(u) == t[0] && int64(v) == t[1] && t[2] >= 0 && t[2] <= left, n.Not, p, "a flow has two events and an amount")
		left -= t[2]
		k.exist(n.Not, p, u, v)
		k.require(slices.Contains(k.comp.Preds(v), u), n.Not, p, "a flow is not along an edge")
		if !k.comp.Has(low, u) && k.comp.Has(high, u) && k.comp.Has(high, v) {
			weight[u], weight[v] = weight[u]+t[2], weight[v]-t[2]
		}
	}

	bound := weight[graphs.Bottom]
	for q, i := range low {
		sum, most := int64(0), int64(0)
		for ; i < high[q]; most = max(most, sum) {
			i++
			e := k.comp.Event(q, int(i))
			sum, weight[e] = sum+weight[e], 0
		}
		bound += most
	}

	weight[graphs.Bottom], k.weight = 0, weight
	k.require(n.Expr.Rel[0].Relates(cmp.Compare(bound*n.sign, 0)) != (n.ID%2 == 0), n.Not, p, "the sum may be more by %d", bound)
}

// run is rule 5.
func (k *Checker) run(n *Node, c graphs.Cut, p *Proof) {
	k.require(n.Op == syntax.OpEU || n.Op == syntax.OpEW, n, p, "no run shows it")
	at := c.Clone()
	steps := []graphs.Event(nil)
	goal := n.Goal
	if p.Which == 1 {
		goal = n
	}
	if k.take(n, at, k.final, p, p.Events...); len(p.Events) > 0 {
		k.refute(n.Along.Not, c, at, p.of(2))
		c = at.Clone()
	}

	for _, leg := range p.Run {
		for range leg[1] {
			q := int(leg[0])
			if !k.step(at, q) {
				k.require(false, n, p, "process %d cannot take the next step, or not after %v", q, at)
			}
			steps = append(steps, k.comp.Event(q, int(at[q])))
		}
	}

	if n.Op == syntax.OpEU || p.of(0) != forced || !at.Equal(k.final) {
		if k.refute(goal.Not, at, at, p.of(0)); len(steps) == 0 {
			return
		}
		for _, e := range k.comp.Step(steps[len(steps)-1]) {
			at[k.comp.Process(e)]--
		}
		steps = steps[:len(steps)-1]
	}

	k.hold(n.Along, c, at, steps, p.of(1))
}

// hold checks that n holds at each cut of a run, from the first one to the last.
func (k *Checker) hold(n *Node, first, last graphs.Cut, steps []graphs.Event, p *Proof) {
	switch {
	case n.Truth != nil:
		at, changes := first.Clone(), make([]bool, k.comp.Top()) // by event
		for _, s := range n.reads {
			for _, e := range s.events {
				changes[k.comp.Step(e)[0]] = true
			}
		}
		k.refute(n.Not, at, at, forced)
		for _, e := range steps {
			for _, f := range k.comp.Step(e) {
				at[k.comp.Process(f)]++
			}
			if changes[k.comp.Step(e)[0]] && !n.Truth(at) {
				k.refute(n.Not, at, at, forced)
			}
		}
	case n.Op == syntax.OpAnd:
		for i, s := range n.Sub {
			k.hold(s, first, last, steps, p.of(i))
		}
	case n.Op == syntax.OpOr && p.Which >= 0 && p.Which < len(n.Sub):
		k.hold(n.Sub[p.Which], first, last, steps, p.of(0))
	case (n.Op == syntax.OpEU || n.Op == syntax.OpEW) && p.Rule == "last":
		k.hold(n.Along, first, last, steps, p.of(1))
		k.refute(n.Not, last, last, p.of(0))
	default:
		k.refute(n.Not, first, last, p)
	}
}

// pass is rule 6.
func (k *Checker) pass(n *Node, c graphs.Cut, p *Proof) {
	k.require(n.Along == k.falsehood.Not && p.Which >= 0 && p.Which <= len(p.Events), n, p, "it is not AF")
	low, high := c.Clone(), k.final.Clone()
	k.take(n, low, high, p, p.Events[:p.Which]...)
	for _, e := range p.Events[p.Which:] {
		d := c.Clone()
		k.take(n, d, k.final, p, e)
		k.require(!k.comp.Has(low, e) && low.Within(d), n, p, "event %d can come before the first ones", e)
		high[k.comp.Process(e)] = min(high[k.comp.Process(e)], int32(k.comp.Position(e))-1)
	}
	k.refute(n.Goal.Not, low, high, p.of(0))
}

// look is rule 7.
func (k *Checker) look(n *Node, c graphs.Cut, p *Proof) {
	known, tried := make(map[string]bool), 0
	var holds func(n *Node, c graphs.Cut) bool
	next := func(n *Node, c graphs.Cut) bool { // whether some next cut satisfies n
		for q := range c {
			if d := c.Clone(); k.step(d, q) && holds(n, d) {
				return true
			}
		}
		return false
	}

	holds = func(n *Node, c graphs.Cut) (is bool) {
		if n.Truth != nil {
			return n.Truth(c)
		} else if n.Op == syntax.OpAnd || n.Op == syntax.OpAX || n.Op == syntax.OpAU || n.Op == syntax.OpAW {
			return !holds(n.Not, c)
		}
		key := fmt.Sprint(n.ID, c)
		if is, ok := known[key]; ok {
			return is
		}
		tried += 1 + len(c)
		k.require(tried <= 1<<20, n, p, "there is more to look at than the checker does")
		switch n.Op {
		case syntax.OpOr:
			is = slices.ContainsFunc(n.Sub, func(s *Node) bool { return holds(s, c) })
		case syntax.OpEX:
			is = next(n.Sub[0], c)
		case syntax.OpEU, syntax.OpEW:
			is = holds(n.Goal, c) || holds(n.Along, c) && (n.Op == syntax.OpEW && c.Equal(k.final) || next(n, c))
		}
		known[key] = is
		return is
	}

	k.require(holds(n, c), n, p, "it fails at %v", c)
}

// up adds events to c that are in every cut between c and high that satisfies n. It returns ok = false
// only if there is no such cut; in that case c must not be used any more.
func (k *Checker) up(n *Node, c, high graphs.Cut) (ok bool) {
	switch k.tick(); n.Op {
	case syntax.OpAtom:
		return k.upAtom(n, c, high)
	case syntax.OpAnd: // L2
		for size := -1; size < c.Size(); {
			size = c.Size()
			if slices.ContainsFunc(n.Sub, func(s *Node) bool { return !k.up(s, c, high) }) {
				return false
			}
		}
		return true
	case syntax.OpOr: // nothing is added to c if the node is true there
		return n.Truth != nil && n.Truth(c) || k.upAny(n, c, high)
	case syntax.OpEX, syntax.OpAX: // L7
		return k.up(n.Sub[0], c.Clone(), k.final) || n.Op == syntax.OpAX && high.Equal(k.final) && copy(c, high) == len(c)
	}
	return k.upPath(n, c, high)
}

// upAtom is rule L1.
func (k *Checker) upAtom(n *Node, c, high graphs.Cut) (ok bool) {
	for ok = true; ok && !n.Truth(c); {
		if !oneChain(n.helps) {
			return slices.ContainsFunc(n.reads, func(s *source) bool { return k.count(s, c) != k.count(s, high) })
		}
		ok = false
		for e, d := range k.chain(n.helps, c) {
			if n.Truth(d) {
				ok = k.advance(c, e, high) >= 0
				break
			}
		}
	}

	return ok
}

// upAny is rule L3.
func (k *Checker) upAny(n *Node, c, high graphs.Cut) (ok bool) {
	meet := high.Clone()
	for _, s := range n.Sub {
		if d := c.Clone(); k.up(s, d, high) {
			if ok, meet = true, meet.Meet(d); meet.Equal(c) {
				break
			}
		}
	}
	copy(c, meet)
	return ok
}

// upPath is rules L4 to L6.
func (k *Checker) upPath(n *Node, c, high graphs.Cut) (ok bool) {
	global := n.Op == syntax.OpAW && n.Goal == k.falsehood // AG
	for again := true; again; {
		again = false
		if !k.up(n.Along, c, high) {
			return false
		}
		d := c.Clone()
		ends := k.up(n.Goal, d, k.final)
		if !ends && (n.Op == syntax.OpEU || n.Op == syntax.OpAU || !k.up(n.Along, k.final.Clone(), k.final)) {
			return false
		}
		for _, tie := range k.ties[n.ID] {
			e, f := tie[0], tie[1]
			k.exist(n.Not, forced, e, f)
			if k.comp.Has(c, f) {
				continue
			}
			back := global || k.implies(n, c, f, e)
			k.require(!k.implies(n, c, e, f) || !back, n.Not, forced, "event %d needs %d", e, f)
			if !global && ends && !k.comp.Has(d, e) && !k.comp.Has(d, f) {
				continue // the run may end before them
			}
			again = true // another pass may find more events that p needs, such as e
			if k.advance(c, f, high) < 0 {
				return false
			}
		}
	}

	return true
}

// implies checks that each cut from c on that has e and satisfies p of n has f. It reports whether e
// needs f.
func (k *Checker) implies(n *Node, c graphs.Cut, e, f graphs.Event) (needs bool) {
	d := c.Clone()
	k.advance(d, e, k.final)
	needs = k.comp.Has(d, f)
	k.require(needs || !k.up(n.Along, d, k.final) || k.comp.Has(d, f), n.Not, forced, "event %d can happen without %d", e, f)
	return needs
}
