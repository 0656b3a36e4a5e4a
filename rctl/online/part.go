package online

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/pota-project/pota/graphs/stream"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/syntax"
)

// kind says when a part becomes final, as the table in the package documentation does.
type kind uint8

const (
	reach       kind = iota // EF p
	last                    // p at the final cut
	special                 // when its decider says so
	existential             // once it holds on the prefix
	general                 // once it or its negation holds on the open prefix
	never                   // only at the end
	initial                 // at once
	join                    // && or ||
)

// finals are the times at which parts of a kind can become final: with the verdict that a cut or a run shows, and with
// the other one.
var finals = [...][2]When{
	reach:       {AtEvent, Closed},
	last:        {Closed, Closed},
	special:     {Closed, Closed},
	existential: {AtEvent, Settled},
	general:     {Settled, Settled},
	never:       {AtEnd, AtEnd},
}

// A part is a formula that can be final by itself, or a combination of such formulas.
//
// A formula with an A operator is represented by its negation: AG p is a negated part EF !p.
type part struct {
	kind    kind
	f       *syntax.Formula
	negated bool
	sub     []*part
	known   rctl.Verdict
	why     string // which limit left something undecided; "" if none

	decider decider // set for a special part
	left    []rest  // set for existential, general and never parts: f holds if one of these does
	pass    passage // the passage of such a part; nil if the whole stream is kept

	stuck   bool // whether the open prefix may make a verdict final before any process has closed
	unshown bool // whether it is a claim about all runs, so that no single run shows it
}

// of turns a verdict on f into one on the part.
func (p *part) of(v rctl.Verdict) rctl.Verdict {
	if p.negated {
		return v.Not()
	}
	return v
}

// A decider decides formulas of one form by the window and its memory of earlier ones.
type decider interface {
	// settle returns the verdict that is final at a moment, or Unknown. At the end, when all processes
	// are over, the verdict is known.
	settle(*moment) rctl.Verdict

	// remember keeps what a continuation needs from a moment whose events are about to be forgotten.
	remember(*moment)

	// open lists the open obligations, the oldest first.
	open() []Obligation
}

// A rest is a formula that remains to be decided on the cuts that contain a given cut; nil stands for all cuts.
type rest struct {
	f   *syntax.Formula
	cut []int64
}

// newPart splits a formula in negation normal form into parts.
func newPart(f *syntax.Formula) *part {
	if syntax.IsPropositional(f) {
		return &part{kind: initial, f: f}
	}
	if f.Op == syntax.OpAnd || f.Op == syntax.OpOr {
		p := &part{kind: join, f: f}
		for _, sub := range f.Sub {
			p.sub = append(p.sub, newPart(sub))
		}
		return p
	}

	f = simpler(f)
	p := &part{kind: general, f: f, stuck: hasConstant(f) || !only(f, syntax.OpEF) && !only(f, syntax.OpAG)}
	if g := ofChains(f); g != nil {
		f, p.unshown = g, true
	}
	not := syntax.NNF(syntax.Not(f))
	for _, decider := range []func(*syntax.Formula) decider{newResponse, newOverlap, newFollows} {
		if p.decider == nil {
			p.decider = decider(f)
		}
	}
	if p.decider == nil {
		p.decider = newOverlap(not)
		p.negated = p.decider != nil
	}
	if p.decider != nil {
		p.kind = special
		return p
	}
	if p.f = f; !syntax.IsExistential(f) {
		p.f, p.negated = not, true
	}
	switch f = p.f; {
	case f.Op == syntax.OpEF && syntax.IsPropositional(f.Sub[0]):
		p.kind = reach
	case isLast(f):
		p.kind = last
	case only(f, syntax.OpEX, syntax.OpEF, syntax.OpEU):
		p.kind = existential
	case syntax.HasNext(f):
		p.kind = never
	}
	if p.kind > special {
		p.left = []rest{{f, nil}}
		switch {
		case isPhases(f):
			p.pass = (*part).nextPhases
		case isUntil(f):
			p.pass = (*part).passUntil
		default:
			p.pass = newReached(p)
		}
	}
	if p.bounded() {
		return p
	}
	if g := apart(f); g != nil {
		if p.negated {
			g = syntax.NNF(syntax.Not(g))
		}
		if q := newPart(g); q.bounded() {
			return q
		}
	}
	return p
}

