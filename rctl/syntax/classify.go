package syntax

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// A Fragment is a sublogic of CTL.
type Fragment uint8

// The fragments, from the easiest to decide to the hardest. A formula is in a
// fragment if its negation normal form is.
const (
	RCTL Fragment = iota // regular atoms, &&, EF, EG, AG
	// RCTL, E[q R p], and E[p U q] and E[p W q] if q includes the conjuncts of p
	RCTLCETL
	RCTLPlus // RCTL, ||, and negated regular atoms
	CTL      // everything
)

// String returns the name of the fragment.
func (f Fragment) String() string {
	return [...]string{"RCTL", "RCTL+CETL", "RCTL+", "CTL"}[f]
}

// A Step is a place where a formula leaves a fragment, or where membership depends on
// the trace.
type Step struct {
	Fragment Fragment
	Pos      int // byte offset in the source
	Reason   string
}

// A Class is the fragment of a formula, with the reasons.
type Class struct {
	Fragment Fragment
	// If Negated is set, the fragment contains the formula's negation: the two are decided
	// together.
	Negated bool
	// Leaves lists the places where the formula, or its negation if Negated is set,
	// leaves each smaller fragment: at most maxSteps for each.
	Leaves []Step
	// Conditions lists the conditions of membership that depend on the trace.
	Conditions []Step
}

// Classify returns the smallest fragment that f or the negation of f is in.
//
// Regular are the predicates of one chain (Boolean combinations over the
// variables of one process, or over one shared variable), bounds on the
// messages of one channel, differences of variables of two processes that
// never decrease, and comparisons that are conjunctions of these. Sums and counts
// over several processes are not, though a minimum cut decides EF of a bound on one.
//
// Variables of quantified formulas belong to the process as written, and each
// bare variable to a process of its own. Classify assumes that the variables
// of a difference never decrease, and says so in Conditions.
//
// The time complexity of Classify is O(|f|), plus the comparisons of conjuncts for E[p U q].
func Classify(f *Formula) Class { return ClassifyWith(f, nil) }

// ClassifyWith is Classify for a known trace: rise reports whether x and y (an ExprVar each)
// never decrease, and whether the comparison part of them preserves order. Otherwise their
// difference is not regular. If rise is nil, every difference counts as regular.
func ClassifyWith(f *Formula, rise func(part, x, y *Expr) bool) Class {
	c := classifier{
		Normalizer: NewNormalizer(),
		rise:       rise,
		members:    map[*Formula]members{},
	}

	var best Class
	for _, negated := range []bool{false, true} {
		if negated && best.Fragment == RCTL {
			break
		}
		g := c.NNF(f, negated)
		// Fragments are numbered from small to large.
		smallest := Fragment(bits.TrailingZeros8(uint8(c.of(g)) | 1<<CTL))
		class := Class{Fragment: smallest, Negated: negated}
		if negated && class.Fragment >= best.Fragment {
			break
		}
		for smaller := range class.Fragment {
			class.Leaves = append(class.Leaves, stepsOf(g, smaller, func(f *Formula) (reason string, descend bool) {
				if c.of(f)&(1<<smaller) == 0 {
					reason = c.reason(f, smaller)
				}
				return reason, c.of(f)&(1<<smaller) == 0 && reason == ""
			})...)
		}
		if class.Fragment != CTL {
			class.Conditions = c.conditions(g, class.Fragment)
		}
		best = class
	}

	return best
}

// members is the set of fragments below CTL that contain a formula, with one bit for each.
type members uint8

const (
	inRCTL     = members(1) << RCTL
	inRCTLCETL = members(1) << RCTLCETL
	inRCTLPlus = members(1) << RCTLPlus
	inAll      = inRCTL | inRCTLCETL | inRCTLPlus
)

// A classifier classifies a formula and its negation.
type classifier struct {
	*Normalizer
	rise     func(part, x, y *Expr) bool
	supports supports
	members  map[*Formula]members
	same     Interner
}

// of returns the fragments that contain f.
func (c *classifier) of(f *Formula) members {
	m, ok := c.members[f]
	if !ok {
		m = c.decide(f)
		c.members[f] = m
	}
	return m
}

