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
	case "never":
		return k.unreachable(n, c, p)
	case "overlap":
		return k.overlap(n, c, p)
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
	k.say("%s holds at %v: a run comes to %v.", n, c, to)
	return k.prove(n.Goal, to, p.of(0))
}

// An obligation is a formula with its proof.
type obligation struct {
	n *Node
	p *Proof
}

// A run is executed, and what has to hold along it evaluated.
type run struct {
	*Checker
	at          graphs.Cut
	by          [][]*Node // what has to hold at each cut, by the one process that can change it
	others      []*Node   // and what several can
	changed     []*Node   // by the last step
	first, last []obligation
}

// runs is rule 4.
func (k *Checker) runs(n *Node, c graphs.Cut, p *Proof) error {
	if n.Op != syntax.OpEX && n.Op != syntax.OpEU && n.Op != syntax.OpER {
		return reject(n, p, "no one run shows it")
	}
	during, goal, steps := n.Sub[0], n.Sub[len(n.Sub)-1], 0
	for _, leg := range p.Run {
		if leg[1] < 0 || int(leg[1]) > k.comp.NumEvents()-steps {
			return reject(n, p, "there are not so many steps")
		}
		steps += int(leg[1])
	}
	switch {
	case n.Op == syntax.OpEX && steps != 1:
		return reject(n, p, "one step shows it, not %d", steps)
	case n.Op == syntax.OpEX || n.Op == syntax.OpEU && steps == 0:
		during = k.falsehood.Not
	case n.Op == syntax.OpER:
		during, goal = goal, during
	}
	r := &run{Checker: k, at: c.Clone(), by: make([][]*Node, len(c))}
	err := r.during(during, p.of(1))
	for i := 0; i < len(r.first) && err == nil; i++ {
		err = k.prove(r.first[i].n, c, r.first[i].p)
	}
	before, left := r.at, steps // before will be the last cut at which during has to hold
	for _, leg := range p.Run {
		for i := int32(0); i < leg[1] && err == nil; i++ {
			if left--; left == 0 && n.Op == syntax.OpEU {
				before = r.at.Clone()
			}
			if err = r.hold(n, p); err == nil {
				err = r.step(n, p, leg[0])
			}
		}
	}
	if n.Op == syntax.OpER && err == nil {
		err = r.hold(n, p)
	}
	for i := 0; i < len(r.last) && err == nil; i++ {
		err = k.prove(r.last[i].n, before, r.last[i].p)
	}
	if err == nil {
		k.say("%s holds at %v: a run of %d steps leads to %v.", n, c, steps, r.at)
	}
	if err != nil || n.Op == syntax.OpER && p.of(0) == nil && r.at.Equal(k.final) {
		return err
	}
	return k.prove(goal, r.at, p.of(0))
}

// during adds what makes n hold at all cuts of a run but, for U, the last.
func (r *run) during(n *Node, p *Proof) (err error) {
	switch {
	case n.Op == syntax.OpAnd && (n.truth != nil || p != nil && p.Rule == "all"):
		for i := 0; i < len(n.Sub) && err == nil; i++ {
			err = r.during(n.Sub[i], p.of(i))
		}
		return err
	case n.truth != nil:
		r.changed = append(r.changed, n)
		if q, ok := n.process(); ok {
			r.by[q] = append(r.by[q], n)
		} else {
			r.others = append(r.others, n)
		}
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

// hold checks what the last step may have changed.
func (r *run) hold(n *Node, p *Proof) error {
	for _, s := range r.changed {
		if !s.truth(r.at) {
			return reject(n, p, "%s is false at %v", s, r.at)
		}
	}
	return nil
}

// step lets a process take a step.
func (r *run) step(n *Node, p *Proof, process int32) error {
	if process < 0 || int(process) >= len(r.at) || r.at[process] >= r.final[process] || !r.running() {
		return reject(n, p, "a step at %v is not one of the computation", r.at)
	}
	r.changed = append(r.changed[:0], r.others...)
	step := r.comp.Step(r.comp.Event(int(process), int(r.at[process])+1))
	ok := true
	for _, e := range step {
		q := r.comp.Process(e)
		r.at[q]++
		ok = ok && int(r.at[q]) == r.comp.Position(e) && r.at[q] <= r.final[q]
		r.changed = append(r.changed, r.by[q]...)
	}
	for _, e := range step {
		if ok = ok && r.closed(r.at, e); !ok {
			return reject(n, p, "%s cannot happen before %v", r.comp.ID(e), r.at)
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
		k.say("%s holds at %v: wherever %s does from there on, more has happened, at least %v.", n, c, n.Not, d)
	default:
		k.say("%s holds at %v: from there on no cut satisfies %s, whatever has happened.", n, c, n.Not)
	}
	return nil
}
