package vacuity

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// An occurrence is a subformula at its place in the formula.
type occurrence struct {
	form  *syntax.Formula
	up    *occurrence // the formula of which it is an operand; nil for the root
	index int         // which operand it is
	helps bool        // whether more cuts that satisfy it cannot change the verdict
}

// operand returns the occurrence of the i-th operand. helps says whether more cuts that satisfy the
// operand cannot change the verdict.
func (o *occurrence) operand(i int, helps bool) *occurrence {
	return &occurrence{o.form.Sub[i], o, i, helps}
}

// replaced returns the whole formula with g in place of the occurrence.
func (o *occurrence) replaced(g *syntax.Formula) *syntax.Formula {
	for ; o.up != nil; o = o.up {
		parent := *o.up.form
		parent.Sub = slices.Clone(parent.Sub)
		parent.Sub[o.index] = g
		g = &parent
	}
	return g
}

// antecedents looks for implications whose consequent does not matter. It does not look for others
// inside such an implication.
func (s *search) antecedents(o *occurrence) {
	switch o.form.Op {
	case syntax.OpNot:
		s.antecedents(o.operand(0, !o.helps))
	case syntax.OpIff:
		// Each operand both helps and hinders.
	case syntax.OpImplies:
		if o.helps && s.consequentIdle(o) {
			return
		}
		s.antecedents(o.operand(0, !o.helps))
		s.antecedents(o.operand(1, o.helps))
	default:
		if o.form.Op == syntax.OpOr && o.helps && s.alternativesIdle(o) {
			return
		}
		for i := range o.form.Sub {
			s.antecedents(o.operand(i, o.helps))
		}
	}
}

// consequentIdle reports whether the verdict stays the same with false for the consequent of an
// implication that helps; if so, it adds a finding. If the antecedent is never true, the verdict
// stays the same, no matter how hard the formula is.
func (s *search) consequentIdle(o *occurrence) bool {
	antecedent, consequent := o.form.Sub[0], o.form.Sub[1]
	if consequent.Op == syntax.OpFalse || consequent.Op == syntax.OpTrue || s.overNothing(o) {
		return false
	}
	if s.neverAsked(o, "the antecedent ", antecedent, consequent) {
		return true
	}
	if everywhere(o.up) {
		return false // because the antecedent is true somewhere, or that is unknown
	}
	if s.decide(o.replaced(syntax.New(syntax.OpNot, o.form.Pos, antecedent))) == s.verdict {
		const same = "the consequent %s of %s does not matter: the verdict is the same with false in its place"
		s.report(Antecedent, o.form.Pos, same, consequent, antecedent)
		return true
	}

	return false
}

// everywhere reports whether an occurrence matters at all cuts and for all processes, whatever the
// rest of the formula.
func everywhere(o *occurrence) bool {
	always := false
	for ; o != nil; o = o.up {
		switch o.form.Op {
		case syntax.OpAnd, syntax.OpForall:
		case syntax.OpAG:
			always = true
		default:
			return false
		}
	}
	return always
}

// alternativesIdle is consequentIdle for an implication written as !a || b.
func (s *search) alternativesIdle(o *occurrence) bool {
	var antecedents, consequents []*syntax.Formula
	for _, sub := range o.form.Sub {
		switch sub.Op {
		case syntax.OpNot:
			antecedents = append(antecedents, sub.Sub[0])
		case syntax.OpFalse, syntax.OpTrue:
		default:
			consequents = append(consequents, sub)
		}
	}

	if antecedents == nil || consequents == nil || s.overNothing(o) {
		return false
	}
	return s.neverAsked(o, "", joined(syntax.OpAnd, antecedents), joined(syntax.OpOr, consequents))
}

