package ends

import (
	"slices"

	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/syntax"
)

// Simplify returns a formula in negation normal form that has the truth of f at all cuts:
// f itself if it finds nothing simpler, or if the initial and the final cut decide f. A
// subformula that is the same at all cuts becomes true or false. If it is an operand of
// U, W or R, what remains is EF, EG or the other operand: EF q of E[true U q], say.
// Operators over operators become one:
//
//	EF EF p = EF AF p = AF EF p = EF p, AF AF p = AF p, and the duals
//	EF Q[p U q] = EF q, AF A[p U q] = AF q       Q is E or A
//	AG Q[p R q] = AG q, EG E[p R q] = EG q
//	AG Q[p W q] = AG(p || q), EG E[p W q] = EG(p || q)
//	AG Q[p U q] = AG(p || q), EG E[p U q] = EG(p || q)       if q holds at the final cut
//	EF Q[p R q] = EF(p && q), AF A[p R q] = AF(p && q)       if q fails at the final cut
//	EF f = AF f = Q[p U f] = f                               f downClosed
//	Q[p R f] = QF(p && f)                                    f downClosed, and fails at the final cut
//	EG f = AG f = Q[p R f] = f                               f stable
//	EF(p || AF q) = EF p || EF q, AG(p && EG q) = AG p && AG q, and likewise for the other pairs
//	AF EX p = EF EX p, EG AX !p = AG AX !p                   p a disjunction of predicates of single chains
//
// Proofs: p U q implies q at some later cut, and follows from q; so EF of it is EF q.
// p R q implies q, and follows from q at all cuts of a run from there on: of every run
// for A, so that EG A[p R q] is stronger than EG q. If p || q holds at all later cuts,
// each run has a first q with p before it, or p for ever; a run with q at the end has
// the former. The line after is the dual of that. A formula is downward closed if, once
// it fails, it fails at all later cuts, and stable if its negation is downward closed.
// EF q is downward closed, and so is any combination of such formulas by && and ||. If a
// downward closed f holds at some later cut, it holds now, and at all cuts in between.
// If p, of one chain, holds at some later cut, the chain got there by a step that every
// run takes, or it has not moved, and the first step on the way there leaves p true; EX
// and EF distribute over ||. If a premise does not hold, the left side is the same at
// all cuts (see of), so no line of the table is applied to it.
//
// If like is true, g has the operator of f and its operands have the truth of those of f at all cuts,
// so that a run that shows one formula shows the other. The error is a *atoms.ValuesError.
func Simplify(p *engine.Problem, f *syntax.Formula) (g *syntax.Formula, like bool, err error) {
	x := newEvaluation(p)
	s := simplifier{x, make(map[*syntax.Formula]*syntax.Formula)}
	if x.of(f).now != unknown || x.err != nil {
		return f, true, x.err
	}
	g, like = s.operands(f)
	if g != f {
		g = p.Normal(g)
	}
	return g, like, x.err
}

// A simplifier keeps the results for subformulas, which may occur in several places.
type simplifier struct {
	*evaluation
	done map[*syntax.Formula]*syntax.Formula
}

// DownClosed reports whether the operators of f imply that f, once it fails, fails at
// all later cuts.
func DownClosed(f *syntax.Formula) bool { return monotone(f, syntax.OpEF) }

// Stable reports whether the operators of f imply that f, once it holds, holds at all
// later cuts.
func Stable(f *syntax.Formula) bool { return monotone(f, syntax.OpAG) }

// monotone reports whether f is made of formulas with the operator op by && and ||: so
// it is downward closed for EF and stable for AG (see Simplify).
func monotone(f *syntax.Formula, op syntax.Op) bool {
	switch f.Op {
	case op:
		return true
	case syntax.OpAnd, syntax.OpOr:
		return !slices.ContainsFunc(f.Sub, func(f *syntax.Formula) bool { return !monotone(f, op) })
	}
	return false
}

// simplify returns a formula with the truth of f at all cuts.
func (s simplifier) simplify(f *syntax.Formula) *syntax.Formula {
	g, ok := s.done[f]
	if !ok {
		switch s.of(f).all {
		case holds:
			g = &syntax.Formula{Op: syntax.OpTrue, Pos: f.Pos}
		case fails:
			g = &syntax.Formula{Op: syntax.OpFalse, Pos: f.Pos}
		default:
			g, _ = s.operands(f)
		}
		s.done[f] = g
	}
	return g
}

// operands simplifies the operands of f and then f, which must not be true or false at all cuts. like
// is as for Simplify.
func (s simplifier) operands(f *syntax.Formula) (g *syntax.Formula, like bool) {
	if syntax.IsPropositional(f) {
		return f, true
	}
	subs := syntax.Mapped(f.Sub, s.simplify)
	same := slices.Equal(subs, f.Sub)
	switch {
	case f.Op == syntax.OpAnd && !same:
		return syntax.And(subs...), false
	case f.Op == syntax.OpOr && !same:
		return syntax.Or(subs...), false
	}
	if g := s.reduce(f, subs); g != nil {
		return g, false
	}
	if same {
		return f, true
	}
	return &syntax.Formula{Op: f.Op, Sub: subs, Pos: f.Pos}, true
}

