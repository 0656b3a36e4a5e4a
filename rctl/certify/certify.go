// Package certify searches for the proofs in certificates (package certificate). No verdict
// depends on it: every proof is checked before it is returned.
//
// # Search
//
// A maker descends the formula with a cut at which it holds.
//
//	run     an E operator: by the evidence of package rctl, which is not searched for again. The
//	        formula that holds along the run is proved in stretches, each for one reason
//	refute  an A operator, by its negation, which no cut between two satisfies: by rule
//	        "forced", if slices show which events would have to happen at once, namely the
//	        strongly connected components that are larger than a step of the computation
//	        (Sen and Garg, Detecting Temporal Logic Predicates in Distributed Programs Using
//	        Computation Slicing, OPODIS 2003, algorithm A3); or by its goal, by a flow, an order
//	        of intervals, or cases
//	pass    AF of a formula of one process, or a conjunction of such, by intervals that each run
//	        must pass through together
//	look    anything else, until the checker has once exceeded its bound
package certify

import (
	"context"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/internal/effort"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
)

// Proof returns a proof of the verdict on f at the initial cut of c, the computation of the
// session; nil if none is found within a number of steps. The formula is the parsed one. Facts
// shown by the evidence are not decided again. The error is ctx.Err(), or says that the formula
// does not fit the computation.
func Proof(ctx context.Context, s *rctl.Session, c *graphs.Computation, f *syntax.Formula, decided *rctl.Result) (*certificate.Proof, error) {
	return ProofWith(ctx, s, c, f, decided, scope.Times{})
}

// ProofWith is Proof for clocks that are not trusted; see certificate.NewWith.
func ProofWith(ctx context.Context, s *rctl.Session, c *graphs.Computation, f *syntax.Formula, decided *rctl.Result, times scope.Times) (*certificate.Proof, error) {
	// Knowledge of a process depends on other decisions, and bounds on time on sums of differences. There are no
	// rules for either.
	if syntax.UsesKnowledge(f) || syntax.HasBounds(f) {
		return nil, nil
	}
	// Reading a trace costs about three steps an event, subtracted so that the whole stays within
	// maxSteps; a long trace gets at least two steps an event.
	steps, end := effort.Limited(effort.Counted(ctx), max(maxSteps-3*int64(c.NumEvents()), 2*int64(c.NumEvents())))
	defer end()
	k, err := certificate.NewWith(effort.Looking(steps, stepsOfCheck), c, f, times)
	if err != nil {
		// If the steps are used up, this is not an error for the caller: ctx.Err() is nil.
		if steps.Err() != nil {
			err = ctx.Err()
		}
		return nil, err
	}
	m := &maker{
		ctx:     effort.Looking(steps, stepsOfLook),
		comp:    c,
		checker: k,
		session: s,
		root:    k.Root,
		shown:   make(map[string][]*rctl.Evidence),
	}
	// A verdict of fails is proved as a verdict of holds on the negation, so the maker handles only
	// one case.
	if decided.Verdict != rctl.Holds {
		m.root = m.root.Not
	}
	// Evidence of the decision is recorded first: the maker looks it up before it asks an engine
	// again.
	m.show(decided.Evidence)
	initial := c.Initial()
	p := m.prove(m.root, initial)
	// The maker asks the checker about each part before it continues, and the last check may have
	// been of this very proof; checking it twice would double the time of the largest proofs.
	if p != nil && !m.checked.is(m.root.Not, initial, initial, p) {
		p = m.check(m.root, initial, p)
	}
	// The exhaustive look is the last resort. It is tried even if an earlier one for a subformula
	// gave up, because that subformula may not be needed for a proof.
	if p == nil {
		m.lost = false
		p = m.look(m.root, initial)
	}
	if p == nil {
		return nil, ctx.Err()
	}
	return p, nil
}

// Limits of the search for a proof: with the reading of the trace, about two seconds, or for a
// long trace as much again. No verdict waits for it. Steps are counted, not seconds, so that
// the same trace has the same certificate on any machine. Of a trace of more than 840,000
// events it is two steps an event, as much as 64 passes over it are charged (see spend); of a
// shorter one 2^22, less three an event for reading. What an engine and the checker are
// charged from one look at their contexts to the next was found by trial.
const (
	maxSteps     = 1 << 22
	stepsOfLook  = 1 << 10 // between two checks of its context by an engine
	stepsOfCheck = 1 << 7  // between two checks of its context by the checker
)

