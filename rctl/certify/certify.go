// Package certify makes the proofs of certificates (package certificate): it looks for
// what the rules need. Nothing in it has to be right for a verdict to be; what it returns
// has been checked.
//
// # How it looks
//
// A run is the evidence of package rctl. What is said of all runs is shown by rule
// "forced" where slices tell which events would have to happen at once: the strongly
// connected components of a slice that are larger than a step of the computation (Sen and
// Garg, Detecting Temporal Logic Predicates in Distributed Programs Using Computation
// Slicing, OPODIS 2003, algorithm A3). The rules for formulas of some shapes are tried in
// the order of their costs, and "look" last.
package certify

import (
	"context"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/syntax"
)

// Proof returns a proof of what was decided of f, as it was parsed, at the initial cut of
// c, the computation of a session; it is not ok if it finds none. What the evidence shows is
// not decided again. A proof that is nil is one by rule "forced". The error is that of ctx,
// or says that f does not fit the computation.
func Proof(ctx context.Context, s *rctl.Session, c *graphs.Computation, f *syntax.Formula, decided *rctl.Result) (p *certificate.Proof, ok bool, err error) {
	k, err := certificate.New(ctx, c, f)
	if err != nil {
		return nil, false, err
	}
	m := &maker{ctx: ctx, comp: c, checker: k, session: s, at: c.Initial(), root: k.Root, shown: make(map[string][]*rctl.Evidence)}
	if decided.Verdict != rctl.Holds {
		m.root = m.root.Not
	}
	m.show(decided.Evidence)
	p, ok = m.prove(m.root, c.Initial())
	if ok {
		err = k.Prove(m.root, c.Initial(), p)
	}
	if _, rejected := err.(certificate.Rejection); rejected {
		p, ok, err = m.look(m.root, c.Initial())
	}
	return p, ok, err
}

