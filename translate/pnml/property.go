package pnml

import (
	"fmt"
	"math"

	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/translate/internal/diagram"
)

// longest is how many elements a property may have.
const longest = 1 << 24

// limits bound what is written for an atom.
type limits struct {
	diagram    int // runs of its decision diagram
	references int // places that it names
}

var usual = limits{1 << 20, 1 << 18}

// A prop is an element of the property. Elements may be shared.
type prop struct {
	tag  string
	text string
	sub  []*prop
	size int // elements, those that are shared counted each time; longest+1 for more
}

func element(tag string, sub ...*prop) *prop {
	size := 1
	for _, s := range sub {
		size = min(size+s.size, longest+1)
	}
	return &prop{tag: tag, sub: sub, size: size}
}

func number(k int64) *prop {
	return &prop{tag: "integer-constant", text: fmt.Sprint(k), size: 1}
}

func atMost(a, b *prop) *prop { return element("integer-le", a, b) }

// The format has no constants that all tools read.
var (
	always = atMost(number(0), number(0))
	never  = atMost(number(1), number(0))
)

func not(p *prop) *prop {
	switch {
	case p == always:
		return never
	case p == never:
		return always
	case p.tag == "negation":
		return p.sub[0]
	}
	return element("negation", p)
}

func and(ps ...*prop) *prop { return several("conjunction", always, never, ps) }
func or(ps ...*prop) *prop  { return several("disjunction", never, always, ps) }

// several joins properties; unit is what can be left out, and zero what decides all.
func several(tag string, unit, zero *prop, ps []*prop) *prop {
	var sub []*prop
	for _, p := range ps {
		switch p {
		case zero:
			return zero
		case unit:
		default:
			sub = append(sub, p)
		}
	}
	switch len(sub) {
	case 0:
		return unit
	case 1:
		return sub[0]
	}
	return element(tag, sub...)
}

func path(quantifier, operator string, p *prop) *prop {
	return element(quantifier, element(operator, p))
}

func until(quantifier string, f, g *prop) *prop {
	return element(quantifier, element("until", element("before", f), element("reach", g)))
}

const some, all = "exists-path", "all-paths"

// paths says how the operators of one operand are written.
var paths = map[syntax.Op]struct{ quantifier, operator string }{
	syntax.OpEX: {some, "next"}, syntax.OpEF: {some, "finally"}, syntax.OpEG: {some, "globally"},
	syntax.OpAX: {all, "next"}, syntax.OpAF: {all, "finally"}, syntax.OpAG: {all, "globally"},
}

// A translator makes the property of a net, to which it adds the places that it needs.
type translator struct {
	net   *net
	store *diagram.Store
	done  map[*syntax.Formula]*prop
	limits
}

func (t *translator) formula(f *syntax.Formula) (*prop, error) {
	if p, ok := t.done[f]; ok {
		return p, nil
	}
	p, err := t.make(f)
	if err == nil && p.size > longest {
		err = &Error{Atom: f.String(), Pos: f.Pos, Reason: "its weak untils and equivalences double its length until it is too long"}
	}
	if err != nil {
		return nil, err
	}
	t.done[f] = p
	return p, nil
}

func (t *translator) make(f *syntax.Formula) (*prop, error) {
	if syntax.OfOneChain(f) {
		n, _, err := t.store.Formula(f, t.limits.diagram)
		if err != nil {
			return nil, err
		}
		p, _ := t.diagram(n, math.MaxInt)
		return p, nil
	}
	if f.Op == syntax.OpAtom {
		return t.atom(f)
	}
	sub := make([]*prop, len(f.Sub))
	for i, g := range f.Sub {
		var err error
		if sub[i], err = t.formula(g); err != nil {
			return nil, err
		}
	}
	switch f.Op {
	case syntax.OpNot:
		return not(sub[0]), nil
	case syntax.OpAnd:
		return and(sub...), nil
	case syntax.OpOr:
		return or(sub...), nil
	case syntax.OpImplies:
		return or(not(sub[0]), sub[1]), nil
	case syntax.OpIff:
		return or(and(sub[0], sub[1]), and(not(sub[0]), not(sub[1]))), nil
	case syntax.OpEU:
		return until(some, sub[0], sub[1]), nil
	case syntax.OpAU:
		return until(all, sub[0], sub[1]), nil
	case syntax.OpER:
		return not(until(all, not(sub[0]), not(sub[1]))), nil
	case syntax.OpAR:
		return not(until(some, not(sub[0]), not(sub[1]))), nil
	case syntax.OpEW:
		return or(until(some, sub[0], sub[1]), path(some, "globally", sub[0])), nil
	case syntax.OpAW:
		return not(until(some, not(sub[1]), and(not(sub[0]), not(sub[1])))), nil
	}
	p, known := paths[f.Op]
	if !known {
		panic("this cannot happen, because a resolved formula has no quantifiers: " + f.String())
	}
	return path(p.quantifier, p.operator, sub[0]), nil
}