// A Certificate claims a verdict on a formula at the initial cut of a trace, and says
// why. It is a line of JSON.
type Certificate struct {
	Version int    `json:"certificate"` // the version of the rules
	Trace   string `json:"trace"`       // the name of the trace
	SHA256  string `json:"sha256"`      // the SHA-256 digest of the bytes of the trace, as they were read
	Reader  string `json:"reader"`      // the format of the trace
	// Facts that were added to the trace, or are known to be missing in it.
	Assumed []string `json:"assumed,omitempty"`
	Name    string   `json:"name,omitempty"`
	Formula string   `json:"formula"` // as it was written
	Verdict string   `json:"verdict"` // holds or fails
	// The engine that decided, if there is no proof.
	Engine string             `json:"engine,omitempty"`
	Proof  *certificate.Proof `json:"proof"`
}

// Certify returns a certificate with a proof in place of the name of the engine. If none is
// found before ctx is done, it returns the certificate unchanged.
func (claim *Certificate) Certify(ctx context.Context, s *rctl.Session, c *graphs.Computation, f *syntax.Formula, decided *rctl.Result, times scope.Times) (*Certificate, error) {
	p, err := ProofWith(ctx, s, c, f, decided, times)
	if p == nil {
		// The lack of a proof within the time is not a failure: the verdict stands without one.
		if ctx.Err() != nil {
			err = nil
		}
		return claim, err
	}
	// A copy, so that the caller's certificate keeps the engine in case it is used elsewhere.
	proved := *claim
	proved.Engine, proved.Proof = "", brief(p)
	return &proved, nil
}

// Short names, as nearly every line here is about one or the other.
type (
	node  = certificate.Node
	proof = certificate.Proof
)

// forced is the proof by rule "forced" without arguments. Certificates leave it out, see brief.
var forced = &proof{Rule: "forced"}

// brief returns a proof as it stands in a certificate: nil for forced.
func brief(p *proof) *proof {
	if p == forced {
		return nil
	}
	return p
}

// operand returns the proof by one operand; nil if the operand has no proof.
func operand(which int, p *proof) *proof {
	if p == nil {
		return nil
	}
	return &proof{Rule: "operands", Which: which, Of: parts(p)}
}

// A maker searches for proofs. Its methods return nil if they find none.
type maker struct {
	ctx     context.Context
	comp    *graphs.Computation
	checker *certificate.Checker
	session *rctl.Session
	later   *rctl.Session // decides at the cut at, which is not the initial one
	at      graphs.Cut
	// the root, whose proof is checked at the end, unless it was checked last
	root    *node
	shown   map[string][]*rctl.Evidence // by the text of the formula
	lost    bool                        // whether look has given up
	checked checked                     // the last successful check
}

// checked is a proof that the checker has accepted: no cut from low to high satisfies the node.
type checked struct {
	node      *node
	low, high graphs.Cut
	proof     *proof
}

// is reports whether x is the result of checking this proof for these cuts.
func (x checked) is(n *node, low, high graphs.Cut, p *proof) bool {
	return x.node == n && x.proof == p && x.low.Equal(low) && x.high.Equal(high)
}

// spend counts some passes over the trace.
func (m *maker) spend(passes int) {
	// The next check of the context finds the error.
	_ = effort.Spend(m.ctx, int64(passes*m.comp.NumEvents()/32))
}

// show records evidence and its children.
func (m *maker) show(e *rctl.Evidence) {
	if e == nil {
		return
	}
	// The key is the text of the formula: evidence and nodes hold different copies of it.
	key := e.Formula.String()
	m.shown[key] = append(m.shown[key], e)
	for _, child := range e.Children {
		m.show(child)
	}
}

// evidence returns the recorded evidence for n at a cut; nil if there is none.
func (m *maker) evidence(n *node, c graphs.Cut) *rctl.Evidence {
	for _, e := range m.shown[rctl.Shown(n.Formula, rctl.Holds).String()] {
		if e.Start.Equal(c) {
			return e
		}
	}
	return nil
}

// from returns a session that decides at a cut.
func (m *maker) from(c graphs.Cut) *rctl.Session {
	if c.Equal(m.comp.Initial()) {
		return m.session
	}
	if m.later == nil || !c.Equal(m.at) {
		m.later, m.at = rctl.NewSession(m.comp.From(c)), c.Clone()
	}
	return m.later
}

// check returns p if it proves that n holds at a cut.
func (m *maker) check(n *node, c graphs.Cut, p *proof) *proof {
	if m.checker.Prove(n, c, p) != nil {
		return nil
	}
	return p
}

