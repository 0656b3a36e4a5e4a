package regular

import (
	"context"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// Slices makes the lean slices of formulas on one computation. Its methods return
// nil once there is an error.
type Slices struct {
	*Memo
	ctx  context.Context
	comp *graphs.Computation
	err  error
}

// New returns Slices for c that keeps what it makes in memo, which is c's.
func New(ctx context.Context, c *graphs.Computation, memo *Memo) *Slices {
	return &Slices{Memo: memo, ctx: ctx, comp: c}
}

// Err returns what kept Of from making a slice: the error of the context, or values
// that were not read (*atoms.ValuesError).
func (k *Slices) Err() error { return k.err }

// Of returns the lean slice of a formula in negation normal form, nil where slices
// do not decide it. Formulas share their slices. The time complexity of Of is
// O(|f|·(|V|+|edges|)).
func (k *Slices) Of(f *syntax.Formula) *slice.Slice {
	s, ok := k.slices[f]
	if !ok && k.err == nil {
		s = k.make(f)
		if k.err == nil {
			k.slices[f] = s
		}
	}
	return s
}

func (k *Slices) make(f *syntax.Formula) *slice.Slice {
	if k.err = k.ctx.Err(); k.err != nil {
		return nil
	}
	if syntax.OfOneChain(f) {
		return k.chain(f)
	}
	switch f.Op {
	case syntax.OpAtom:
		return k.bounds(f.Expr)
	case syntax.OpNot:
		if e, ok := syntax.Invert(f.Sub[0].Expr); ok {
			return k.bounds(e)
		}
		return nil
	case syntax.OpAnd:
		return k.conjunction(f.Sub)
	case syntax.OpEF:
		return k.apply(slice.EF, f.Sub[0])
	case syntax.OpAG:
		return k.apply(slice.AG, f.Sub[0])
	case syntax.OpEG:
		return k.apply(slice.EG, f.Sub[0])
	case syntax.OpAF:
		// Every run passes through all local states of a process.
		if syntax.OfOneChain(f.Sub[0]) {
			return k.apply(slice.EF, f.Sub[0])
		}
	case syntax.OpEU:
		return k.apply2(slice.EU, k.Along(f), f.Sub[1])
	case syntax.OpER:
		return k.apply2(slice.ER, f.Sub[0], f.Sub[1])
	case syntax.OpEW:
		// E[p W q] = E[q R p || q]
		return k.apply2(slice.ER, f.Sub[1], k.Along(f))
	}
	return nil
}

// Along returns what holds at every cut of a run for E[p U q] or E[p W q], its
// last one included: p || q, which is p where q is p && r. Then E[p U q] is
// E[(p || q) U (p || q) && q], of the form that has a slice.
func (k *Slices) Along(f *syntax.Formula) *syntax.Formula {
	p, q := f.Sub[0], f.Sub[1]
	if Includes(q, p) {
		return p
	}
	either, ok := k.eithers[f]
	if !ok {
		either = syntax.Or(p, q)
		k.eithers[f] = either
	}
	return either
}

func (k *Slices) apply(op func(*slice.Slice) *slice.Slice, f *syntax.Formula) *slice.Slice {
	if s := k.Of(f); s != nil {
		return op(s)
	}
	return nil
}

func (k *Slices) apply2(op func(p, q *slice.Slice) *slice.Slice, f, g *syntax.Formula) *slice.Slice {
	p := k.Of(f)
	if p == nil {
		return nil
	}
	if q := k.Of(g); q != nil {
		return op(p, q)
	}
	return nil
}

func (k *Slices) conjunction(fs []*syntax.Formula) *slice.Slice {
	parts := make([]*slice.Slice, len(fs))
	for i, f := range fs {
		if parts[i] = k.Of(f); parts[i] == nil {
			return nil
		}
	}
	return slice.And(parts...)
}

// chain returns the slice of a predicate of one chain.
func (k *Slices) chain(f *syntax.Formula) *slice.Slice {
	p := k.compile(f)
	if p == nil {
		return nil
	}
	t := atoms.Along(p)
	return slice.Chain(k.comp, t.Events, t.Values)
}

func (k *Slices) compile(f *syntax.Formula) *atoms.Predicate {
	p, err := atoms.Compile(k.comp, f)
	if err != nil {
		k.err = err
	}
	return p
}

// bounds returns the slice of a comparison that bounds a channel or the
// difference of two variables that never decrease.
func (k *Slices) bounds(e *syntax.Expr) *slice.Slice {
	if b, ok := syntax.TransitBound(e); ok {
		return slice.And(
			slice.TransitAtLeast(k.comp, b.FromID, b.ToID, b.AtLeast),
			slice.TransitAtMost(k.comp, b.FromID, b.ToID, b.AtMost))
	}
	var parts []*slice.Slice
	for _, part := range syntax.Split(e) {
		atom := &syntax.Formula{Op: syntax.OpAtom, Expr: part}
		var s *slice.Slice
		if syntax.OfOneChain(atom) {
			s = k.chain(atom)
		} else if b, ok := syntax.TransitBound(part); ok {
			s = slice.And(
				slice.TransitAtLeast(k.comp, b.FromID, b.ToID, b.AtLeast),
				slice.TransitAtMost(k.comp, b.FromID, b.ToID, b.AtMost))
		} else {
			s = k.difference(atom)
		}
		if s == nil {
			return nil
		}
		parts = append(parts, s)
	}
	return slice.And(parts...)
}

func (k *Slices) difference(atom *syntax.Formula) *slice.Slice {
	pos, neg, _, _, ok := syntax.Difference(atom.Expr)
	if !ok {
		return nil
	}
	p := k.compile(atom)
	if p == nil {
		return nil
	}
	x, y := k.comp.Variable(pos.Owner, pos.Text), k.comp.Variable(neg.Owner, neg.Text)
	if !neverDecreases(x) || !neverDecreases(y) {
		return nil
	}
	env := p.Env()
	xi := slices.IndexFunc(p.Slots, func(s atoms.Slot) bool { return s.Variable == x })
	yi := slices.IndexFunc(p.Slots, func(s atoms.Slot) bool { return s.Variable == y })
	return slice.Difference(k.comp, x.Events(), y.Events(), func(i, j int) bool {
		env[xi], env[yi] = x.Value(i-1), y.Value(j-1)
		return p.Of(env)
	})
}

func neverDecreases(v *graphs.Variable) bool {
	for i := range v.Len() {
		if v.Value(i).Compare(v.Value(i-1)) < 0 {
			return false
		}
	}
	return true
}

// Includes reports whether every conjunct of p is one of q's, so that q is
// p && q.
func Includes(q, p *syntax.Formula) bool {
	of := syntax.Conjuncts(q)
	for _, f := range syntax.Conjuncts(p) {
		if f.Op != syntax.OpTrue && !slices.ContainsFunc(of, f.Equal) {
			return false
		}
	}
	return true
}