// atom returns an atom that several chains decide: as sums of tokens or along its
// diagram, whichever names fewer places.
func (t *translator) atom(f *syntax.Formula) (*prop, error) {
	e := f.Expr
	least := t.references + 1
	var sums []diagram.Linear
	if e.Op == syntax.ExprCompare {
		cost := 0
		for i, rel := range e.Rel {
			l, ok := t.store.Linear(e.Args[i], e.Args[i+1], rel, true)
			if !ok {
				cost = least
				break
			}
			sums = append(sums, l)
			cost = min(least, cost+t.cost(l))
		}
		least = cost
	}
	n, ok, err := t.store.Formula(f, t.limits.diagram)
	if err != nil {
		return nil, err
	}
	if ok {
		if p, left := t.diagram(n, least-1); left >= 0 {
			return p, nil
		}
	}
	if least > t.references {
		return nil, &Error{Atom: e.String(), Pos: e.Pos, Reason: fmt.Sprintf("its values make a property that names more than %d places", t.references)}
	}
	var parts []*prop
	for _, l := range sums {
		parts = append(parts, t.sum(l))
	}
	return and(parts...), nil
}

// diagram returns a diagram that has truth values for leaves, one disjunct for each
// node that a choice leads to. It names budget places at most, and returns how many
// are left; below 0, the property means nothing.
func (t *translator) diagram(n *diagram.Node, budget int) (*prop, int) {
	if n.Leaf() {
		if n.Value.Bool() {
			return always, budget
		}
		return never, budget
	}
	var parts []*prop
	for _, branch := range n.Branches() {
		if branch.Node.Leaf() && !branch.Node.Value.Bool() {
			continue
		}
		where := t.where(fact{choice: n, to: branch.Node})
		if where == never {
			continue
		}
		var below *prop
		if below, budget = t.diagram(branch.Node, budget-1); budget < 0 {
			return never, budget
		}
		parts = append(parts, and(where, below))
	}
	return or(parts...), budget
}

// where says that a fact is true: by the one state at which it is or is not, or by a place
// of its own.
func (t *translator) where(f fact) *prop {
	in, out := t.net.where(f)
	switch {
	case len(in) == 0:
		return never
	case len(out) == 0:
		return always
	case len(in) == 1:
		return atMost(number(1), t.tokens([]int{in[0].place}))
	case len(out) == 1:
		return atMost(t.tokens([]int{out[0].place}), number(0))
	}
	return atMost(number(1), t.tokens([]int{t.net.tell(f)}))
}

func (t *translator) tokens(places []int) *prop {
	names := make([]*prop, len(places))
	for i, p := range places {
		names[i] = &prop{tag: "place", text: t.net.places[p].id, size: 1}
	}
	return element("tokens-count", names...)
}

// cost returns how many places a sum names, and how many arcs those have, up to one more
// than allowed.
func (t *translator) cost(l diagram.Linear) int {
	most := int64(t.references) + 1
	cost := int64(0)
	add := func(n int64) { cost = min(most, cost+n) }
	for _, term := range l.Terms {
		before := term.Runs[0].Node.Value.Int64()
		for _, run := range term.Runs {
			now := run.Node.Value.Int64()
			add(max(now-before, before-now))
			before = now
		}
		add(greatest(term))
	}
	for _, ch := range l.Channels {
		sends, _ := t.net.comp.Channel(ch.From, ch.To)
		add(max(ch.Factor, -ch.Factor) * int64(len(sends)))
	}
	return int(cost)
}

// greatest returns the greatest value of a term.
func greatest(term *diagram.Node) int64 {
	most := int64(0)
	for _, run := range term.Runs {
		most = max(most, run.Node.Value.Int64())
	}
	return most
}

// sum returns a linear comparison as a bound on a number of tokens. What a channel
// takes away is what its messages that are not in transit add, but for a constant.
func (t *translator) sum(l diagram.Linear) *prop {
	var places []int
	for _, term := range l.Terms {
		for least := range greatest(term) {
			places = append(places, t.net.tell(fact{choice: term, least: least + 1}))
		}
	}
	bound := l.Bound
	for _, ch := range l.Channels {
		factor := max(ch.Factor, -ch.Factor)
		for copy := range int(factor) {
			places = append(places, t.net.inTransit(ch.From, ch.To, ch.Factor < 0, copy+1)...)
		}
		if ch.Factor < 0 {
			bound += factor * int64(len(t.net.inTransit(ch.From, ch.To, true, 1)))
		}
	}
	most := int64(len(places))
	below := func(k int64) *prop { // the sum is at most k
		switch {
		case k < 0:
			return never
		case k >= most:
			return always
		}
		return atMost(t.tokens(places), number(k))
	}
	above := func(k int64) *prop { // the sum is at least k
		switch {
		case k <= 0:
			return always
		case k > most:
			return never
		}
		return atMost(number(k), t.tokens(places))
	}
	switch l.Rel {
	case syntax.Less:
		return below(bound - 1)
	case syntax.LessEqual:
		return below(bound)
	case syntax.Greater:
		return above(bound + 1)
	case syntax.GreaterEqual:
		return above(bound)
	case syntax.Equal:
		return and(below(bound), above(bound))
	}
	return or(below(bound-1), above(bound+1))
}
