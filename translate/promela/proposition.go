package promela

import (
	"errors"
	"fmt"
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

// compare compares the counter of e's process with e's position. It is a constant for
// events that are in every cut, or in none.
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

// blocks returns the condition that a column of truth values is true.
func (t *translator) blocks(col atoms.Column[bool]) string {
	var list []string
	for i, truth := range col.Values {
		if !truth {
			continue
		}
		// The column is true from the event that begins the block up to the one that
		// ends it.
		begun, ended := yes, yes
		if i > 0 {
			begun = t.has(col.Events[i-1])
		}
		if i < len(col.Events) {
			ended = t.hasNot(col.Events[i])
		}
		list = append(list, both(begun, ended))
	}
	return either(list...)
}

// choose returns the expression for the value of a column.
func (t *translator) choose(col atoms.Column[graphs.Value], leaf func(graphs.Value) string) string {
	var tree func(lo, hi int) string
	tree = func(lo, hi int) string {
		if lo == hi {
			return leaf(col.Values[lo])
		}
		m := (lo + hi + 1) / 2
		return "(" + t.has(col.Events[m-1]) + " -> " + tree(m, hi) + " : " + tree(lo, m-1) + ")"
	}
	return tree(0, len(col.Events))
}

// A proposition is decided at every cut. The model defines it as a macro.
type proposition struct {
	name  string // yes and no for constants
	text  string
	says  string // for people
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

// proposition returns that for a formula without temporal operators.
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
	if syntax.OfOneChain(f) {
		return t.chain(f)
	}
	if f.Op == syntax.OpAtom {
		return t.atom(f.Expr)
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

// chain is state for a formula that one chain decides.
func (t *translator) chain(f *syntax.Formula) (string, error) {
	p, err := atoms.Compile(t.comp, f)
	if err != nil {
		return "", err
	}
	return t.blocks(atoms.Along(p).Between(t.comp)), nil
}

// sliceProposition returns the proposition that a formula with temporal operators
// holds, if it or its negation has a lean slice: every edge u→v that the slice adds
// says that a cut with v has u. It is nil where neither has one.
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