// apart rewrites f, a formula with an E operator, as an equivalent disjunction of such formulas; it returns nil if it
// cannot. The equivalences hold for any predicates, so they also hold with open atoms.
func apart(f *syntax.Formula) *syntax.Formula {
	switch f.Op {
	case syntax.OpEF:
		parts, ok := regular.Disjuncts(f, maxAlternatives)
		if !ok || len(parts) == 1 {
			return nil
		}
		return syntax.Or(parts...)
	case syntax.OpEW:
		until := syntax.New(syntax.OpEU, f.Pos, f.Sub...)
		return syntax.Or(until, syntax.New(syntax.OpEG, f.Pos, f.Sub[0]))
	case syntax.OpER:
		until := syntax.New(syntax.OpEU, f.Pos, f.Sub[1], syntax.And(f.Sub...))
		return syntax.Or(until, syntax.New(syntax.OpEG, f.Pos, f.Sub[1]))
	}
	return nil
}

// same maps two nested operators, the outer one first, to the single operator they are equivalent to.
var same = map[[2]syntax.Op]syntax.Op{
	{syntax.OpEF, syntax.OpEF}: syntax.OpEF,
	{syntax.OpAF, syntax.OpEF}: syntax.OpEF,
	{syntax.OpEF, syntax.OpAF}: syntax.OpEF,
	{syntax.OpAG, syntax.OpAG}: syntax.OpAG,
	{syntax.OpEG, syntax.OpAG}: syntax.OpAG,
	{syntax.OpAG, syntax.OpEG}: syntax.OpAG,
}

// simpler merges nested operators that are equivalent to one.
func simpler(f *syntax.Formula) *syntax.Formula {
	for len(f.Sub) == 1 && len(f.Sub[0].Sub) == 1 {
		in := f.Sub[0]
		op, ok := same[[2]syntax.Op{f.Op, in.Op}]
		if !ok {
			return f
		}
		f = syntax.New(op, f.Pos, in.Sub...)
	}
	return f
}

// ofChains returns EF p for AF p, and AG p for EG p, if they are equivalent because every run passes through
// all states of a chain. It returns nil for other formulas.
func ofChains(f *syntax.Formula) *syntax.Formula {
	if len(f.Sub) != 1 || !syntax.IsPropositional(f.Sub[0]) {
		return nil
	}
	switch {
	case f.Op == syntax.OpAF && regular.SomeChain(f.Sub[0]):
		return syntax.New(syntax.OpEF, f.Pos, f.Sub...)
	case f.Op == syntax.OpEG && regular.SomeChain(syntax.NNF(syntax.Not(f.Sub[0]))):
		return syntax.New(syntax.OpAG, f.Pos, f.Sub...)
	}
	return nil
}

// isLast reports whether f says that a predicate holds at the final cut.
func isLast(f *syntax.Formula) bool {
	if len(f.Sub) != 1 || len(f.Sub[0].Sub) != 1 || !syntax.IsPropositional(f.Sub[0].Sub[0]) {
		return false
	}
	always := func(op syntax.Op) bool { return op == syntax.OpAG || op == syntax.OpEG }
	sometime := func(op syntax.Op) bool { return op == syntax.OpEF || op == syntax.OpAF }
	return always(f.Op) && sometime(f.Sub[0].Op) || sometime(f.Op) && always(f.Sub[0].Op)
}

// only reports whether ops contains all temporal operators of f.
func only(f *syntax.Formula, ops ...syntax.Op) bool {
	return syntax.Find(f, func(g *syntax.Formula) bool {
		return g.Op.IsTemporal() && !slices.Contains(ops, g.Op)
	}) == nil
}