// Certify completes a certificate of what was decided of f, as it was parsed: with a proof
// or, where none is found before ctx is done, with the name of the engine that decided.
func Certify(ctx context.Context, s *rctl.Session, c *graphs.Computation, f *syntax.Formula, decided *rctl.Result, engine string, claim *certificate.Certificate) error {
	p, ok, err := Proof(ctx, s, c, f, decided)
	if claim.Version, claim.Verdict, claim.Proof = certificate.Version, decided.Verdict.String(), p; !ok {
		claim.Engine = engine
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// A maker looks for proofs.
type maker struct {
	ctx     context.Context
	comp    *graphs.Computation
	checker *certificate.Checker
	session *rctl.Session
	at      graphs.Cut                  // at which the session decides
	root    *certificate.Node           // whose proof is checked in the end
	shown   map[string][]*rctl.Evidence // by formula
}

// show notes evidence, and what is nested in it.
func (m *maker) show(e *rctl.Evidence) {
	if e == nil {
		return
	}
	key := e.Formula.String()
	m.shown[key] = append(m.shown[key], e)
	for _, child := range e.Children {
		m.show(child)
	}
}

// evidence returns what was noted of n at a cut, nil if nothing was.
func (m *maker) evidence(n *certificate.Node, c graphs.Cut) *rctl.Evidence {
	for _, e := range m.shown[rctl.Shown(n.Formula, rctl.Holds).String()] {
		if e.Start.Equal(c) {
			return e
		}
	}
	return nil
}

// from returns a session that decides at a cut.
func (m *maker) from(c graphs.Cut) *rctl.Session {
	if !c.Equal(m.at) {
		m.session, m.at = rctl.NewSession(m.comp.From(c)), c.Clone()
	}
	return m.session
}

// check reports whether a proof is one.
func (m *maker) check(n *certificate.Node, c graphs.Cut, p *certificate.Proof) bool {
	return m.checker.Prove(n, c, p) == nil
}

// prove returns a proof that n holds at a cut, as it is thought to.
func (m *maker) prove(n *certificate.Node, c graphs.Cut) (*certificate.Proof, bool) {
	if m.ctx.Err() != nil {
		return nil, false
	}
	if n.Truth != nil {
		return nil, n.Truth(c)
	}
	switch n.Op {
	case syntax.OpAnd:
		return m.parts(n, func(s *certificate.Node) (*certificate.Proof, bool) { return m.prove(s, c) })
	case syntax.OpOr:
		return m.one(n, c)
	case syntax.OpEX, syntax.OpEU, syntax.OpER:
		if p, ok := m.run(n, c); ok {
			return p, true
		}
	case syntax.OpAU, syntax.OpAR:
		for _, by := range []func(*certificate.Node, graphs.Cut) (*certificate.Proof, bool){m.forced, m.pass, m.ends} {
			if p, ok := by(n, c); ok {
				return p, true
			}
		}
	}
	p, ok, _ := m.look(n, c)
	return p, ok
}

func (m *maker) look(n *certificate.Node, c graphs.Cut) (*certificate.Proof, bool, error) {
	p := &certificate.Proof{Rule: "look"}
	err := m.checker.Prove(n, c, p)
	if _, rejected := err.(certificate.Rejection); rejected {
		return nil, false, nil
	}
	return p, err == nil, err
}

// parts puts proofs of all operands together.
func (m *maker) parts(n *certificate.Node, of func(*certificate.Node) (*certificate.Proof, bool)) (*certificate.Proof, bool) {
	p := &certificate.Proof{Rule: "operands", Of: make([]*certificate.Proof, len(n.Sub))}
	for i, s := range n.Sub {
		var ok bool
		if p.Of[i], ok = of(s); !ok {
			return nil, false
		}
	}
	return p, true
}

// one proves an operand of a disjunction that holds: the first that values tell, evidence
// shows, or the engines say.
func (m *maker) one(n *certificate.Node, c graphs.Cut) (*certificate.Proof, bool) {
	for _, holds := range []func(*certificate.Node, graphs.Cut) bool{m.known, m.holds} {
		for i, s := range n.Sub {
			if !holds(s, c) {
				continue
			}
			if p, ok := m.prove(s, c); ok {
				return &certificate.Proof{Rule: "operands", Which: i, Of: parts(p)}, true
			}
		}
	}
	return nil, false
}

// known reports whether values and evidence tell that n holds at a cut.
func (m *maker) known(n *certificate.Node, c graphs.Cut) bool {
	switch {
	case n.Truth != nil:
		return n.Truth(c)
	case n.Op == syntax.OpAnd:
		return !slices.ContainsFunc(n.Sub, func(s *certificate.Node) bool { return !m.known(s, c) })
	case n.Op == syntax.OpOr:
		return slices.ContainsFunc(n.Sub, func(s *certificate.Node) bool { return m.known(s, c) })
	}
	return m.evidence(n, c) != nil
}

// holds reports whether the engines say that n, which is not known to, holds at a cut.
func (m *maker) holds(n *certificate.Node, c graphs.Cut) bool {
	return n.Truth == nil && !m.known(n, c) && m.decide(n, c).Verdict == rctl.Holds
}

// parts lists the parts of a proof, without those at the end that are nil.
func parts(of ...*certificate.Proof) []*certificate.Proof {
	for len(of) > 0 && of[len(of)-1] == nil {
		of = of[:len(of)-1]
	}
	return of
}

// decide lets the engines decide n at a cut.
func (m *maker) decide(n *certificate.Node, c graphs.Cut) *rctl.Result {
	res, err := m.from(c).Check(m.ctx, n.Formula, rctl.Options{Evidence: true, MaxMemory: mostBytes})
	if err != nil {
		return &rctl.Result{}
	}
	m.show(res.Evidence)
	return res
}

// mostBytes bounds what deciding a part of a formula again may take.
const mostBytes = 1 << 28

// run shows a formula with an E operator by the run that is its evidence.
func (m *maker) run(n *certificate.Node, c graphs.Cut) (*certificate.Proof, bool) {
	e := m.evidence(n, c)
	if e == nil {
		res := m.decide(n, c)
		if res.Verdict != rctl.Holds {
			return nil, false
		}
		e = res.Evidence
	}
	if e == nil || !syntax.IsExistential(e.Formula) {
		e = &rctl.Evidence{Cut: m.comp.Final(), Run: m.comp.Topological(c, m.comp.Final()), Whole: true}
	}
	whole := e.Whole && n.Op == syntax.OpER
	during, goal := n.Sub[0], n.Sub[len(n.Sub)-1]
	if n.Op == syntax.OpER {
		during, goal = goal, during
	}
	var end *certificate.Proof
	if !whole {
		var ok bool
		if end, ok = m.prove(goal, e.Cut); !ok {
			return nil, false
		}
	}
	p := &certificate.Proof{Rule: "run", Of: parts(end)}
	switch {
	case n.Op == syntax.OpEU && e.Cut.Equal(c): // the run without steps
	case n.Op == syntax.OpEU && n.Along == n.Sub[0]: // EF
		p.Rule, p.Cut = "cut", e.Cut
	case n.Op == syntax.OpEX:
		p.Run, _ = m.legs(e.Run, c, false)
	default:
		var last graphs.Cut
		p.Run, last = m.legs(e.Run, c, n.Op == syntax.OpER)
		along, ok := m.during(during, c, last)
		if !ok {
			return nil, false
		}
		p.Of = parts(end, along)
	}
	return p, n == m.root || m.check(n, c, p)
}

// legs lists the steps of a run from c on, and returns its last cut but one or, if it is to
// the end, the last one.
func (m *maker) legs(run []graphs.Event, c graphs.Cut, toEnd bool) (legs [][2]int32, last graphs.Cut) {
	for last = c.Clone(); len(run) > 0; {
		step := m.comp.Step(run[0])
		process := int32(m.comp.Process(step[0]))
		if i := len(legs) - 1; i >= 0 && legs[i][0] == process {
			legs[i][1]++
		} else {
			legs = append(legs, [2]int32{process, 1})
		}
		if run = run[len(step):]; len(run) > 0 || toEnd {
			for _, e := range step {
				last[m.comp.Process(e)]++
			}
		}
	}
	return legs, last
}

// during returns what shows that n holds along a run.
func (m *maker) during(n *certificate.Node, first, last graphs.Cut) (*certificate.Proof, bool) {
	if n.Truth != nil {
		return nil, true
	}
	switch n.Op {
	case syntax.OpAnd:
		return m.parts(n, func(s *certificate.Node) (*certificate.Proof, bool) { return m.during(s, first, last) })
	case syntax.OpOr:
		for i, s := range n.Sub {
			if p, ok := m.during(s, first, last); ok && (s.Truth == nil || s.Truth(first) && s.Truth(last)) {
				return &certificate.Proof{Rule: "operands", Which: i, Of: parts(p)}, true
			}
		}
	case syntax.OpAR:
		return m.prove(n, first)
	case syntax.OpEU, syntax.OpER:
		at, ok := m.prove(n, last)
		along, also := m.during(n.Along, first, last)
		return &certificate.Proof{Rule: "last", Of: parts(at, along)}, ok && also
	}
	return nil, false
}

// forced shows a formula with an A operator by the events that its negation forces.
func (m *maker) forced(n *certificate.Node, c graphs.Cut) (*certificate.Proof, bool) {
	if m.check(n, c, nil) {
		return nil, true
	}
	t := &ties{first: make(map[int][][2]graphs.Event), last: make(map[int][][2]graphs.Event), every: make(map[int][][2]graphs.Event), done: make(map[*certificate.Node]bool)}
	m.ties(n.Not, c, t)
	p := &certificate.Proof{Rule: "forced"}
	for _, p.Ties = range []map[int][][2]graphs.Event{t.first, t.last, t.every} {
		if len(p.Ties) > 0 && m.check(n, c, p) {
			return p, true
		}
	}
	return nil, false
}

// ties are events that would have to happen at once if what formulas ask for along runs is
// to hold, by the ID of the formula: the first of each process, the last, or all.
type ties struct {
	first, last, every map[int][][2]graphs.Event
	done               map[*certificate.Node]bool
}

// ties finds those of n and what is nested in it.
func (m *maker) ties(n *certificate.Node, c graphs.Cut, t *ties) {
	if n.Truth != nil || t.done[n] {
		return
	}
	t.done[n] = true
	for _, s := range n.Sub {
		m.ties(s, c, t)
	}
	if n.Along == nil {
		return
	}
	m.ties(n.Goal, c, t)
	m.ties(n.Along, c, t)
	if n.Along.Formula.Op == syntax.OpTrue { // forces nothing
		return
	}
	along, err := m.from(c).SliceOf(m.ctx, n.Along.Formula)
	if err != nil || along.Empty() {
		return
	}
	sliced := along.Computation()
	if n.Op == syntax.OpAR && n.Goal.Formula.Op == syntax.OpFalse { // AG
		m.beyond(n, sliced, c, t)
		return
	}
	for p := range m.comp.NumProcesses() {
		var own [][2]graphs.Event
		for k := int(c[p]) + 1; k <= int(m.comp.Final()[p]); k++ {
			e := m.comp.Event(p, k)
			if step := sliced.Step(e); len(step) > len(m.comp.Step(e)) {
				i := slices.IndexFunc(step, func(f graphs.Event) bool { return !m.comp.SameStep(e, f) })
				own = append(own, [2]graphs.Event{e, step[i]})
			}
		}
		if len(own) > 0 {
			t.first[n.ID] = append(t.first[n.ID], own[0])
			t.last[n.ID] = append(t.last[n.ID], own[len(own)-1])
			t.every[n.ID] = append(t.every[n.ID], own...)
		}
	}
}

// beyond finds events after which nothing that the slice for AG adds is left to force.
func (m *maker) beyond(n *certificate.Node, sliced *graphs.Computation, c graphs.Cut, t *ties) {
	for _, e := range sliced.Edges() {
		if m.comp.Process(e.From) < 0 || m.comp.Process(e.To) < 0 || !m.comp.Has(m.comp.Final(), e.To) || m.comp.Has(c, e.To) {
			continue
		}
		if past, ok := m.comp.Above(c, e.To); ok && !m.comp.Has(past, e.From) {
			for _, some := range []map[int][][2]graphs.Event{t.first, t.last, t.every} {
				some[n.ID] = append(some[n.ID], [2]graphs.Event{e.To, e.From})
			}
		}
	}
}
