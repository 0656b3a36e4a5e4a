package sat

import (
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/internal/regular"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// maxNext bounds the slices that EX and AX are split into, maxBroken the edges
// of those for AX.
const (
	maxNext   = 1 << 8
	maxBroken = 1 << 16
)

// nextAll makes the node of AX f: the cut is in none of the slices of EX !f, because it breaks an
// edge of each. It returns nil if !f is not a disjunction of formulas that have slices.
func (b *builder) nextAll(f *syntax.Formula) *node {
	slices, ok := b.steps(b.Negation(f))
	if !ok {
		return nil
	}
	count := 0
	outside := make([]*node, len(slices))
	for i, s := range slices {
		edges := s.Edges()
		if count += len(edges); count > maxBroken || b.stopped() {
			return nil
		}
		broken := make([]*node, len(edges))
		for j, e := range edges {
			broken[j] = b.all([]*node{b.happened(e.To, true), b.happened(e.From, false)})
		}
		outside[i] = b.any(broken)
	}
	return b.all(outside)
}

// steps returns the slices of EX f. It returns ok = false if f is not a disjunction of formulas that
// have slices.
func (b *builder) steps(f *syntax.Formula) (all []*slice.Slice, ok bool) {
	ds, ok := regular.Disjuncts(f, maxNext)
	for _, d := range ds {
		s := b.slice(d)
		if s == nil {
			return nil, false
		}
		if all = append(all, slice.EX(s)...); len(all) > maxNext {
			return nil, false
		}
	}
	return all, ok
}

// happened makes the node for an event that the cut has, or has not.
func (b *builder) happened(e graphs.Event, has bool) *node {
	if e == graphs.Bottom || e == b.Comp.Top() {
		if has == (e == graphs.Bottom) {
			return everywhere
		}
		return nowhere
	}
	before := states{spans: []span{{0, int32(b.Comp.Position(e))}}, not: has}
	return b.states(atoms.Chain{Process: b.Comp.Process(e)}, before)
}
