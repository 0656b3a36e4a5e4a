package certify_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/graphtest"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/syntax"
)

// A liar makes proofs that have the shape that a formula needs, and are wrong elsewhere.
type liar struct {
	*rand.Rand
	c *graphs.Computation
}

// proof returns a proof of n at a cut.
func (l *liar) proof(n *certificate.Node, at graphs.Cut, depth int) *certificate.Proof {
	if n.Truth != nil && l.IntN(20) > 0 || depth > 6 {
		return nil
	}
	p := &certificate.Proof{}
	of := func(n *certificate.Node, at graphs.Cut) { p.Of = append(p.Of, l.proof(n, at, depth+1)) }
	switch n.Op {
	case syntax.OpAnd:
		p.Rule = "operands"
		for _, s := range n.Sub {
			of(s, at)
		}
	case syntax.OpOr:
		p.Rule, p.Which = "operands", l.IntN(len(n.Sub))
		of(n.Sub[p.Which], at)
	case syntax.OpEX:
		p.Rule, p.Which = "operands", l.IntN(len(at))
		if end := at.Clone(); end[p.Which] < l.c.Final()[p.Which] {
			for _, e := range l.c.Step(l.c.Event(p.Which, int(end[p.Which])+1)) {
				end[l.c.Process(e)]++
			}
			of(n.Sub[0], end)
		}
	case syntax.OpEU, syntax.OpEW:
		if p.Rule = []string{"run", "run", "run", "look"}[l.IntN(4)]; n.Op == syntax.OpEU && l.IntN(2) == 0 {
			end := at.Clone()
			for p.Rule = "run"; l.IntN(4) > 0; {
				e := l.event()
				if p.Events = append(p.Events, e); l.c.Has(l.c.Final(), e) {
					l.c.Advance(end, e)
				}
			}
			of(n.Goal, end)
			return p
		}
		end := at.Clone()
		steps := l.IntN(6)
		if l.IntN(3) == 0 {
			steps = 100
		}
		for range steps {
			process := l.IntN(len(at))
			if end[process] >= l.c.Final()[process] {
				process = 0
				for process < len(at) && end[process] >= l.c.Final()[process] {
					process++
				}
				if process == len(at) {
					break
				}
			}
			if l.IntN(6) > 0 && !l.c.Enabled(end, l.c.Event(process, int(end[process])+1)) {
				continue
			}
			p.Run = append(p.Run, [2]int32{int32(process), 1})
			for _, e := range l.c.Step(l.c.Event(process, int(end[process])+1)) {
				if q := l.c.Process(e); end[q] < l.c.Final()[q] {
					end[q]++
				}
			}
		}
		switch p.Which = l.IntN(3); {
		case p.Which == 1 && l.IntN(3) > 0:
			of(n, end)
		case n.Op == syntax.OpEW && l.IntN(2) == 0:
			p.Of = append(p.Of, nil)
		default:
			of(n.Goal, end)
		}
		p.Of = append(p.Of, l.during(n.Along, at, end, depth+1))
	case syntax.OpAX:
		if p.Rule, p.Which = "operands", l.IntN(2); p.Which == 1 {
			p.Of = append(p.Of, l.never(n.Not.Sub[0], depth+1))
			break
		}
		for range at {
			of(n.Sub[0], at)
		}
	case syntax.OpAtom:
		p.Rule = "look"
	default:
		switch l.IntN(6) {
		case 0:
			p.Rule = "look"
		case 1:
			p.Rule = "operands"
			p.Of = append(p.Of, l.never(n.Not.Goal, 0))
		case 2:
			p.Rule = "pass"
			for p.Which = l.IntN(4); len(p.Events) < 2*p.Which; {
				p.Events = append(p.Events, l.event())
			}
			p.Of = append(p.Of, l.never(n.Not.Goal, 2))
		default:
			p.Rule, p.Ties = "forced", make(map[int][][2]graphs.Event)
			for n := range l.paths(n.Not, make(map[*certificate.Node]bool)) {
				for range l.IntN(4) {
					tie := [2]graphs.Event{l.event(), l.event()}
					if l.IntN(2) == 0 {
						tie[1] = tie[0] + 1
					}
					p.Ties[n.ID] = append(p.Ties[n.ID], tie)
				}
			}
		}
	}
	return p
}

// during returns what says that n holds along a run.
func (l *liar) during(n *certificate.Node, first, last graphs.Cut, depth int) *certificate.Proof {
	p := &certificate.Proof{Rule: "last"}
	switch {
	case n.Truth != nil || depth > 6:
		return nil
	case n.Op == syntax.OpAnd:
		for _, s := range n.Sub {
			p.Of = append(p.Of, l.during(s, first, last, depth+1))
		}
	case n.Op == syntax.OpOr:
		p.Which = l.IntN(len(n.Sub))
		p.Of = append(p.Of, l.during(n.Sub[p.Which], first, last, depth+1))
	case n.Op == syntax.OpAW && l.IntN(4) > 0, l.IntN(4) == 0:
		return l.proof(n, first, depth+1)
	case n.Along != nil:
		p.Of = append(p.Of, l.proof(n, last, depth+1), l.during(n.Along, first, last, depth+1))
	}
	return p
}