// prove returns a proof that n holds at a cut.
func (m *maker) prove(n *node, c graphs.Cut) *proof {
	// Out of steps: each caller passes the failure on, so the whole search ends soon.
	if m.ctx.Err() != nil {
		return nil
	}
	// A formula without temporal operators needs no proof: the checker evaluates it.
	if n.Truth != nil {
		if n.Truth(c) {
			return forced
		}
		return nil
	}
	// The ways to prove n, in the order tried; run is the default for E operators.
	by := []func(*node, graphs.Cut) *proof{m.run}
	switch n.Op {
	case syntax.OpAnd:
		return m.parts(n, func(s *node) *proof { return m.prove(s, c) })
	case syntax.OpOr:
		return m.one(n, c)
	case syntax.OpAX:
		by[0] = m.next
	case syntax.OpAU, syntax.OpAW:
		by[0] = func(n *node, c graphs.Cut) *proof { return m.refute(n.Not, c, c) }
		// by few events
		// A goal of one process has few intervals, so pass is cheaper than refute and comes
		// first.
		if by = append(by, m.pass); local(n.Goal.Formula) {
			slices.Reverse(by)
		}
	}

	// A failed attempt has no effect on the next one, apart from the steps it spent.
	for _, by := range by {
		if p := by(n, c); p != nil {
			return p
		}
	}

	// At the root, Proof itself looks once the rest has failed.
	if n == m.root {
		return nil
	}
	return m.look(n, c)
}

// look lets the checker visit the cuts itself. After one failure it is not tried again.
func (m *maker) look(n *node, c graphs.Cut) *proof {
	// If a look has once exceeded the bound, it will also do so for the larger formulas around it.
	if m.lost {
		return nil
	}
	p := m.check(n, c, &proof{Rule: "look"})
	m.lost = p == nil
	return p
}

// parts combines the proofs of all operands.
func (m *maker) parts(n *node, of func(*node) *proof) *proof {
	// The proofs stand in the order of the operands, nil for those that need none.
	p := &proof{Rule: "operands", Of: make([]*proof, len(n.Sub))}
	for i, s := range n.Sub {
		q := of(s)
		if q == nil {
			return nil
		}
		p.Of[i] = brief(q)
	}
	return p
}

// one proves an operand of a disjunction that holds, preferably one that is known to hold.
func (m *maker) one(n *node, c graphs.Cut) *proof {
	// First the operands that are known to hold: deciding one again may cost more than proving
	// another.
	for _, known := range []bool{true, false} {
		for i, s := range n.Sub {
			if m.known(s, c) != known || !m.holds(s, c) {
				continue
			}
			p := operand(i, m.prove(s, c))
			if p != nil || !known { // the following operands have not been decided either
				return p
			}
		}
	}

	return nil
}

// next proves the operand of AX at each next cut.
func (m *maker) next(n *node, c graphs.Cut) *proof {
	// One proof for all successors is smaller than a proof for each.
	if n.Sub[0].Truth == nil {
		if p := m.nexts(n.Not, c, c); p != nil {
			return p
		}
	}

	of := make([]*proof, len(c))
	for q := range c {
		if cut, ok := m.comp.Next(c, q); ok {
			if of[q] = m.prove(n.Sub[0], cut); of[q] == nil {
				return nil
			}
			// one step of several processes
			for _, e := range m.comp.Step(m.comp.Event(q, int(cut[q]))) {
				of[m.comp.Process(e)] = of[q]
			}
		}
	}

	return &proof{Rule: "operands", Of: parts(of...)}
}

// known reports whether values and evidence show that n holds at a cut.
func (m *maker) known(n *node, c graphs.Cut) bool {
	switch {
	case n.Truth != nil:
		return n.Truth(c)
	// Known is sound but not complete: false says only that neither values nor recorded evidence
	// show it.
	case n.Op == syntax.OpAnd:
		return !slices.ContainsFunc(n.Sub, func(s *node) bool { return !m.known(s, c) })
	case n.Op == syntax.OpOr:
		return slices.ContainsFunc(n.Sub, func(s *node) bool { return m.known(s, c) })
	}
	return m.evidence(n, c) != nil
}

// holds reports whether n is known to hold at a cut, or the engines say so.
func (m *maker) holds(n *node, c graphs.Cut) bool {
	return m.known(n, c) || n.Truth == nil && m.decide(n, c).Verdict == rctl.Holds
}

// parts lists the parts of a proof, without those at the end that are nil.
func parts(of ...*proof) []*proof {
	for i := range of {
		of[i] = brief(of[i])
	}
	// Trailing nils carry no information, as an absent part reads as nil; without them
	// certificates are smaller.
	for len(of) > 0 && of[len(of)-1] == nil {
		of = of[:len(of)-1]
	}
	return of
}

// decide lets the engines decide n at a cut.
func (m *maker) decide(n *node, c graphs.Cut) *rctl.Result {
	// Four passes are an estimate of what the fixed work of a decision costs beyond what engines
	// count.
	m.spend(4)
	res, err := m.from(c).Check(m.ctx, n.Formula, rctl.Options{Evidence: true, Cuts: true, MaxMemory: maxBytes, Cores: 1})
	if err != nil {
		// An error counts as unknown: out of steps, or a formula that the engines refuse. The
		// caller tries another way.
		return &rctl.Result{}
	}
	m.show(res.Evidence)
	return res
}

// maxBytes bounds the memory for deciding a part of a formula again.
const maxBytes = 1 << 28
