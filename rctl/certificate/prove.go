package certificate

import (
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// reject is what a rule returns that does not apply.
func reject(n *Node, p *Proof, format string, args ...any) error {
	return &Rejection{p.Rule, n, fmt.Sprintf(format, args...)}
}

// prove checks that n holds at c.
func (k *Checker) prove(n *Node, c graphs.Cut, p *Proof) error {
	if p == nil {
		p = &Proof{Rule: "value"}
	}
	switch p.Rule {
	case "value":
		return k.value(n, c, p)
	case "all":
		return k.all(n, c, p)
	case "one":
		return k.oneOf(n, c, p)
	case "cut":
		return k.reaches(n, c, p)
	case "run":
		return k.runs(n, c, p)
	case "region":
		return k.region(n, c, p)
	case "look":
		return k.look(n, c, p)
	}
	return reject(n, p, "there is no such rule")
}

// of returns a part of a proof, nil if there is none.
func (p *Proof) of(i int) *Proof {
	if p == nil || i >= len(p.Of) {
		return nil
	}
	return p.Of[i]
}

// value is rule 1.
func (k *Checker) value(n *Node, c graphs.Cut, p *Proof) error {
	if n.truth == nil || !n.truth(c) {
		return reject(n, p, "the values at %v do not tell", c)
	}
	return nil
}

// all is rule 2.
func (k *Checker) all(n *Node, c graphs.Cut, p *Proof) error {
	if n.Op != syntax.OpAnd {
		return reject(n, p, "it is not a conjunction")
	}
	for i, s := range n.Sub {
		if err := k.prove(s, c, p.of(i)); err != nil {
			return err
		}
	}
	return nil
}

// oneOf is rule 2.
func (k *Checker) oneOf(n *Node, c graphs.Cut, p *Proof) error {
	if n.Op != syntax.OpOr || p.Which < 0 || p.Which >= len(n.Sub) {
		return reject(n, p, "it is not a disjunction of so many")
	}
	return k.prove(n.Sub[p.Which], c, p.of(0))
}

// reaches is rule 3.
func (k *Checker) reaches(n *Node, c graphs.Cut, p *Proof) error {
	to := graphs.Cut(p.Cut)
	if n.Op != syntax.OpEU || n.Sub[0] != k.falsehood.Not || !k.isCut(to) || !c.Within(to) {
		return reject(n, p, "EF is shown by a cut from %v on", c)
	}
	k.say("%s: a run from %v comes to %v.", n, c, to)
	return k.prove(n.Goal, to, p.of(0))
}

// runs is rule 4.
func (k *Checker) runs(n *Node, c graphs.Cut, p *Proof) error {
	if n.Op != syntax.OpEX && n.Op != syntax.OpEU && n.Op != syntax.OpER {
		return reject(n, p, "no one run shows it")
	}
	r := &run{Checker: k, at: c.Clone(), by: make([][]*Node, len(c))}
	steps := 0 // there will be
	for _, leg := range p.Run {
		if leg[1] < 0 || int(leg[1]) > k.comp.NumEvents()-steps {
			return reject(n, p, "there are not so many steps")
		}
		steps += int(leg[1])
	}
	during, goal := n.Sub[0], n.Sub[len(n.Sub)-1]
	switch n.Op {
	case syntax.OpEX:
		during = k.falsehood.Not
	case syntax.OpEU:
		if steps == 0 {
			return k.prove(goal, c, p.of(0))
		}
	case syntax.OpER:
		during, goal = goal, during
	}
	if err := r.during(during, p.of(1)); err != nil {
		return err
	}
	for _, s := range r.first {
		if err := k.prove(s.n, c, s.p); err != nil {
			return err
		}
	}
	var before graphs.Cut // the last cut at which during has to hold
	for _, leg := range p.Run {
		for range leg[1] {
			if r.steps == steps-1 {
				before = r.at.Clone()
			}
			if err := r.step(n, p, leg[0]); err != nil {
				return err
			}
		}
	}
	whole := n.Op == syntax.OpER && p.of(0) == nil && r.at.Equal(k.final)
	switch {
	case n.Op == syntax.OpEX && steps != 1:
		return reject(n, p, "one step shows it, not %d", steps)
	case n.Op == syntax.OpER:
		before = r.at
		if err := r.hold(n, p, r.changed); err != nil {
			return err
		}
	}
	for _, s := range r.last {
		if err := k.prove(s.n, before, s.p); err != nil {
			return err
		}
	}
	if k.say("%s: a run of %d steps leads from %v to %v.", n, steps, c, r.at); whole {
		return nil
	}
	return k.prove(goal, r.at, p.of(0))
}

// A run is executed, and what has to hold along it evaluated.
type run struct {
	*Checker
	at          graphs.Cut
	steps       int
	by          [][]*Node // without temporal operators, by the one process that changes them
	others      []*Node   // without temporal operators, too
	changed     []*Node   // that may have changed in the last step
	first, last []obligation
}

// An obligation is a formula with its proof.
type obligation struct {
	n *Node
	p *Proof
}

// during adds what makes n hold at all cuts of a run but, for EU, the last.
func (r *run) during(n *Node, p *Proof) error {
	switch {
	case n.truth != nil && n.Op == syntax.OpAnd, n.Op == syntax.OpAnd && p != nil && p.Rule == "all":
		for i, s := range n.Sub {
			if err := r.during(s, p.of(i)); err != nil {
				return err
			}
		}
		return nil
	case n.truth != nil && n.one && len(n.reads) > 0 && n.reads[0].chain.variable == nil:
		q := n.reads[0].chain.process
		r.by[q] = append(r.by[q], n)
		r.changed = append(r.changed, n)
		return nil
	case n.truth != nil:
		r.others, r.changed = append(r.others, n), append(r.changed, n)
		return nil
	case p == nil:
	case n.Op == syntax.OpOr && p.Rule == "one" && p.Which >= 0 && p.Which < len(n.Sub):
		return r.during(n.Sub[p.Which], p.of(0))
	case n.Op == syntax.OpAR && n.Sub[0] == r.falsehood:
		r.first = append(r.first, obligation{n, p})
		return nil
	case (n.Op == syntax.OpEU || n.Op == syntax.OpER) && p.Rule == "last":
		r.last = append(r.last, obligation{n, p.of(0)})
		return r.during(n.Along, p.of(1))
	}
	return reject(n, &Proof{Rule: "run"}, "nothing says that it holds along the run")
}

// hold checks formulas at the cut that the run is at.
func (r *run) hold(n *Node, p *Proof, some []*Node) error {
	for _, s := range some {
		if !s.truth(r.at) {
			return reject(n, p, "%s is false at %v", s, r.at)
		}
	}
	return nil
}

// step lets a process take a step, from a cut at which all has to hold.
func (r *run) step(n *Node, p *Proof, process int32) error {
	if err := r.hold(n, p, r.changed); err != nil {
		return err
	}
	if process < 0 || int(process) >= len(r.at) || r.at[process] >= r.final[process] || !r.running() {
		return reject(n, p, "a step at %v is not one of the computation", r.at)
	}
	r.steps++
	r.changed = append(r.changed[:0], r.others...)
	step := r.comp.Step(r.comp.Event(int(process), int(r.at[process])+1))
	for _, e := range step {
		q := r.comp.Process(e)
		if r.at[q]++; int(r.at[q]) != r.comp.Position(e) || r.at[q] > r.final[q] {
			return reject(n, p, "%s cannot happen at %v", r.comp.ID(e), r.at)
		}
		r.changed = append(r.changed, r.by[q]...)
	}
	for _, e := range step {
		if !r.closed(r.at, e) {
			return reject(n, p, "%s cannot happen at %v", r.comp.ID(e), r.at)
		}
	}
	return nil
}

// region is rule 5.
func (k *Checker) region(n *Node, c graphs.Cut, p *Proof) error {
	k.ties = p.Ties
	d := c.Clone()
	grew, ok := k.up(n.Not, d, k.final)
	switch {
	case k.err != nil:
		return reject(n, p, "%v", k.err)
	case ok && !grew:
		return reject(n, p, "its negation may hold at %v", c)
	case ok:
		k.say("%s: wherever %s from %v on, more has happened: %v.", n, n.Not, c, d)
	default:
		k.say("%s: at no cut from %v on %s.", n, c, n.Not)
	}
	return nil
}