// decide applies the closure rules of the fragments. All contain the regular
// formulas; RCTL and its extensions are closed under &&, EF, EG and AG, RCTL+ under
// || and CETL under its untils.
func (c *classifier) decide(f *Formula) members {
	if c.regular(f) {
		return inAll
	}
	below := inAll
	if f.Op != OpNot {
		for _, sub := range f.Sub {
			if below &= c.of(sub); below == 0 {
				return 0
			}
		}
	}

	switch f.Op {
	case OpAtom:
		if joinsChains(f.Expr) {
			return inRCTLPlus
		}
	case OpAnd, OpForall, OpEF, OpEG, OpAG:
		return below
	case OpOr, OpExists:
		return below & inRCTLPlus
	case OpNot:
		if c.regular(f.Sub[0]) || joinsChains(f.Sub[0].Expr) {
			return inRCTLPlus
		}
	case OpER:
		return below & inRCTLCETL
	case OpEU, OpEW:
		if below&inRCTLCETL != 0 && c.missingConjunct(f.Sub[0], f.Sub[1]) == nil {
			return inRCTLCETL
		}
	}

	return 0
}

// joinsChains reports whether an atom replaces a quantifier over several names whose instances
// join predicates of single chains by && and ||.
func joinsChains(e *Expr) bool {
	return e != nil && e.For != OpTrue && !slices.ContainsFunc(e.Args[0].Counted(), func(f *Formula) bool { return !OfOneChain(f) })
}

// regular reports whether f is a predicate of one chain, a regular atom, or a
// negated atom whose inverse is regular.
func (c *classifier) regular(f *Formula) bool {
	if c.supports.of(f).count < several {
		return true
	}
	switch f.Op {
	case OpAtom:
		return c.irregular(f.Expr) == nil
	case OpNot:
		if f.Sub[0].Op == OpAtom {
			e, ok := Invert(f.Sub[0].Expr)
			return ok && c.irregular(e) == nil
		}
	}

	return false
}

// irregular returns a part of an atom that is not regular, or nil.
func (c *classifier) irregular(e *Expr) *Expr {
	for _, part := range Split(e) {
		if _, ok := RegularPart(part, c.rise); !ok {
			return part
		}
	}
	return nil
}

// missingConjunct returns a conjunct of p that q does not have, or nil.
func (c *classifier) missingConjunct(p, q *Formula) *Formula {
	have := make(map[*Formula]bool)
	for _, f := range Conjuncts(q) {
		have[c.same.Same(f)] = true
	}
	for _, f := range Conjuncts(p) {
		if f.Op != OpTrue && !have[c.same.Same(f)] {
			return f
		}
	}
	return nil
}

// maxSteps bounds the number of places reported for one fragment.
const maxSteps = 8

// stepsOf returns the first places of f with a reason, in the order of the source. Instances at the same place
// count once.
func stepsOf(f *Formula, fragment Fragment, reasonOf func(*Formula) (reason string, descend bool)) []Step {
	var steps []Step
	at := map[int]bool{}
	Walk(f, func(f *Formula) bool {
		if len(at) > 16*maxSteps || at[f.Pos] {
			return false
		}
		reason, descend := reasonOf(f)
		if reason != "" {
			at[f.Pos] = true
			steps = append(steps, Step{fragment, f.Pos, reason})
		}
		return descend
	})
	slices.SortStableFunc(steps, func(a, b Step) int { return a.Pos - b.Pos })
	return steps[:min(len(steps), maxSteps)]
}

