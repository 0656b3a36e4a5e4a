package rctl

import (
	"context"
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/ist"
	"github.com/pota-project/pota/rctl/syntax"
)

// A trees engine has an interval sharing tree for each subformula, of the cuts that
// satisfy it. Of the tuples that are no cuts a tree may have any: it is smaller when
// it need not tell them from cuts. With f and g restricted to cuts,
//
//	EX f       the tuples from which one move leads into f
//	EF f       those below some tuple of f: from each cut there is a run to every
//	           cut above it
//	E[f U g]   those from which moves lead into g, through f before it
//	EG f       E[f U f && last], last the final cut
//	E[f R g]   E[g U g && (f || last)]
//	E[f W g]   E[f U g || f && last]
//
// and for A the complements of those of the negation: A[f U g] that of
// E[!g W !f && !g]. Kalyon and others print EG f as the greatest X with
// X = f && EX X, which is empty, since runs end.
type trees struct {
	ctx   context.Context
	comp  *graphs.Computation
	space *treeSpace
	store *ist.Store
	all   ist.Set // the cuts
	last  ist.Set // the final cut
	sets  map[*syntax.Formula]ist.Set
	atoms map[treeAtom]ist.Set
	cuts  map[ist.Set]ist.Set // restrictions to cuts
	spare int                 // nodes that may be made in search of one shortest run

	initial map[*syntax.Formula]bool // truth at the initial cut, where the set was not needed

	weigh func(graphs.Cut) int // size of a cut where it is not that of the cut itself: for a projection
}

const spareNodes = 1 << 17

