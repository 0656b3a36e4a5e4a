package promela

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
)

// The constants of Boolean expressions. Whatever puts expressions together
// simplifies them.
const (
	yes = "true"
	no  = "false"
)

// constant returns the expression of a truth value.
func constant(truth bool) string { return strconv.FormatBool(truth) }

// both returns the conjunction of expressions.
func both(list ...string) string { return join(" && ", yes, no, list) }

// either returns the disjunction of expressions.
func either(list ...string) string { return join(" || ", no, yes, list) }

// join joins expressions by an operator with its unit and its zero, which decides.
func join(op, unit, zero string, list []string) string {
	var kept []string
	for _, x := range list {
		switch x {
		case zero:
			return zero
		case unit:
		default:
			kept = append(kept, x)
		}
	}
	switch len(kept) {
	case 0:
		return unit
	case 1:
		return kept[0]
	}
	return "(" + strings.Join(kept, op) + ")"
}

// negate returns the negation of an expression.
func negate(x string) string {
	switch {
	case x == yes:
		return no
	case x == no:
		return yes
	case strings.HasPrefix(x, "(") || strings.HasPrefix(x, "prop_"):
		return "!" + x
	}
	return "!(" + x + ")"
}

// has returns the condition that e has happened, and makes e visible.
func (t *translator) has(e graphs.Event) string { return t.compare(e, ">=", yes, no) }

// hasNot returns the condition that e has not happened.
func (t *translator) hasNot(e graphs.Event) string { return t.compare(e, "<", no, yes) }

// compare compares the counter of e's process with e's position. It is a constant if e is in every
// cut, or in none.
func (t *translator) compare(e graphs.Event, rel, initially, never string) string {
	switch {
	case t.comp.Has(t.comp.Initial(), e):
		return initially
	case !t.comp.Has(t.comp.Final(), e):
		return never
	}
	t.visible[e] = true
	return fmt.Sprintf("%s %s %d", t.seen(t.comp.Process(e)), rel, t.comp.Position(e))
}

// A proposition is decided at every cut. The model defines it as a macro.
type proposition struct {
	name  string // yes and no for constants
	text  string
	says  string // the text of the proposition, for people
	holds func(graphs.Cut) bool
}

// maxText bounds the length of a macro.
const maxText = 4 << 20

// define makes a proposition and remembers it by key.
func (t *translator) define(key, text, says string, holds func(graphs.Cut) bool) (*proposition, error) {
	p := &proposition{name: text, text: text, says: says, holds: holds}
	if text != yes && text != no {
		if len(text) > maxText {
			return nil, &LimitError{says + " is too long in Promela"}
		}
		p.name = fmt.Sprintf("prop_%d", len(t.props)+1)
		t.props = append(t.props, p)
	}
	t.known[key] = p
	return p, nil
}

// proposition returns the proposition for a formula without temporal operators.
func (t *translator) proposition(f *syntax.Formula) (*proposition, error) {
	key := f.String()
	if p, ok := t.known[key]; ok {
		return p, nil
	}
	test, err := atoms.NewTest(t.comp, f)
	if err != nil {
		return nil, err
	}
	text, err := t.state(f)
	if err != nil {
		return nil, err
	}
	return t.define(key, text, key, test.At)
}

// state returns the Boolean expression for a formula without temporal operators.
func (t *translator) state(f *syntax.Formula) (string, error) {
	if f.Op == syntax.OpAtom || syntax.OfOneChain(f) {
		return t.atom(f)
	}
	sub := make([]string, len(f.Sub))
	for i, g := range f.Sub {
		var err error
		if sub[i], err = t.state(g); err != nil {
			return "", err
		}
	}
	switch f.Op {
	case syntax.OpNot:
		return negate(sub[0]), nil
	case syntax.OpAnd:
		return both(sub...), nil
	case syntax.OpOr:
		return either(sub...), nil
	case syntax.OpImplies:
		return either(negate(sub[0]), sub[1]), nil
	case syntax.OpIff:
		return either(both(sub[0], sub[1]), both(negate(sub[0]), negate(sub[1]))), nil
	}
	panic(fmt.Sprintf("this cannot happen, because %s has no temporal operator", f))
}

// sliceProposition returns the proposition that a formula with temporal operators holds, if it or its
// negation has a lean slice, and nil otherwise. Each edge u→v that the slice adds says that a cut with
// v has u.
func (t *translator) sliceProposition(f *syntax.Formula) (*proposition, error) {
	key := "slice " + f.String()
	if p, ok := t.known[key]; ok {
		return p, nil
	}
	// If f has no lean slice its negation may have one.
	for _, negated := range []bool{false, true} {
		g := f
		if negated {
			g = syntax.NNF(syntax.Not(f))
		}
		s, err := rctl.SliceOf(t.ctx, t.comp, g)
		var none *rctl.NoSliceError
		if errors.As(err, &none) || err == nil && !s.Lean() {
			continue
		}
		if err != nil {
			return nil, err
		}
		var list []string
		for _, e := range s.Edges() {
			list = append(list, t.implication(e))
		}
		text := both(list...)
		if negated {
			text = negate(text)
		}
		return t.define(key, text, f.String()+", by its slice",
			func(cut graphs.Cut) bool { return s.Contains(cut) != negated })
	}
	return nil, nil
}

// implication returns the condition that an edge puts on cuts.
func (t *translator) implication(e graphs.Edge) string {
	top := t.comp.Top()
	from, to := no, no
	if e.From != top {
		from = t.has(e.From)
	}
	switch e.To {
	case top:
		to = yes
	case graphs.Bottom:
	default:
		to = t.hasNot(e.To)
	}
	return either(to, from)
}