// reason returns why f itself is not in a fragment, or "" if an operand is the
// reason.
func (c *classifier) reason(f *Formula, fragment Fragment) string {
	atom := f
	if f.Op == OpNot {
		atom = f.Sub[0]
	}
	if joinsChains(atom.Expr) {
		return atom.Expr.For.String() + " joins predicates of different processes"
	}

	symbol := c.symbol(f)
	switch f.Op {
	case OpAtom:
		return c.atomReason(f.Expr)
	case OpNot:
		if c.regular(atom) {
			return fmt.Sprintf("the negation of %s is not regular", clip(atom.Brief(maxClipped)))
		}
		if inverted, ok := Invert(atom.Expr); ok {
			return c.atomReason(inverted)
		}
		return c.atomReason(atom.Expr)
	case OpOr, OpExists:
		switch {
		case fragment == RCTLPlus:
			return ""
		case !IsPropositional(f):
			return symbol + " joins temporal formulas"
		case f.Op == OpExists:
			return symbol + " joins predicates of different processes by ||"
		case UsesTransit(f):
			return symbol + " joins predicates of channels and of processes"
		}
		return symbol + " joins predicates of different processes"
	case OpEX, OpAX:
		return symbol + " counts single events: no regular fragment has it, and the verdict depends on how finely the program was instrumented"
	case OpAF, OpAU, OpAR, OpAW:
		return symbol + " does not make a regular predicate of regular ones"
	case OpEU, OpEW, OpER:
		if fragment != RCTLCETL {
			return symbol + " is not in " + fragment.String()
		}
		if f.Op == OpER {
			return ""
		}
		if missing := c.missingConjunct(f.Sub[0], f.Sub[1]); missing != nil {
			shown := clip(missing.Brief(maxClipped))
			return symbol + " is regular only where its second formula includes the first, and " + shown +
				" is missing there"
		}
	}

	return ""
}

// symbol returns the operator of f in the source, followed by that of f if they differ.
func (c *classifier) symbol(f *Formula) string {
	from := c.origin[f]
	for from != nil && from.Op == OpNot {
		from = from.Sub[0]
	}
	if from == nil || from.Op == f.Op || from.Op == OpAtom {
		return f.Op.String()
	}
	return fmt.Sprintf("%s (here %s)", from.Op, f.Op)
}

// atomReason returns why an atom is not regular.
func (c *classifier) atomReason(e *Expr) string {
	part := c.irregular(e)
	if part == nil {
		part = e
	}
	text := clip(part.String())
	transit := false
	chains := []string{}
	var aggregate *Expr
	WalkExpr(part, func(e *Expr) {
		switch {
		case e.Op.IsAggregate() && aggregate == nil:
			aggregate = e
		case e.Op == ExprTransit:
			transit = true
		case e.Op == ExprVar && aggregate == nil && !slices.Contains(chains, chainText(e)):
			chains = append(chains, chainText(e))
		}
	})
	if x, y, ok := differenceOf(part); ok {
		return fmt.Sprintf("%s is regular only if neither %s nor %s ever decreases, and one does",
			text, clip(x.String()), clip(y.String()))
	}
	switch {
	case aggregate == nil:
	case aggregate.Op == ExprSum || aggregate.Op == ExprCount:
		return text + " is not regular: it adds up over processes; a minimum cut decides EF of bounds on sums and counts"
	default:
		return text + " is not regular: it compares processes by " + exprText[aggregate.Op]
	}
	if transit {
		if len(part.Rel) == 1 && part.Rel[0] == NotEqual && len(chains) == 0 {
			return text + " is not regular: it is below or above"
		}
		return text + " is not regular: a bound compares one channel with a whole number"
	}

	if len(chains) == 0 { // an operator about events, such as once(c)
		return text + " is about the events of several processes"
	}
	return fmt.Sprintf("%s relates %s, and is not a difference of two variables of different processes", text, listNames(chains, "and"))
}

// chainText returns the name of a variable's chain for messages.
func chainText(e *Expr) string {
	if e.Process.Text != "" {
		return clip(nameText(e.Process.Text))
	}
	return clip(e.String())
}

// conditions returns the differences that the fragment of f depends on.
func (c *classifier) conditions(f *Formula, fragment Fragment) []Step {
	if c.rise != nil {
		return nil
	}
	return stepsOf(f, fragment, func(f *Formula) (reason string, descend bool) {
		if f.Op != OpAtom || c.supports.of(f).count < several {
			return "", true
		}
		var vars []string
		for _, part := range Split(f.Expr) {
			if x, y, ok := differenceOf(part); ok {
				for _, v := range []string{clip(x.String()), clip(y.String())} {
					if !slices.Contains(vars, v) {
						vars = append(vars, v)
					}
				}
			}
		}
		if vars == nil {
			return "", true
		}
		return clip(f.Expr.String()) + " is regular only if none of " + strings.Join(vars, ", ") + " ever decreases", true
	})
}
