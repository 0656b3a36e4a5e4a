package certificate

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// of returns a part of a proof, nil if there is none.
func (p *Proof) of(i int) *Proof {
	if p == nil || i >= len(p.Of) {
		return nil
	}
	return p.Of[i]
}

// rules are those by which a formula holds at a cut.
var rules map[string]func(k *Checker, n *Node, c graphs.Cut, p *Proof)

func init() {
	rules = map[string]func(k *Checker, n *Node, c graphs.Cut, p *Proof){
		"value": (*Checker).value, "all": (*Checker).all, "one": (*Checker).one, "cut": (*Checker).cut, "run": (*Checker).run,
		"region": (*Checker).region, "look": (*Checker).look, "never": (*Checker).unreachable, "overlap": (*Checker).overlap,
	}
}

// prove checks that n holds at c.
func (k *Checker) prove(n *Node, c graphs.Cut, p *Proof) {
	if p == nil {
		p = &Proof{Rule: "value"}
	}
	rule := rules[p.Rule]
	k.require(rule != nil, n, p, "there is no such rule")
	rule(k, n, c, p)
}

// value is rule 1.
func (k *Checker) value(n *Node, c graphs.Cut, p *Proof) {
	k.require(n.Truth != nil && n.Truth(c), n, p, "the values at %v do not tell", c)
}

// all is rule 2.
func (k *Checker) all(n *Node, c graphs.Cut, p *Proof) {
	k.require(n.Op == syntax.OpAnd, n, p, "it is not a conjunction")
	for i, s := range n.Sub {
		k.prove(s, c, p.of(i))
	}
}

// one is rule 2, too.
func (k *Checker) one(n *Node, c graphs.Cut, p *Proof) {
	k.require(n.Op == syntax.OpOr && p.Which >= 0 && p.Which < len(n.Sub), n, p, "it is not a disjunction of so many")
	k.prove(n.Sub[p.Which], c, p.of(0))
}

// cut is rule 3.
func (k *Checker) cut(n *Node, c graphs.Cut, p *Proof) {
	to := graphs.Cut(p.Cut)
	k.require(n.Op == syntax.OpEU && n.Sub[0] == k.falsehood.Not && k.isCut(to) && c.Within(to), n, p, "a cut from %v on shows EF", c)
	k.say("%s holds at %v: a run comes to %v.", n, c, to)
	k.prove(n.Goal, to, p.of(0))
}

// A run is executed, and what has to hold along it evaluated.
type run struct {
	*Checker
	n           *Node
	p           *Proof
	at          graphs.Cut
	by          [][]*Node // what has to hold at each cut, by the one process that can change it
	others      []*Node   // and what several can
	changed     []*Node   // by the last step
	first, last []obligation
}

// An obligation is a formula with its proof, at the first or the last cut of a run.
type obligation struct {
	n *Node
	p *Proof
}

// run is rule 4.
func (k *Checker) run(n *Node, c graphs.Cut, p *Proof) {
	k.require(n.Op == syntax.OpEX || n.Op == syntax.OpEU || n.Op == syntax.OpER, n, p, "no one run shows it")
	during, goal, steps := n.Sub[0], n.Sub[len(n.Sub)-1], 0
	for _, leg := range p.Run {
		k.require(leg[1] >= 0 && int(leg[1]) <= k.comp.NumEvents()-steps, n, p, "there are not so many steps")
		steps += int(leg[1])
	}
	k.require(n.Op != syntax.OpEX || steps == 1, n, p, "one step shows it")
	switch {
	case n.Op == syntax.OpEX || n.Op == syntax.OpEU && steps == 0:
		during = k.falsehood.Not
	case n.Op == syntax.OpER:
		during, goal = goal, during
	}
	r := &run{Checker: k, n: n, p: p, at: c.Clone(), by: make([][]*Node, len(c))}
	r.during(during, p.of(1))
	for _, o := range r.first {
		k.prove(o.n, c, o.p)
	}
	before, left := r.at, steps // before will be the last cut at which during has to hold
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
	for _, o := range r.last {
		k.prove(o.n, before, o.p)
	}
	k.say("%s holds at %v: a run of %d steps leads to %v.", n, c, steps, r.at)
	if n.Op != syntax.OpER || p.of(0) != nil || !r.at.Equal(k.final) {
		k.prove(goal, r.at, p.of(0))
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
	case ok:
		r.by[process], r.changed = append(r.by[process], n), append(r.changed, n)
	case n.Truth != nil:
		r.others, r.changed = append(r.others, n), append(r.changed, n)
	case n.Op == syntax.OpOr && p != nil && p.Which >= 0 && p.Which < len(n.Sub):
		r.during(n.Sub[p.Which], p.of(0))
	case n.Op == syntax.OpAR && n.Sub[0] == r.falsehood:
		r.first = append(r.first, obligation{n, p})
	default:
		r.require(n.Op == syntax.OpEU || n.Op == syntax.OpER, r.n, r.p, "nothing says that %s holds along the run", n)
		r.last = append(r.last, obligation{n, p.of(0)})
		r.during(n.Along, p.of(1))
	}
}

// hold checks what the last step may have changed.
func (r *run) hold() {
	for _, s := range r.changed {
		r.require(s.Truth(r.at), r.n, r.p, "%s is false at %v", s, r.at)
	}
}

// step lets a process take a step.
func (r *run) step(process int32) {
	ok := process >= 0 && int(process) < len(r.at) && r.at[process] < r.final[process]
	r.require(ok, r.n, r.p, "process %d takes no step at %v", process, r.at)
	r.work()
	r.changed = append(r.changed[:0], r.others...)
	step := r.comp.Step(r.comp.Event(int(process), int(r.at[process])+1))
	for _, e := range step {
		q := r.comp.Process(e)
		r.at[q]++
		ok = ok && int(r.at[q]) == r.comp.Position(e) && r.at[q] <= r.final[q]
		r.changed = append(r.changed, r.by[q]...)
	}
	for _, e := range step {
		r.require(ok && r.closed(r.at, e), r.n, r.p, "%s cannot happen before %v", r.comp.ID(e), r.at)
	}
}

// region is rule 5.
func (k *Checker) region(n *Node, c graphs.Cut, p *Proof) {
	k.ties = p.Ties
	d := c.Clone()
	grew, ok := k.up(n.Not, d, k.final)
	k.require(grew || !ok, n, p, "its negation may hold at %v", c)
	if !ok {
		k.say("%s holds at %v: from there on no cut satisfies %s, whatever has happened.", n, c, n.Not)
		return
	}
	k.say("%s holds at %v: wherever %s does from there on, more has happened, at least %v.", n, c, n.Not, d)
}