// hasConstant reports whether f has an atom without variables.
func hasConstant(f *syntax.Formula) bool {
	return syntax.Find(f, func(g *syntax.Formula) bool {
		variable := func(e *syntax.Expr) bool { return e.Op == syntax.ExprVar || e.Op == syntax.ExprTransit }
		return syntax.IsPropositional(g) && !syntax.Mentions(g, variable)
	}) != nil
}

// A moment is a prefix of the execution on which formulas are decided.
//
// An error of an engine ends the decision: must panics with it, and Decide and End return it. So deciders need not
// pass errors on.
type moment struct {
	ctx    context.Context
	stream *stream.Stream
	now    func() time.Time
	mark   stream.Mark
	index  int // the index of the mark
	// how many events of each process all cuts contain; nil if there is no such bound
	after []int64

	closed, open views
	checked      map[*part]rctl.Verdict
}

// failure is what must panics with.
type failure struct{ error }

// must returns x, or ends the decision with an error.
func must[T any](x T, err error) T {
	if err != nil {
		panic(failure{err})
	}
	return x
}

// caught recovers the error that ended a decision. It must be deferred.
func caught(err *error) {
	switch x := recover().(type) {
	case nil:
	case failure:
		*err = x.error
	default:
		panic(x)
	}
}

// from returns a moment restricted to the cuts that contain the given counts of events; nil stands for all cuts.
func (at *moment) from(cut []int64) *moment {
	if cut == nil {
		return at
	}
	return &moment{ctx: at.ctx, stream: at.stream, now: at.now, mark: at.mark, after: cut}
}

// views is a window with the session that decides formulas on it.
type views struct {
	window  *stream.Window
	session *rctl.Session
}

// moment returns the moment of a mark.
func (m *Monitor) moment(ctx context.Context, index int, at stream.Mark) *moment {
	checked := make(map[*part]rctl.Verdict)
	return &moment{ctx: ctx, stream: m.stream, now: m.opts.Now, mark: at, index: index, checked: checked}
}

// at returns the moment of one of Marks.
func (m *Monitor) at(ctx context.Context, mark int) *moment {
	return m.moment(ctx, mark, m.stream.Marks()[mark])
}

// floor returns how many events of each process are forgotten once the moment is decided. It returns nil if none are,
// because later events are not decided yet.
func (at *moment) floor() []int64 {
	if at.mark.Kept < at.stream.Len() {
		return nil
	}
	return at.stream.Floor()
}

// plain returns the window of the moment.
func (at *moment) plain() (*stream.Window, *rctl.Session) { return at.get(&at.closed, false) }

// get returns the window of a moment with a session on it. All parts share it.
func (at *moment) get(v *views, open bool) (*stream.Window, *rctl.Session) {
	if v.window == nil {
		w := must(at.stream.Window(at.mark, open))
		if at.after != nil {
			w.Computation = w.Computation.From(contains(w, at.after))
		}
		v.window, v.session = w, rctl.NewSession(w.Computation)
	}
	return v.window, v.session
}

// decide decides each rest of p at a moment, and returns the one that holds, or the first if none does.
func (p *part) decide(at *moment, decide func(*syntax.Formula, *moment) rctl.Verdict) (sum rctl.Verdict, holds rest) {
	left := p.left
	if left == nil {
		left = []rest{{p.f, nil}}
	}
	sum = rctl.Fails
	for _, r := range left {
		switch v := decide(r.f, at.from(r.cut)); v {
		case rctl.Holds:
			return v, r
		case rctl.Unknown:
			sum = v
		}
	}
	return sum, left[0]
}

// check decides the rests of p on the window of the moment.
func (p *part) check(at *moment) rctl.Verdict {
	if v, ok := at.checked[p]; ok {
		return v
	}
	v, _ := p.decide(at, p.look)
	at.checked[p] = p.of(v)
	return p.of(v)
}