// never returns what says that no cut satisfies n.
func (l *liar) never(n *certificate.Node, depth int) *certificate.Proof {
	if n.Truth == nil && l.IntN(3) == 0 { // of the first cut alone
		return l.proof(n.Not, l.c.Initial(), depth+1)
	}
	p := &certificate.Proof{Rule: []string{"operands", "split", "flow", "flow", "operands"}[l.IntN(5)]}
	switch {
	case depth > 6:
		return nil
	case p.Rule == "operands" && n.Op == syntax.OpOr:
		for _, s := range n.Sub {
			p.Of = append(p.Of, l.never(s, depth+1))
		}
	case p.Rule == "operands" && n.Op == syntax.OpAnd:
		p.Which = l.IntN(len(n.Sub))
		p.Of = append(p.Of, l.never(n.Sub[p.Which], depth+1))
	case p.Rule == "operands" && n.Op == syntax.OpAX:
		p.Which = l.IntN(l.c.NumProcesses())
		p.Of = append(p.Of, l.never(n.Sub[0], depth+1))
	case p.Rule == "operands" && n.Op == syntax.OpEX:
		p.Which = 1
		p.Of = append(p.Of, l.never(n.Sub[0], depth+1))
	case p.Rule == "split":
		p.Events, p.Of = []graphs.Event{l.event()}, []*certificate.Proof{l.never(n, depth+1), l.never(n, depth+1)}
		for e := p.Events[0] + 1; l.IntN(3) == 0 && e < l.c.Top(); e += graphs.Event(l.IntN(3)) {
			p.Events, p.Of = append(p.Events, e), append(p.Of, l.never(n, depth+1))
		}
	case p.Rule == "operands" && n.Goal != nil:
		p.Which = l.IntN(2)
		p.Of = append(p.Of, l.never([]*certificate.Node{n.Goal, n.Along}[p.Which], depth+1))
	case p.Rule == "flow":
		for range l.IntN(8) {
			e, f := l.event(), l.event()
			if l.IntN(2) == 0 {
				f = e + 1
			} else if preds := l.c.Preds(f); len(preds) > 0 {
				e = preds[l.IntN(len(preds))]
			}
			if l.IntN(6) == 0 {
				e, f = f, e
			}
			p.Flow = append(p.Flow, [3]int64{int64(e), int64(f), int64(1 + l.IntN(3) - l.IntN(20)/19*4)})
		}
	}
	return p
}

// event names one.
func (l *liar) event() graphs.Event { return graphs.Event(1 + l.IntN(max(l.c.NumEvents(), 1))) }

// paths are the formulas in n that are about runs.
func (l *liar) paths(n *certificate.Node, done map[*certificate.Node]bool) map[*certificate.Node]bool {
	if n.Along != nil && !done[n] {
		done[n] = true
		l.paths(n.Along, done)
		l.paths(n.Goal, done)
	}
	for _, s := range n.Sub {
		l.paths(s, done)
	}
	return done
}

// No proof is accepted of what is false, made for it as it may be.
func TestLies(t *testing.T) {
	const each = 30
	n := graphtest.RoundsUpTo(t, 45_000, 2_700_000)
	tally := make(map[string]int)
	for i := range n / each / 4 {
		r := rand.New(rand.NewPCG(83, uint64(i)))
		pair(r, 4, func(c *graphs.Computation, l *graphtest.Lattice, text string) {
			holds := verdict(t, c, l, text) == rctl.Holds
			k, err := certificate.New(context.Background(), c, parsed(t, text))
			if err != nil {
				t.Fatal(err)
			}
			liar := &liar{r, c}
			for range each {
				p := liar.proof(root(k, !holds), c.Initial(), 0)
				if k.Prove(root(k, !holds), c.Initial(), p) == nil {
					was, _ := json.Marshal(p)
					t.Fatalf("pair %d: a proof is accepted that %s is %t: %s", i, text, !holds, was)
				}
				if p := liar.proof(root(k, holds), c.Initial(), 0); p != nil && k.Prove(root(k, holds), c.Initial(), p) == nil {
					rules(p, tally)
				}
			}
		})
	}
	t.Log(tally)
	for _, rule := range []string{"operands", "run", "last", "forced", "look", "split", "flow", "pass", "turns"} {
		if tally[rule] < n/30_000 {
			t.Errorf("%s: only %d true ones accepted", rule, tally[rule])
		}
	}
}
