package rctl

import (
	"context"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// An unfitError says why satisfiability does not decide a formula.
type unfitError struct{ reason string }

func (e *unfitError) Error() string { return "satisfiability does not decide this: " + e.reason }

// A satNode is a part of a formula, with all that single chains decide worked out.
type satNode struct {
	kind    satKind
	subs    []*satNode
	chain   satChain // satStates
	set     satSet
	spans   []satSpan // states that are not in set
	atom    *satAtom  // satAtomic
	negated bool
	edges   []graphs.Edge // satSlice
	slice   *slice.Slice
}

type satKind uint8

const (
	satTrue   satKind = iota
	satFalse          // nowhere
	satStates         // a chain is in one of some states
	satAtomic         // an atom or, where negated, not
	satSlice          // in a slice
	satAll            // all of two or more
	satAny            // some of two or more
	satLater          // at some later cut
)

var (
	satHolds = &satNode{kind: satTrue}
	satFails = &satNode{kind: satFalse}
)

// A satBuilder makes nodes. Formulas that are shared become nodes that are, and
// an expression is read once.
type satBuilder struct {
	ctx     context.Context
	comp    *graphs.Computation
	regular func(*syntax.Formula) *slice.Slice // slice of a temporal formula, nil where it has none

	formulas map[*syntax.Formula]*satNode
	literals map[satLiteral]*satNode
	atoms    map[*syntax.Expr]*satAtom
	sets     map[*syntax.Expr]*satNode // of expressions that one chain decides
	columns  map[*graphs.Variable]*satColumn
	cases    float64
}

type satLiteral struct {
	expr    *syntax.Expr
	negated bool
}

func newSatBuilder(ctx context.Context, c *graphs.Computation, regular func(*syntax.Formula) *slice.Slice) *satBuilder {
	return &satBuilder{
		ctx: ctx, comp: c, regular: regular,
		formulas: map[*syntax.Formula]*satNode{},
		literals: map[satLiteral]*satNode{},
		atoms:    map[*syntax.Expr]*satAtom{},
		sets:     map[*syntax.Expr]*satNode{},
		columns:  map[*graphs.Variable]*satColumn{},
	}
}

// node makes the node of a formula in negation normal form. The error may be an
// *unfitError.
func (b *satBuilder) node(f *syntax.Formula) (*satNode, error) {
	if n, ok := b.formulas[f]; ok {
		return n, nil
	}
	n, err := b.make(f)
	if err == nil {
		b.formulas[f] = n
	}
	return n, err
}

func (b *satBuilder) make(f *syntax.Formula) (*satNode, error) {
	if err := b.ctx.Err(); err != nil {
		return nil, err
	}
	switch f.Op {
	case syntax.OpTrue:
		return satHolds, nil
	case syntax.OpFalse:
		return satFails, nil
	case syntax.OpAtom:
		return b.literal(f.Expr, false)
	case syntax.OpNot:
		if f.Sub[0].Op == syntax.OpAtom {
			return b.literal(f.Sub[0].Expr, true)
		}
	case syntax.OpAnd, syntax.OpOr:
		subs := make([]*satNode, len(f.Sub))
		for i, sub := range f.Sub {
			var err error
			if subs[i], err = b.node(sub); err != nil {
				return nil, err
			}
		}
		if f.Op == syntax.OpAnd {
			return b.all(subs), nil
		}
		return b.any(subs), nil
	}
	if b.regular != nil && f.Op.IsTemporal() {
		if s := b.regular(f); s != nil {
			return sliceNode(s), nil
		}
	}
	if f.Op == syntax.OpEF {
		return b.later(f.Sub[0])
	}
	if f.Op == syntax.OpAF && slices.IndexFunc(alternatives(f.Sub[0]), isNoChain) < 0 {
		// Every run passes through all local states of a process.
		return b.later(f.Sub[0])
	}
	return nil, &unfitError{f.String() + " speaks of all runs, or of what lies between two cuts"}
}

func isNoChain(f *syntax.Formula) bool {
	_, _, ok := syntax.ChainOf(f)
	return !ok
}

func (b *satBuilder) later(f *syntax.Formula) (*satNode, error) {
	n, err := b.node(f)
	if err != nil || n.kind == satTrue || n.kind == satFalse || n.kind == satLater {
		return n, err
	}
	return &satNode{kind: satLater, subs: []*satNode{n}}, nil
}

func sliceNode(s *slice.Slice) *satNode {
	if s.Empty() {
		return satFails
	}
	if edges := s.Edges(); len(edges) > 0 {
		return &satNode{kind: satSlice, slice: s, edges: edges}
	}
	return satHolds
}

// literal makes the node of an atom or its negation.
func (b *satBuilder) literal(e *syntax.Expr, negated bool) (*satNode, error) {
	key := satLiteral{e, negated}
	if n, ok := b.literals[key]; ok {
		return n, nil
	}
	n, err := b.makeLiteral(e, negated)
	if err == nil {
		b.literals[key] = n
	}
	return n, err
}

func (b *satBuilder) makeLiteral(e *syntax.Expr, negated bool) (*satNode, error) {
	if n, ok := b.sets[e]; ok {
		return b.negatable(n, negated), nil
	}
	a := b.atoms[e]
	if a == nil {
		var err error
		if a, err = b.readAtom(e); err != nil {
			return nil, err
		}
		b.atoms[e] = a
	}
	switch len(a.columns) {
	case 0:
		n := satFails
		if a.holds() {
			n = satHolds
		}
		b.sets[e] = n
		return b.negatable(n, negated), nil
	case 1:
		k := a.columns[0]
		set := k.where(func(class int32) bool {
			a.setClass(0, class)
			return a.holds()
		})
		n := b.states(k.chain, set)
		b.sets[e] = n
		return b.negatable(n, negated), nil
	}
	if parts := atomParts(e); parts != nil {
		return b.compose(parts, negated)
	}
	if halves := a.halves(); halves != nil {
		first, err := b.readAtom(halves[0])
		if err != nil {
			return nil, err
		}
		if first.monotone {
			return b.compose(halves, negated != (e.Rel[0] == syntax.NotEqual))
		}
	}
	if n := a.cases(); !a.monotone {
		if b.cases += n; n > mostCases || b.cases > allCases {
			return nil, tooManyCases(e, n)
		}
	}
	if truth, ok, err := a.constant(b.ctx); err != nil {
		return nil, err
	} else if ok {
		b.sets[e] = satFails
		if truth {
			b.sets[e] = satHolds
		}
		return b.negatable(b.sets[e], negated), nil
	}
	return &satNode{kind: satAtomic, atom: a, negated: negated}, nil
}

// compose makes the node of a conjunction of atoms, or of its negation.
func (b *satBuilder) compose(parts []*syntax.Expr, negated bool) (*satNode, error) {
	subs := make([]*satNode, len(parts))
	for i, part := range parts {
		var err error
		if subs[i], err = b.literal(part, negated); err != nil {
			return nil, err
		}
	}
	if negated {
		return b.any(subs), nil
	}
	return b.all(subs), nil
}

// column returns the column of a source.
func (b *satBuilder) column(h satChain, s satSource) *satColumn {
	if s.variable == nil {
		return readColumn(b.comp, h, s)
	}
	k, ok := b.columns[s.variable]
	if !ok {
		k = readColumn(b.comp, h, s)
		b.columns[s.variable] = k
	}
	return k
}

// states makes the node for a chain being in a set of states.
func (b *satBuilder) states(h satChain, set satSet) *satNode {
	first, last := h.bounds(b.comp)
	spans := set.complement().within(first, last)
	switch {
	case len(spans) == 0:
		return satHolds
	case spans[0] == satSpan{first, last + 1}:
		return satFails
	}
	return &satNode{kind: satStates, chain: h, set: set, spans: spans}
}

// negatable returns the node of a set of states, or of its complement.
func (b *satBuilder) negatable(n *satNode, negated bool) *satNode {
	switch {
	case !negated:
		return n
	case n.kind == satTrue:
		return satFails
	case n.kind == satFalse:
		return satHolds
	}
	return b.states(n.chain, n.set.complement())
}

// all makes the node of a conjunction. What several parts say of one chain
// becomes one part.
func (b *satBuilder) all(subs []*satNode) *satNode {
	return b.join(subs, satAll, satHolds, satFails, intersectAll)
}

// any makes the node of a disjunction.
func (b *satBuilder) any(subs []*satNode) *satNode {
	return b.join(subs, satAny, satFails, satHolds, uniteAll)
}

func (b *satBuilder) join(subs []*satNode, kind satKind, unit, zero *satNode, sets func([]satSet) satSet) *satNode {
	var kept []*satNode
	var chains []satChain
	var byChain map[satChain][]satSet
	var add func(subs []*satNode) bool
	add = func(subs []*satNode) bool {
		for _, n := range subs {
			switch n.kind {
			case unit.kind:
			case zero.kind:
				return false
			case kind:
				if !add(n.subs) {
					return false
				}
			case satStates:
				if byChain == nil {
					byChain = make(map[satChain][]satSet)
				}
				if byChain[n.chain] == nil {
					chains = append(chains, n.chain)
				}
				byChain[n.chain] = append(byChain[n.chain], n.set)
			default:
				kept = append(kept, n)
			}
		}
		return true
	}
	if !add(subs) {
		return zero
	}
	for _, h := range chains {
		switch n := b.states(h, sets(byChain[h])); n.kind {
		case unit.kind:
		case zero.kind:
			return zero
		default:
			kept = append(kept, n)
		}
	}
	switch len(kept) {
	case 0:
		return unit
	case 1:
		return kept[0]
	}
	return &satNode{kind: kind, subs: kept}
}