// runTrees finds the cuts of c that satisfy each subformula of fs, in negation
// normal form. c must not be empty. Errors are that of ctx and *ist.LimitError,
// for more than that many bytes of memory, 0 for any number.
func runTrees(ctx context.Context, c *graphs.Computation, bytes int64, fs ...*syntax.Formula) (*trees, error) {
	space, err := newTreeSpace(ctx, c, bytes)
	if err != nil {
		return nil, err
	}
	lim := ist.Limits{}
	if bytes > 0 {
		lim.Bytes = max(bytes-space.bytes, 1)
	}
	t := &trees{
		ctx:   ctx,
		comp:  c,
		space: space,
		store: ist.New(ctx, space.tops, space.moves, lim),
		sets:  make(map[*syntax.Formula]ist.Set),
		atoms: make(map[treeAtom]ist.Set),
		cuts:  make(map[ist.Set]ist.Set),
		spare: spareNodes,

		initial: make(map[*syntax.Formula]bool),
	}
	t.all = t.store.Select(space.bounds, space.variables(), nil)
	t.last = t.store.Tuple(space.tops)
	for _, f := range fs {
		if err := t.decide(f); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// decide finds out whether f holds at the initial cut. For EF and AG it is enough
// to know whether there is any cut to reach.
func (t *trees) decide(f *syntax.Formula) error {
	switch f.Op {
	case syntax.OpAnd, syntax.OpOr:
		holds := f.Op == syntax.OpAnd
		for _, sub := range f.Sub {
			if err := t.decide(sub); err != nil {
				return err
			}
			if f.Op == syntax.OpAnd {
				holds = holds && t.holds(sub)
			} else {
				holds = holds || t.holds(sub)
			}
		}
		t.initial[f] = holds
		return nil
	case syntax.OpEF, syntax.OpAG:
		a, err := t.set(f.Sub[0])
		if err != nil {
			return err
		}
		if f.Op == syntax.OpEF {
			t.initial[f] = t.within(a) != ist.Empty
		} else {
			t.initial[f] = t.without(a) == ist.Empty
		}
		return t.store.Err()
	}
	_, err := t.set(f)
	return err
}

// set returns the cuts that satisfy f.
func (t *trees) set(f *syntax.Formula) (ist.Set, error) {
	if a, ok := t.sets[f]; ok {
		return a, nil
	}
	a, err := t.make(f)
	if err == nil {
		err = t.store.Err()
	}
	if err == nil {
		t.sets[f] = a
	}
	return a, err
}

func (t *trees) make(f *syntax.Formula) (ist.Set, error) {
	if syntax.IsPropositional(f) {
		return t.state(f)
	}
	if f.Op == syntax.OpAnd || f.Op == syntax.OpOr {
		return t.junction(f)
	}
	var subs [2]ist.Set
	for i, sub := range f.Sub {
		a, err := t.set(sub)
		if err != nil {
			return ist.Empty, err
		}
		subs[i] = a
	}
	return t.temporal(f.Op, subs[0], subs[1]), nil
}

// junction joins the operands without temporal operators first.
func (t *trees) junction(f *syntax.Formula) (ist.Set, error) {
	var states []*syntax.Formula
	var sets []ist.Set
	for _, sub := range f.Sub {
		if syntax.IsPropositional(sub) {
			states = append(states, sub)
			continue
		}
		a, err := t.set(sub)
		if err != nil {
			return ist.Empty, err
		}
		sets = append(sets, a)
	}
	if len(states) > 0 {
		a, err := t.states(f.Op, states)
		if err != nil {
			return ist.Empty, err
		}
		sets = append([]ist.Set{a}, sets...)
	}
	a := sets[0]
	for _, b := range sets[1:] {
		if f.Op == syntax.OpAnd {
			a = t.store.Intersect(a, b)
		} else {
			a = t.store.Union(a, b)
		}
	}
	return a, nil
}

// within returns the cuts of a set.
func (t *trees) within(a ist.Set) ist.Set {
	b, ok := t.cuts[a]
	if !ok {
		b = t.store.Intersect(t.all, a)
		if t.store.Err() == nil {
			t.cuts[a] = b
		}
	}
	return b
}

// without returns the cuts that are not in a set.
func (t *trees) without(a ist.Set) ist.Set { return t.store.Minus(t.all, a) }

// temporal returns a set for an operator over f and g.
func (t *trees) temporal(op syntax.Op, f, g ist.Set) ist.Set {
	s := t.store
	switch op {
	case syntax.OpEX:
		return s.Before(t.within(f))
	case syntax.OpAX:
		return s.Complement(s.Before(t.without(f)))
	case syntax.OpEF:
		return s.Down(t.within(f))
	case syntax.OpAG:
		return s.Complement(s.Down(t.without(f)))
	case syntax.OpEG:
		return t.always(t.within(f))
	case syntax.OpAF:
		return s.Complement(t.always(t.without(f)))
	case syntax.OpEU:
		return t.reach(t.within(f), t.within(g))
	case syntax.OpAR:
		return s.Complement(t.reach(t.without(f), t.without(g)))
	case syntax.OpER:
		g = t.within(g)
		return t.reach(g, s.Intersect(g, s.Union(f, t.last)))
	case syntax.OpAU:
		g = t.without(g)
		return s.Complement(t.reach(g, s.Union(s.Minus(g, f), s.Intersect(g, t.last))))
	case syntax.OpEW:
		f = t.within(f)
		return t.reach(f, s.Union(t.within(g), s.Intersect(f, t.last)))
	case syntax.OpAW:
		g = t.without(g)
		return s.Complement(t.reach(g, s.Minus(g, f)))
	}
	panic("this cannot happen, because the formula is in negation normal form: " + op.String())
}

// always returns the cuts from which a run to the final cut stays within f.
func (t *trees) always(f ist.Set) ist.Set { return t.reach(f, t.store.Intersect(f, t.last)) }

// reach returns a set for E[along U goal], both sets of cuts.
func (t *trees) reach(along, goal ist.Set) ist.Set {
	if along == t.all {
		return t.store.Down(goal)
	}
	return t.store.Backward(along, goal)
}

// holds tells whether f holds at the initial cut: a formula that was decided, or
// an operand of one that is a conjunction or disjunction.
func (t *trees) holds(f *syntax.Formula) bool {
	if holds, ok := t.initial[f]; ok {
		return holds
	}
	a, ok := t.sets[f]
	if !ok {
		panic(fmt.Sprintf("this cannot happen, because it was decided: %s", f))
	}
	return t.has(a, t.comp.Initial())
}

// has reports whether a cut is in a set.
func (t *trees) has(a ist.Set, cut graphs.Cut) bool {
	return t.store.Contains(a, t.space.tuple(cut))
}
