// Package regular maps formulas to lean slices (package slice).
//
// A formula is regular if the cuts that satisfy it are closed under union and intersection. Then its slice
// is lean: its cuts are those that satisfy the formula. Slices makes the slices of RCTL and CETL formulas
// from those of their operands, each once (Memo). For a formula that is not regular, Cover returns a slice
// that contains every satisfying cut, and Disjuncts splits a disjunction into parts that may have lean slices.
//
// The theory and its sources are in package slice.
package regular

import (
	"context"
	"slices"
	"sync"

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

// New returns Slices for c that keeps its results in memo, the Memo of c.
func New(ctx context.Context, c *graphs.Computation, memo *Memo) *Slices {
	return &Slices{Memo: memo, ctx: ctx, comp: c}
}

// Err returns what kept Of from making a slice: the error of the context, or values
// that were not read (*atoms.ValuesError).
func (k *Slices) Err() error { return k.err }

// Of returns the lean slice of a formula in negation normal form, or nil if slices
// do not decide it. Formulas share their slices. The time complexity of Of is
// O(|f|·(|V|+|edges|)).
func (k *Slices) Of(f *syntax.Formula) *slice.Slice {
	r := k.recipe(f)
	if r == nil {
		return nil
	}
	r.mu.Lock() // after those of formulas that f is part of, never before
	defer r.mu.Unlock()
	if r.slice != nil || k.err != nil {
		return r.slice
	}
	if base := r.base; base != nil {
		base.mu.Lock()
		made := base.slice
		base.mu.Unlock()
		if made != nil {
			r.slice = made.From(k.comp)
			return r.slice
		}
	}
	if k.err = k.ctx.Err(); k.err != nil {
		return nil
	}
	// The parts come first; they may have their slices already.
	subs := make([]*slice.Slice, len(r.of))
	for i, sub := range r.of {
		if subs[i] = k.Of(sub); subs[i] == nil {
			return nil
		}
	}
	r.slice = r.make(k, subs)
	return r.slice
}

// Has reports whether Of returns a slice, errors aside. It makes none.
func (k *Slices) Has(f *syntax.Formula) bool { return k.recipe(f) != nil }

// A recipe says how the slice of a formula is made of the slices of others.
type recipe struct {
	of []*syntax.Formula
	// returns nil if it fails; k is that of the call
	make func(k *Slices, of []*slice.Slice) *slice.Slice

	base *recipe // the recipe of the same formula on the computation from an earlier cut on, or nil

	mu    sync.Mutex
	slice *slice.Slice // once it is made
}

// recipe returns how to make the slice of f, or nil if slices do not decide it.
func (k *Slices) recipe(f *syntax.Formula) *recipe {
	k.mu.Lock()
	r, ok := k.recipes[f]
	k.mu.Unlock()
	if ok || k.err != nil {
		return r
	}
	// A formula has the same recipe at all cuts.
	if base := k.base; base != nil {
		base.mu.Lock()
		r, ok = base.recipes[f]
		base.mu.Unlock()
	}
	if r != nil {
		r = &recipe{of: r.of, make: r.make, base: r}
	}
	// The search is done without the lock: two goroutines may find the same, and the
	// first one counts.
	if !ok {
		r = k.find(f)
	}
	// A recipe is of use only if all parts have one.
	for i := 0; !ok && r != nil && i < len(r.of); i++ {
		if !k.Has(r.of[i]) {
			r = nil
		}
	}
	if k.err != nil {
		return r
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if other, ok := k.recipes[f]; ok { // another goroutine has made one in the meantime
		return other
	}
	k.recipes[f] = r
	return r
}

// find returns the recipe that f has if its parts have some.
func (k *Slices) find(f *syntax.Formula) *recipe {
	if syntax.OfOneChain(f) {
		return leaf(func(k *Slices) *slice.Slice { return k.chain(f) })
	}
	switch f.Op {
	case syntax.OpAtom:
		return k.comparison(f.Expr)
	case syntax.OpNot:
		if e, ok := syntax.Invert(f.Sub[0].Expr); ok {
			return k.comparison(e)
		}
	case syntax.OpAnd:
		if len(f.Sub) > maxKept {
			return conjunction(f.Sub)
		}
		return operator(f.Op, f.Sub...)
	case syntax.OpEF, syntax.OpAG, syntax.OpEG, syntax.OpER:
		return operator(f.Op, f.Sub...)
	case syntax.OpAF:
		// Every run passes through all local states of a process.
		if syntax.OfOneChain(f.Sub[0]) {
			return operator(syntax.OpEF, f.Sub[0])
		}
	case syntax.OpEU:
		return operator(f.Op, k.Along(f), f.Sub[1])
	case syntax.OpEW:
		// E[p W q] = E[q R p || q]
		return operator(syntax.OpER, f.Sub[1], k.Along(f))
	}
	return nil
}

// operator is the recipe of an operator on the slices of formulas.
func operator(op syntax.Op, fs ...*syntax.Formula) *recipe {
	return &recipe{of: fs, make: func(_ *Slices, of []*slice.Slice) *slice.Slice { return apply(op, of) }}
}

// apply returns the slice of an operator on some slices.
func apply(op syntax.Op, of []*slice.Slice) *slice.Slice {
	switch op {
	case syntax.OpAnd:
		return slice.And(of...)
	case syntax.OpOr:
		return slice.Or(of...)
	case syntax.OpEF:
		return slice.EF(of[0])
	case syntax.OpAG:
		return slice.AG(of[0])
	case syntax.OpEG:
		return slice.EG(of[0])
	case syntax.OpEU:
		return slice.EU(of[0], of[1])
	case syntax.OpER:
		return slice.ER(of[0], of[1])
	}
	return nil
}

// maxKept bounds the operands of a conjunction whose slices are kept.
const maxKept = 1024

// conjunction returns the recipe of a conjunction of many operands. It keeps no slices of operands of
// one chain: to make one is faster than to find it again.
func conjunction(fs []*syntax.Formula) *recipe {
	var others []*syntax.Formula
	for _, f := range fs {
		if !syntax.OfOneChain(f) {
			others = append(others, f)
		}
	}
	return &recipe{of: others, make: func(k *Slices, of []*slice.Slice) *slice.Slice {
		local := slice.Chains(k.comp, func(yield func([]graphs.Event, []bool) bool) {
			for i, f := range fs {
				if i%1024 == 0 && k.err == nil {
					k.err = k.ctx.Err()
				}
				if !syntax.OfOneChain(f) {
					continue
				}
				if t, ok := k.along(f); !ok || !yield(t.Events, t.Values) {
					return
				}
			}
		})
		if k.err != nil {
			return nil
		}
		return slice.And(append(slices.Clip(of), local)...)
	}}
}

// leaf is the recipe of a formula without parts that have slices.
func leaf(make func(k *Slices) *slice.Slice) *recipe {
	return &recipe{make: func(k *Slices, _ []*slice.Slice) *slice.Slice { return make(k) }}
}

// Along returns the formula that holds at every cut of a run for E[p U q] or E[p W q],
// the last one included: p || q, or just p where q is p && r. Then E[p U q] is E[(p ||
// q) U (p || q) && q], of the form that has a slice.
func (k *Slices) Along(f *syntax.Formula) *syntax.Formula {
	p, q := f.Sub[0], f.Sub[1]
	if Includes(q, p) {
		return p
	}
	return k.Normal(syntax.Or(p, q)) // the same each time, so that it has one slice
}

// chain returns the slice of a predicate of one chain.
func (k *Slices) chain(f *syntax.Formula) *slice.Slice {
	t, ok := k.along(f)
	if !ok {
		return nil
	}
	return slice.Chain(k.comp, t.Events, t.Values)
}

// along returns the values of a predicate of one chain along the chain. It returns ok = false if there
// is an error.
func (k *Slices) along(f *syntax.Formula) (column atoms.Column[bool], ok bool) {
	if p := k.compile(f); p != nil && k.err == nil {
		return atoms.Along(p), true
	}
	return column, false
}

// compile compiles a predicate. It sets the error of k, if there is one.
func (k *Slices) compile(f *syntax.Formula) *atoms.Predicate {
	p, err := atoms.Compile(k.comp, f)
	if err != nil {
		k.err = err
	}
	return p
}

// comparison returns the recipe of a comparison if each part is of one chain, bounds a
// channel, or bounds the difference of two variables that never decrease.
func (k *Slices) comparison(e *syntax.Expr) *recipe {
	parts := syntax.Mapped(syntax.Split(e), syntax.AsAtom)
	if len(parts) > 1 {
		return operator(syntax.OpAnd, parts...)
	}
	atom := parts[0]
	r, ok := syntax.RegularPart(atom.Expr, Rise(k.comp))
	if !ok {
		return nil
	}
	return leaf(func(k *Slices) *slice.Slice {
		switch {
		case r.Channel != nil:
			b := r.Channel
			return slice.And(slice.TransitAtLeast(k.comp, b.FromID, b.ToID, b.AtLeast),
				slice.TransitAtMost(k.comp, b.FromID, b.ToID, b.AtMost))
		case r.X != nil:
			return k.difference(atom, k.variable(r.X), k.variable(r.Y))
		}
		return k.chain(atom)
	})
}

// difference returns the slice of a bound on the difference of two variables that never
// decrease. The comparison itself is evaluated, so that it is rounded as everywhere
// else.
func (k *Slices) difference(atom *syntax.Formula, x, y *graphs.Variable) *slice.Slice {
	p := k.compile(atom)
	if p == nil {
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

// variable returns the variable that an expression reads.
func (k *Slices) variable(e *syntax.Expr) *graphs.Variable { return k.comp.Variable(e.Owner, e.Text) }

// Rise reports for two variables of c whether no assignment lowers their values, and whether a
// comparison of them keeps their order, in O(assignments).
func Rise(c *graphs.Computation) func(part, x, y *syntax.Expr) bool {
	rises := func(e *syntax.Expr) bool {
		v := c.Variable(e.Owner, e.Text)
		if v == nil {
			return false
		}
		for i := range v.Len() {
			if v.Value(i).Compare(v.Value(i-1)) < 0 {
				return false
			}
		}
		return true
	}
	return func(part, x, y *syntax.Expr) bool { return rises(x) && rises(y) && atoms.KeepsOrder(c, part) }
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

// SomeChain reports whether f is a disjunction of predicates of single chains.
func SomeChain(f *syntax.Formula) bool {
	return !slices.ContainsFunc(syntax.Alternatives(f), func(d *syntax.Formula) bool { return !syntax.OfOneChain(d) })
}
