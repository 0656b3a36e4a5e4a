package rctl

import (
	"context"
	"fmt"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/ist"
	"github.com/pota-project/pota/rctl/syntax"
)

// A trees engine holds, as an interval sharing tree, the set of the cuts that
// satisfy each subformula. Its operators are
//
//	EX f       the cuts from which one move leads into f
//	EF f       E[true U f]
//	E[f U g]   the cuts from which moves lead into g, through f before it
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
	spare int // nodes that may be made in search of one shortest run

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
		spare: spareNodes,
	}
	t.all = t.store.Select(space.bounds, space.variables(), nil)
	t.last = t.store.Tuple(space.tops)
	for _, f := range fs {
		if _, err := t.set(f); err != nil {
			return nil, err
		}
	}
	return t, nil
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
		a, err := t.state(f)
		return t.store.Intersect(t.all, a), err
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

// junction joins the operands without temporal operators first, and only then
// restricts them to cuts, which the others are already.
func (t *trees) junction(f *syntax.Formula) (ist.Set, error) {
	join := t.store.Union
	if f.Op == syntax.OpAnd {
		join = t.store.Intersect
	}
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
		if f.Op == syntax.OpOr {
			a = t.store.Intersect(t.all, a)
		}
		sets = append(sets, a)
	}
	a := sets[0]
	for _, b := range sets[1:] {
		a = join(a, b)
	}
	return a, nil
}

func (t *trees) not(a ist.Set) ist.Set { return t.store.Minus(t.all, a) }

// temporal returns the cuts that satisfy an operator over f and g.
func (t *trees) temporal(op syntax.Op, f, g ist.Set) ist.Set {
	s := t.store
	switch op {
	case syntax.OpEX:
		return s.Intersect(t.all, s.Before(f))
	case syntax.OpAX:
		return t.not(s.Before(t.not(f)))
	case syntax.OpEF:
		return t.reach(t.all, f)
	case syntax.OpAG:
		return t.not(t.reach(t.all, t.not(f)))
	case syntax.OpEG:
		return t.reach(f, s.Intersect(f, t.last))
	case syntax.OpAF:
		f = t.not(f)
		return t.not(t.reach(f, s.Intersect(f, t.last)))
	case syntax.OpEU:
		return t.reach(f, g)
	case syntax.OpAR:
		return t.not(t.reach(t.not(f), t.not(g)))
	case syntax.OpER:
		return t.reach(g, s.Intersect(g, s.Union(f, t.last)))
	case syntax.OpAU:
		g = t.not(g)
		return t.not(t.reach(g, s.Intersect(g, s.Union(t.not(f), t.last))))
	case syntax.OpEW:
		return t.reach(f, s.Union(g, s.Intersect(f, t.last)))
	case syntax.OpAW:
		g = t.not(g)
		return t.not(t.reach(g, s.Minus(g, f)))
	}
	panic("this cannot happen, because the formula is in negation normal form: " + op.String())
}

// reach returns the cuts from which goal can be reached through along. From every
// cut of a lattice there is a run to every later one, so if along has them all,
// these are the cuts below some goal.
func (t *trees) reach(along, goal ist.Set) ist.Set {
	return t.store.Backward(along, goal)
}

// holds tells whether f, a subformula of those decided, holds at the initial cut.
func (t *trees) holds(f *syntax.Formula) bool { return t.at(f, t.comp.Initial()) }

// at tells whether f, a subformula of those decided, holds at a cut.
func (t *trees) at(f *syntax.Formula, cut graphs.Cut) bool {
	a, ok := t.sets[f]
	if !ok {
		panic(fmt.Sprintf("this cannot happen, because all subformulas have been decided: %s", f))
	}
	return t.has(a, cut)
}

func (t *trees) has(a ist.Set, cut graphs.Cut) bool {
	return t.store.Contains(a, t.space.tuple(cut))
}