// look decides a rest of p on the window.
func (p *part) look(f *syntax.Formula, at *moment) rctl.Verdict {
	_, sess := at.plain()
	res := must(sess.Decide(at.ctx, f, rctl.Options{}))
	if res.Verdict == rctl.Unknown && p.why == "" {
		p.why = res.Reason
	}
	return res.Verdict
}

// settle returns the verdict that is final at a moment, or Unknown.
func (p *part) settle(at *moment) rctl.Verdict {
	if p.known != rctl.Unknown {
		return p.known
	}
	switch p.kind {
	case join:
		return p.joined(func(sub *part) rctl.Verdict { return sub.settle(at) })
	case initial:
		return p.check(at)
	case reach, existential:
		if v := p.check(at); v == p.of(rctl.Holds) {
			return v
		}
	case special:
		return p.of(p.decider.settle(at))
	}
	if at.mark.Over == 0 && !p.stuck || syntax.HasNext(p.f) {
		return rctl.Unknown
	}
	v, _ := p.decide(at, guarded)
	return p.of(v)
}

// joined combines the verdicts on the parts of a conjunction or disjunction.
func (p *part) joined(of func(*part) rctl.Verdict) rctl.Verdict {
	return engine.Kleene(engine.VerdictOf(p.f.Op == syntax.OpOr), p.sub, of)
}

// remember records the final verdicts at a moment, so that its events are not needed again.
func (p *part) remember(at *moment) {
	if p.kind == join {
		for _, sub := range p.sub {
			sub.remember(at)
		}
		return
	}
	p.known = p.settle(at)
	switch {
	case p.known != rctl.Unknown:
	case p.decider != nil:
		p.decider.remember(at)
	case p.pass != nil:
		p.pass(p, at)
	}
}

// obligations lists the open obligations of the parts, the oldest first.
func (p *part) obligations() []Obligation {
	var all []Obligation
	for _, sub := range p.sub {
		all = append(all, sub.obligations()...)
	}
	slices.SortStableFunc(all, func(x, y Obligation) int { return x.Since.Compare(y.Since) })
	if p.decider != nil && p.known == rctl.Unknown {
		all = append(all, p.decider.open()...)
	}
	return all
}

// bounded reports whether p needs only the window.
func (p *part) bounded() bool {
	if p.known != rctl.Unknown || p.kind <= special || p.pass != nil {
		return true
	}
	return p.kind == join && !slices.ContainsFunc(p.sub, func(sub *part) bool { return !sub.bounded() })
}

// learning reports whether p depends on what processes with events still to come know about
// each other.
func (p *part) learning() bool {
	if p.kind == join {
		return slices.ContainsFunc(p.sub, (*part).learning)
	}
	return p.known == rctl.Unknown && p.kind >= special
}

// end returns the verdict on a whole execution, and sets why for an unknown one.
func (p *part) end(at *moment, why *string) rctl.Verdict {
	switch {
	case p.known != rctl.Unknown:
		return p.known
	case p.kind == join:
		return p.joined(func(sub *part) rctl.Verdict { return sub.end(at, why) })
	case p.decider != nil:
		return p.of(p.decider.settle(at))
	}
	v := p.check(at)
	*why = cmp.Or(p.why, *why)
	if p.why != "" {
		return rctl.Unknown
	}
	return v
}

// shows returns the part that gives p its verdict at a moment and that a run can show. It returns nil if
// there is no single such part.
func (p *part) shows(at *moment, v rctl.Verdict) *part {
	switch p.kind {
	case join:
		if v != engine.VerdictOf(p.f.Op == syntax.OpOr) {
			return nil
		}
		for _, sub := range p.sub {
			if sub.settle(at) == v {
				return sub.shows(at, v)
			}
		}
		return nil
	case reach, existential:
		if v == p.of(rctl.Holds) && p.known == rctl.Unknown && !p.unshown {
			return p
		}
	}

	return nil
}