// reduce returns f with one operator less, or nil if no rule applies. subs are the simplified
// operands.
func (s simplifier) reduce(f *syntax.Formula, subs []*syntax.Formula) *syntax.Formula {
	p := subs[0]
	over := func(op syntax.Op, sub *syntax.Formula) *syntax.Formula {
		g := &syntax.Formula{Op: op, Sub: []*syntax.Formula{sub}, Pos: f.Pos}
		if h := s.reduce(g, g.Sub); h != nil {
			return h
		}
		return g
	}

	if operand := absorbed[[2]syntax.Op{f.Op, p.Op}]; operand != nil {
		return over(f.Op, operand(p.Sub...))
	}
	switch op := f.Op; {
	case (op == syntax.OpEF || op == syntax.OpAF) && DownClosed(p),
		(op == syntax.OpEG || op == syntax.OpAG) && Stable(p):
		return p
	case op == syntax.OpEF && p.Op == syntax.OpOr:
		return s.spread(f, p, syntax.Or)
	case op == syntax.OpAG && p.Op == syntax.OpAnd:
		return s.spread(f, p, syntax.And)
	case op == syntax.OpAF && p.Op == syntax.OpEX && regular.SomeChain(p.Sub[0]):
		return over(syntax.OpEF, p)
	case op == syntax.OpEG && p.Op == syntax.OpAX && regular.SomeChain(s.Normal(syntax.Not(p.Sub[0]))):
		return over(syntax.OpAG, p)
	}
	if len(subs) < 2 {
		return nil
	}
	// The unary operators with the quantifier of f.
	always, eventually := syntax.OpEG, syntax.OpEF
	if !syntax.IsExistential(f) {
		always, eventually = syntax.OpAG, syntax.OpAF
	}
	q := subs[1]
	until := f.Op == syntax.OpEU || f.Op == syntax.OpAU
	weak := f.Op == syntax.OpEW || f.Op == syntax.OpAW
	release := f.Op == syntax.OpER || f.Op == syntax.OpAR
	switch {
	case (until || weak) && p.Op == syntax.OpFalse, until && DownClosed(q),
		release && (p.Op == syntax.OpTrue || Stable(q)):
		return q
	case until && p.Op == syntax.OpTrue:
		return over(eventually, q)
	case weak && q.Op == syntax.OpFalse:
		return over(always, p)
	case release && p.Op == syntax.OpFalse:
		return over(always, q)
	case release && DownClosed(q):
		return over(eventually, syntax.And(p, q))
	}
	return nil
}

// spread distributes the operator of f over the operands of p, if that reduces one of them.
func (s simplifier) spread(f, p *syntax.Formula, join func(...*syntax.Formula) *syntax.Formula) *syntax.Formula {
	some := false
	parts := make([]*syntax.Formula, len(p.Sub))
	for i, sub := range p.Sub {
		g := &syntax.Formula{Op: f.Op, Sub: []*syntax.Formula{sub}, Pos: f.Pos}
		if parts[i] = s.reduce(g, g.Sub); parts[i] == nil {
			parts[i] = g
		} else {
			some = true
		}
	}
	if !some {
		return nil
	}
	return join(parts...)
}

// absorbed has, for an operator and the operator below it, how the former joins the operands of the
// latter, as in the table at Simplify.
var absorbed = map[[2]syntax.Op]func(...*syntax.Formula) *syntax.Formula{
	{syntax.OpEF, syntax.OpAF}: last,
	{syntax.OpEF, syntax.OpEU}: last,
	{syntax.OpEF, syntax.OpAU}: last,
	{syntax.OpEF, syntax.OpER}: syntax.And,
	{syntax.OpEF, syntax.OpAR}: syntax.And,
	{syntax.OpAF, syntax.OpAF}: last,
	{syntax.OpAF, syntax.OpAU}: last,
	{syntax.OpAF, syntax.OpAR}: syntax.And,
	{syntax.OpEG, syntax.OpEG}: last,
	{syntax.OpEG, syntax.OpER}: last,
	{syntax.OpEG, syntax.OpEW}: syntax.Or,
	{syntax.OpEG, syntax.OpEU}: syntax.Or,
	{syntax.OpAG, syntax.OpEG}: last,
	{syntax.OpAG, syntax.OpER}: last,
	{syntax.OpAG, syntax.OpAR}: last,
	{syntax.OpAG, syntax.OpEW}: syntax.Or,
	{syntax.OpAG, syntax.OpAW}: syntax.Or,
	{syntax.OpAG, syntax.OpEU}: syntax.Or,
	{syntax.OpAG, syntax.OpAU}: syntax.Or,
}

// last returns the last operand, q of p U q or p R q.
func last(fs ...*syntax.Formula) *syntax.Formula { return fs[len(fs)-1] }
