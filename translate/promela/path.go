package promela

import (
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// pathOp is the operator of a path.
type pathOp uint8

const (
	pathNow   pathOp = iota // prop
	pathOr                  // some of sub
	pathAnd                 // prop, and sub[0]
	pathUntil               // prop until sub[0]
	pathWeak                // prop until sub[0], or for ever
)

// A path is a property of one run: the formula of the fragment in the package
// comment, with its E operators left out.
type path struct {
	op   pathOp
	prop *proposition
	sub  []*path
}

var (
	always = &proposition{name: yes, says: yes, holds: func(graphs.Cut) bool { return true }}
	never  = &proposition{name: no, says: no, holds: func(graphs.Cut) bool { return false }}
)

// path returns the property that some run from a cut has if f, in negation normal form, holds at
// the cut.
func (t *translator) path(f *syntax.Formula) (*path, error) {
	// A formula about the final cut alone is true there on some run if it is on every run.
	if g := atTheEnd(f); g != nil {
		p, err := t.proposition(g)
		if err != nil {
			return nil, err
		}
		globally := &path{op: pathWeak, prop: p, sub: []*path{{op: pathNow, prop: never}}}
		return &path{op: pathUntil, prop: always, sub: []*path{globally}}, nil
	}
	switch {
	case syntax.IsPropositional(f):
	case f.Op == syntax.OpOr:
		g := &path{op: pathOr}
		for _, operand := range f.Sub {
			p, err := t.path(operand)
			if err != nil {
				return nil, err
			}
			g.sub = append(g.sub, p)
		}
		return g, nil
	case f.Op == syntax.OpAnd:
		return t.and(f)
	case f.Op == syntax.OpEF && f.Sub[0].Op == syntax.OpOr:
		return t.path(syntax.Or(syntax.Mapped(f.Sub[0].Sub, func(g *syntax.Formula) *syntax.Formula {
			return syntax.New(syntax.OpEF, f.Pos, g)
		})...))
	}
	switch f.Op {
	case syntax.OpEF:
		return t.until(pathUntil, &syntax.Formula{Op: syntax.OpTrue}, f.Sub[0])
	case syntax.OpEU:
		return t.until(pathUntil, f.Sub[0], f.Sub[1])
	case syntax.OpEW:
		return t.until(pathWeak, f.Sub[0], f.Sub[1])
	case syntax.OpER:
		return t.until(pathWeak, f.Sub[1], syntax.And(f.Sub[1], f.Sub[0]))
	case syntax.OpEG:
		hold, leave := inherit(f.Sub[0])
		return t.until(pathWeak, hold, leave)
	}
	p, err := t.decided(f)
	return &path{op: pathNow, prop: p}, err
}

// decided returns f as a proposition: the cut itself has to decide it.
func (t *translator) decided(f *syntax.Formula) (*proposition, error) {
	if syntax.IsPropositional(f) {
		return t.proposition(f)
	}
	if t.slices {
		p, err := t.sliceProposition(f)
		if p != nil || err != nil {
			return p, err
		}
	}
	return nil, &InexpressibleError{Formula: f}
}

// until returns the path for the operators U and W.
func (t *translator) until(op pathOp, hold, reach *syntax.Formula) (*path, error) {
	p, err := t.decided(hold)
	if err != nil {
		return nil, err
	}
	g, err := t.path(reach)
	if err != nil {
		return nil, err
	}
	return &path{op: op, prop: p, sub: []*path{g}}, nil
}

// and returns the path of a conjunction: the cut has to decide all conjuncts but one.
func (t *translator) and(f *syntax.Formula) (*path, error) {
	plain, temporal := partition(f.Sub, syntax.IsPropositional)
	open := temporal[0]
	if len(temporal) > 1 {
		// If one has no slice, it is the one that remains.
		for _, g := range temporal {
			_, err := t.decided(g)
			if _, none := err.(*InexpressibleError); none {
				open = g
				break
			}
			if err != nil {
				return nil, err
			}
		}
	}
	all, err := t.path(open)
	if err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(temporal, func(g *syntax.Formula) bool { return g == open })
	slices.Reverse(others)
	if len(plain) > 0 {
		others = append(others, syntax.And(plain...))
	}
	for _, g := range others {
		p, err := t.decided(g)
		if err != nil {
			return nil, err
		}
		all = &path{op: pathAnd, prop: p, sub: []*path{all}}
	}
	return all, nil
}

// partition returns the formulas of a list that are of some kind, and the others.
func partition(list []*syntax.Formula, is func(*syntax.Formula) bool) (those, others []*syntax.Formula) {
	for _, g := range list {
		if is(g) {
			those = append(those, g)
		} else {
			others = append(others, g)
		}
	}
	return those, others
}

// inherit splits the operand of EG: hold must hold for ever, or until a cut where leave does.
// leave is an EG, or false.
func inherit(f *syntax.Formula) (hold, leave *syntax.Formula) {
	none := &syntax.Formula{Op: syntax.OpFalse}
	isEG := func(g *syntax.Formula) bool { return g.Op == syntax.OpEG }
	switch f.Op {
	case syntax.OpEG:
		return inherit(f.Sub[0])
	case syntax.OpAnd: // EG(p && EG q) is EG(p && q)
		subs := slices.Clone(f.Sub)
		for i, g := range subs {
			if isEG(g) {
				subs[i] = g.Sub[0]
			}
		}
		return syntax.And(subs...), none
	case syntax.OpOr: // EG(p || EG q) is E[p W EG q]
		later, plain := partition(f.Sub, isEG)
		return syntax.Or(plain...), syntax.Or(later...)
	}
	return f, none
}

// atTheEnd returns what a formula says of the final cut if it says nothing of others: an F-operator
// is on top of a G-operator or the other way round. Otherwise it returns nil.
func atTheEnd(f *syntax.Formula) *syntax.Formula {
	some := func(op syntax.Op) bool { return op == syntax.OpEF || op == syntax.OpAF }
	all := func(op syntax.Op) bool { return op == syntax.OpEG || op == syntax.OpAG }
	if some(f.Op) && all(f.Sub[0].Op) || all(f.Op) && some(f.Sub[0].Op) {
		return atFinal(f.Sub[0].Sub[0])
	}
	return nil
}

// atFinal returns a formula without temporal operators that is equivalent to f at the final cut.
func atFinal(f *syntax.Formula) *syntax.Formula {
	switch f.Op {
	case syntax.OpEF, syntax.OpAF, syntax.OpEG, syntax.OpAG:
		return atFinal(f.Sub[0])
	case syntax.OpEU, syntax.OpAU, syntax.OpER, syntax.OpAR:
		return atFinal(f.Sub[1])
	case syntax.OpEW, syntax.OpAW:
		return syntax.Or(atFinal(f.Sub[0]), atFinal(f.Sub[1]))
	case syntax.OpAnd, syntax.OpOr:
		subs := syntax.Mapped(f.Sub, atFinal)
		if f.Op == syntax.OpAnd {
			return syntax.And(subs...)
		}
		return syntax.Or(subs...)
	}
	return f // EX and AX were refused, and only atoms are negated
}

// String returns the path as a formula of LTL in SPIN's notation.
func (g *path) String() string {
	switch g.op {
	case pathNow:
		return g.prop.name
	case pathOr:
		return "(" + strings.Join(syntax.Mapped(g.sub, (*path).String), " || ") + ")"
	case pathAnd:
		return "(" + g.prop.name + " && " + g.sub[0].String() + ")"
	case pathUntil:
		if g.prop.name == yes {
			return "<> " + g.sub[0].String()
		}
		return "(" + g.prop.name + " U " + g.sub[0].String() + ")"
	}
	if h := g.sub[0]; h.op == pathNow && h.prop.name == no {
		return "[] " + g.prop.name
	}
	return "((" + g.prop.name + " U " + g.sub[0].String() + ") || [] " + g.prop.name + ")"
}

// holds reports whether the run through cuts has the property from the i-th cut on. If the run does
// not end in the final cut, it must have the property however it goes on.
func (g *path) holds(cuts []graphs.Cut, whole bool, i int) bool {
	switch g.op {
	case pathNow:
		return g.prop.holds(cuts[i])
	case pathOr:
		for _, h := range g.sub {
			if h.holds(cuts, whole, i) {
				return true
			}
		}
		return false
	case pathAnd:
		return g.prop.holds(cuts[i]) && g.sub[0].holds(cuts, whole, i)
	}
	for ; i < len(cuts); i++ {
		if g.sub[0].holds(cuts, whole, i) {
			return true
		}
		if !g.prop.holds(cuts[i]) {
			return false
		}
	}
	return g.op == pathWeak && whole
}
