package sat

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// A node is a part of a formula. What single chains decide has become sets of their states.
type node struct {
	kind  kind
	subs  []*node     // allOf, anyOf, later
	chain atoms.Chain // local
	set   states      // local: the states in which it holds
	// local: the states in which it fails, between the initial and the final cut
	gaps    []span
	atom    *atom         // related
	negated bool          // related
	slice   *slice.Slice  // sliced
	edges   []graphs.Edge // sliced
}

type kind uint8

const (
	always  kind = iota
	never        // at no cut
	local        // a chain is in one of some states
	related      // an atom over several chains holds or, if negated is set, does not
	sliced       // the cut is in a slice
	allOf        // all of two or more
	anyOf        // some of two or more
	later        // at some later cut
)

var (
	everywhere = &node{kind: always}
	nowhere    = &node{kind: never}
)

// A builder makes nodes. Shared formulas become shared nodes, and an expression is
// read once.
type builder struct {
	*engine.Problem
	slices func(*syntax.Formula) *slice.Slice // Of, except in tests that do without slices
	err    error                              // the error of the context, or *atoms.ValuesError

	formulas map[*syntax.Formula]*node
	literals map[literal]*node
	atoms    map[*syntax.Expr]*atom
	columns  map[*graphs.Variable]*column
	cases    float64 // how many cases all atoms have
}

// A literal is an atom or its negation.
type literal struct {
	expr    *syntax.Expr
	negated bool
}

// newBuilder returns a builder for a problem.
func newBuilder(p *engine.Problem) *builder {
	return &builder{
		Problem:  p,
		slices:   p.Of,
		formulas: make(map[*syntax.Formula]*node),
		literals: make(map[literal]*node),
		atoms:    make(map[*syntax.Expr]*atom),
		columns:  make(map[*graphs.Variable]*column),
	}
}

// node makes the node of a formula in negation normal form. It returns nil if the
// formula is of another kind, or there is an error.
func (b *builder) node(f *syntax.Formula) *node {
	return once(b.formulas, f, func() *node { return b.make(f) })
}

// once returns the value of a key, and makes it on the first call.
func once[K comparable, V any](values map[K]V, key K, make func() V) V {
	v, ok := values[key]
	if !ok {
		v = make()
		values[key] = v
	}
	return v
}

// make makes the node of a formula that has none yet.
func (b *builder) make(f *syntax.Formula) *node {
	if b.stopped() {
		return nil
	}
	switch f.Op {
	case syntax.OpTrue:
		return everywhere
	case syntax.OpFalse:
		return nowhere
	case syntax.OpAtom:
		return b.literal(f.Expr, false)
	case syntax.OpNot:
		return b.literal(f.Sub[0].Expr, true)
	case syntax.OpAnd, syntax.OpOr:
		subs := make([]*node, len(f.Sub))
		for i, sub := range f.Sub {
			if subs[i] = b.node(sub); subs[i] == nil {
				return nil
			}
		}
		if f.Op == syntax.OpAnd {
			return b.all(subs)
		}
		return b.any(subs)
	}
	// Temporal operators: by their slices where they have some, else as a later or a
	// next cut.
	s := b.slice(f)
	switch {
	case b.err != nil:
	case s != nil:
		return ofSlice(s)
	case f.Op == syntax.OpEF, f.Op == syntax.OpAF && regular.SomeChain(f.Sub[0]):
		// Every run passes through all local states of a process.
		// EF EF f is EF f, and a constant is the same at every cut.
		n := b.node(f.Sub[0])
		if n == nil || n.kind == always || n.kind == never || n.kind == later {
			return n
		}
		return &node{kind: later, subs: []*node{n}}
	case f.Op == syntax.OpEX:
		// The cut is in one of the slices of EX.
		if slices, ok := b.steps(f.Sub[0]); ok {
			return b.any(syntax.Mapped(slices, ofSlice))
		}
	case f.Op == syntax.OpAX:
		return b.nextAll(f.Sub[0])
	}
	return nil
}

// slice returns the slice of a temporal formula, or nil if it has none or there is an error.
func (b *builder) slice(f *syntax.Formula) *slice.Slice {
	s := b.slices(f)
	if err := b.Err(); err != nil {
		b.err = err
	}
	return s
}

// stopped reports whether the context is done.
func (b *builder) stopped() bool {
	if b.err == nil {
		b.err = b.Ctx.Err()
	}
	return b.err != nil
}

// ofSlice makes the node for the cuts of a slice.
func ofSlice(s *slice.Slice) *node {
	if s.Empty() {
		return nowhere
	}
	if edges := s.Edges(); len(edges) > 0 {
		return &node{kind: sliced, slice: s, edges: edges}
	}
	return everywhere
}

// states makes the node for a chain that is in a set of states.
func (b *builder) states(h atoms.Chain, set states) *node {
	first, last := h.Bounds(b.Comp)
	gaps := set.complement().within(first, last)
	switch {
	case len(gaps) == 0:
		return everywhere
	case gaps[0] == span{first, last + 1}:
		return nowhere
	}
	return &node{kind: local, chain: h, set: set, gaps: gaps}
}

// all makes the node of a conjunction. What several parts say of one chain
// becomes one part.
func (b *builder) all(subs []*node) *node {
	return b.join(subs, allOf, everywhere, nowhere, intersection)
}

// any makes the node of a disjunction.
func (b *builder) any(subs []*node) *node { return b.join(subs, anyOf, nowhere, everywhere, union) }

// join makes a conjunction or disjunction. unit is the operand that changes nothing,
// zero the one that decides. The operands of one chain become one set of states.
func (b *builder) join(subs []*node, kind kind, unit, zero *node, sets func([]states) states) *node {
	// What a chain has to do is collected, nested operands of the same kind are spliced
	// in, and constants drop out.
	var kept []*node
	var chains []atoms.Chain
	byChain := make(map[atoms.Chain][]states)
	var add func(subs []*node) bool
	add = func(subs []*node) bool {
		for _, n := range subs {
			switch n.kind {
			case unit.kind:
			case zero.kind:
				return false
			case kind:
				if !add(n.subs) {
					return false
				}
			case local:
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
	return &node{kind: kind, subs: kept}
}
