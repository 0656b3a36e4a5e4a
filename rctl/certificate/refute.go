package certificate

import (
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// refute checks that no cut between two satisfies n.
func (k *Checker) refute(n *Node, low, high graphs.Cut, p *Proof) {
	k.depth++
	k.require(k.depth <= 1000, n.Not, p, "there are too many rules in one another")
	switch rule := shows[p.rule()]; {
	case p.rule() == "forced":
		k.forced(n, low, high, p)
	case p.Rule == "operands":
		k.operands(n, low, high, p)
	case p.Rule == "split":
		k.split(n, low, high, p)
	case p.Rule == "flow":
		k.flow(n, low, p)
	case p.Rule == "ends":
		k.require(n.Op == syntax.OpEU || n.Op == syntax.OpAU, n.Not, p, "its negation asks for nothing in the end")
		k.refute(n.Goal, low, k.final, p.of(0))
	default:
		k.require(rule != nil && low.Equal(high), n.Not, p, "there is no such rule for cuts from %v to %v", low, high)
		rule(k, n.Not, low, p)
	}
	if k.depth--; k.Step != nil {
		k.Step(n, low, high, p)
	}
}

// shows are the rules by which a formula holds at a cut.
var shows map[string]func(k *Checker, n *Node, c graphs.Cut, p *Proof)

func init() {
	shows = map[string]func(k *Checker, n *Node, c graphs.Cut, p *Proof){
		"cut": (*Checker).cut, "run": (*Checker).run, "pass": (*Checker).pass, "look": (*Checker).look,
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

// split is rule 3.
func (k *Checker) split(n *Node, low, high graphs.Cut, p *Proof) {
	k.require(len(p.Events) == 1, n.Not, p, "it is about one event")
	e, with, without := p.Events[0], low.Clone(), high.Clone()
	k.exists(e, n.Not, p)
	if k.advance(with, e, high) >= 0 {
		k.refute(n, with, high, p.of(0))
	}
	process := k.comp.Process(e)
	without[process] = min(without[process], int32(k.comp.Position(e))-1)
	if low.Within(without) {
		k.refute(n, low, without, p.of(1))
	}
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

// A run is executed, and what has to hold along it evaluated.
type run struct {
	*Checker
	n       *Node
	p       *Proof
	at      graphs.Cut
	by      [][]*Node          // what has to hold at each cut, by the one process that can change it; in the end, what several can
	changed []*Node            // by the last step
	last    []func(graphs.Cut) // what else to check, of the last cut at which it has to hold
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
	r := &run{Checker: k, n: n, p: p, at: c.Clone(), by: make([][]*Node, len(c)+1)}
	r.during(during, p.of(1))
	before := r.at // will be the last cut at which during has to hold
	for _, leg := range p.Run {
		for range leg[1] {
			if left--; left == 0 && n.Op == syntax.OpEU {
				before = r.at.Clone()
			}
			r.hold()
			r.step(leg[0])
		}
	}
	if n.Op == syntax.OpER {
		r.hold()
	}
	for _, check := range r.last {
		check(before)
	}
	if n.Op != syntax.OpER || p.of(0) != nil || !r.at.Equal(k.final) {
		k.refute(goal.Not, r.at, r.at, p.of(0))
	}
}

// during adds what makes n hold at all cuts of a run but, for U, the last.
func (r *run) during(n *Node, p *Proof) {
	process, ok := n.process()
	switch {
	case n.Op == syntax.OpAnd:
		for i, s := range n.Sub {
			r.during(s, p.of(i))
		}
	case n.Truth != nil:
		if !ok {
			process = len(r.at)
		}
		r.by[process], r.changed = append(r.by[process], n), append(r.changed, n)
	case n.Op == syntax.OpOr && p != nil && p.Which >= 0 && p.Which < len(n.Sub):
		r.during(n.Sub[p.Which], p.of(0))
	case n.Op == syntax.OpAR && n.Sub[0] == r.falsehood:
		r.refute(n.Not, r.at, r.at, p)
	default:
		r.require(n.Op == syntax.OpEU || n.Op == syntax.OpER, r.n, r.p, "nothing says that %s holds along the run", n)
		r.last = append(r.last, func(c graphs.Cut) { r.refute(n.Not, c, c, p.of(0)) })
		r.during(n.Along, p.of(1))
	}
}

// hold checks what the last step may have changed.
func (r *run) hold() {
	for _, s := range r.changed {
		if !s.Truth(r.at) {
			r.require(false, r.n, r.p, "%s is false at %v", s, r.at)
		}
	}
}

// step lets a process take a step.
func (r *run) step(process int32) {
	ok := process >= 0 && int(process) < len(r.at) && r.at[process] < r.final[process]
	r.require(ok, r.n, r.p, "process %d takes no further step", process)
	e := r.comp.Event(int(process), int(r.at[process])+1)
	step := r.comp.Step(e)
	if r.advance(r.at, e, r.final) != len(step) {
		r.require(false, r.n, r.p, "%s cannot be next", r.comp.ID(e))
	}
	r.changed = append(r.changed[:0], r.by[len(r.at)]...)
	for _, e := range step {
		r.changed = append(r.changed, r.by[r.comp.Process(e)]...)
	}
}

// pass is rule 8.
func (k *Checker) pass(n *Node, c graphs.Cut, p *Proof) {
	k.require(n.Op == syntax.OpAU && n.Sub[0] == k.falsehood.Not && p.Which >= 0 && p.Which <= len(p.Events), n, p, "it is not AF")
	low, high := c.Clone(), k.final.Clone()
	first, last := p.Events[:p.Which], p.Events[p.Which:]
	for _, e := range p.Events {
		k.exists(e, n, p)
	}
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