// neverAsked reports whether an antecedent is never true. If so, it adds a finding, in which the
// argument the precedes the antecedent.
func (s *search) neverAsked(o *occurrence, the string, antecedent, consequent *syntax.Formula) bool {
	if s.decide(s.reachable(o, antecedent)) != rctl.Fails {
		return false
	}
	const never = "%s%s is never true, so %s is never asked for"
	s.report(Antecedent, o.form.Pos, never, the, antecedent, consequent)
	return true
}

// joined joins operands by an operator; a single operand needs none.
func joined(op syntax.Op, fs []*syntax.Formula) *syntax.Formula {
	if len(fs) == 1 {
		return fs[0]
	}
	return syntax.New(op, fs[0].Pos, fs...)
}

// reachable returns the formula that says that f is true at some cut, for some of the processes
// over which the quantifiers around an occurrence range.
func (s *search) reachable(o *occurrence, f *syntax.Formula) *syntax.Formula {
	for up := o.up; up != nil; up = up.up {
		if q := up.form.Quant; q != nil {
			f = &syntax.Formula{Op: syntax.OpExists, Quant: q, Sub: []*syntax.Formula{f}, Pos: up.form.Pos}
		}
	}

	f = syntax.New(syntax.OpEF, o.form.Pos, f)
	root := *s.root // it has the source to which positions refer
	root.Op = f.Op
	root.Sub = f.Sub
	root.Expr = nil
	root.Quant = nil
	return &root
}

// overNothing reports whether a quantifier around an occurrence has no instance.
func (s *search) overNothing(o *occurrence) bool {
	for ; o != nil; o = o.up {
		if o.form.Quant != nil && s.empty(o.form.Quant) {
			return true
		}
	}
	return false
}

// maxConjuncts is the maximum number of conjuncts to examine.
const maxConjuncts = 16

// conjuncts reports the parts of a conjunction that are never true, if EF of it fails; the other
// parts are not the reason.
func (s *search) conjuncts() {
	if s.root.Op != syntax.OpEF || s.verdict != rctl.Fails {
		return
	}
	o := (&occurrence{form: s.root}).operand(0, false)
	for o.form.Op == syntax.OpExists {
		o = o.operand(0, false)
	}
	if o.form.Op != syntax.OpAnd || len(o.form.Sub) > maxConjuncts || s.overNothing(o) {
		return
	}
	for i, part := range o.form.Sub {
		if part.Op != syntax.OpFalse && s.decide(s.reachable(o.operand(i, false), part)) == rctl.Fails {
			s.report(Conjunct, part.Pos, "%s is never true", part)
		}
	}
}

// quantifiers reports quantifiers without an instance.
func (s *search) quantifiers() {
	syntax.Walk(s.root, func(f *syntax.Formula) bool {
		q := f.Quant
		if q == nil || !s.empty(q) {
			return true
		}
		names := syntax.Mapped(q.Names, func(n syntax.Name) string { return n.Text })
		between := ", "
		if q.Distinct {
			between = " != "
		}
		why := "there are too few processes to choose from"
		switch {
		case q.Data != nil:
			why = "no event is of that kind"
		case q.Glob != "":
			why = "no process that matches " + strconv.Quote(q.Glob) + " is there to choose"
		}
		s.report(Quantifier, f.Pos, "%s %s ranges over nothing: %s", f.Op, strings.Join(names, between), why)
		return true
	})
}

// empty reports whether a quantifier has no instance. Only quantifiers over different
// processes, over processes with certain names or variables, and over data can be empty.
func (s *search) empty(q *syntax.Quantifier) bool {
	if !q.Distinct && q.Having == nil && q.Glob == "" && q.Data == nil {
		return false
	}
	f := &syntax.Formula{Op: syntax.OpExists, Quant: q, Sub: []*syntax.Formula{{Op: syntax.OpTrue}}}
	empty := true
	err := syntax.Instances(s.ctx, f, nil, rctl.Scope(s.c), nil, func([]syntax.Binding, *syntax.Formula) bool {
		empty = false
		return false
	})
	return err == nil && empty
}
