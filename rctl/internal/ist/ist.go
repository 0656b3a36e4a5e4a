package ist

import (
	"errors"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/ist"
	"github.com/pota-project/pota/rctl/diagram"
	"github.com/pota-project/pota/rctl/internal/effort"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// Prepare accepts every formula in negation normal form. Runs lead to the smallest
// cuts that show it, unless the search for these needs too many nodes. The time
// complexity of Prepare is O(1).
func Prepare(p *engine.Problem, f *syntax.Formula) (*engine.Task, error) {
	return &engine.Task{
		How:  "sets of cuts as interval sharing trees, by enumeration where they grow too large",
		Cost: "depends on how regular the sets are; at most exponential in the processes that the formula names",
		Decide: func() (engine.Answer, error) {
			roots := p.Roots(f)
			x, err := evaluate(p, roots...)
			var limit *ist.LimitError
			switch {
			case errors.As(err, &limit):
				return engine.Undecided("interval sharing trees: " + limit.Reason), nil
			case err != nil:
				return engine.Answer{}, err
			}
			return p.Decided(roots, x.holds, x.run), nil
		},
	}, nil
}

// An evaluation has the sets that stand for subformulas.
type evaluation struct {
	*engine.Problem
	space *space
	store *ist.Store
	all   ist.Set // the cuts
	last  ist.Set // the final cut
	// the error of the store, or *atoms.ValuesError; sets made since then mean nothing
	err error

	sets map[*syntax.Formula]ist.Set
	cuts map[ist.Set]ist.Set // the cuts of a set

	// trees and assigners belong to the diagram that predicate works on.
	trees     map[*diagram.Node]ist.Set
	assigners map[*diagram.Chain][]assigner // by shared variable

	spare int // how many nodes the search for one shortest run may make
}

const spareNodes = 1 << 17

// stepsOfLook is how many steps the store takes between two checks of its context.
const stepsOfLook = 1 << 10

// evaluate decides fs, in negation normal form, and finds the sets that stand for their
// subformulas. Errors are the context's own, *ist.LimitError and *atoms.ValuesError.
func evaluate(p *engine.Problem, fs ...*syntax.Formula) (*evaluation, error) {
	space, err := newSpace(p)
	if err != nil {
		return nil, err
	}
	// The memory of the bounds of events and of a diagram is not available to trees.
	left := p.Bytes
	if left > 0 {
		left = max(left-space.bytes-left/partOfDiagrams, 1)
	}
	x := &evaluation{
		Problem: p,
		space:   space,
		store:   ist.New(effort.Looking(p.Ctx, stepsOfLook), space.tops, space.moves, left),
		sets:    make(map[*syntax.Formula]ist.Set),
		cuts:    make(map[ist.Set]ist.Set),
		spare:   spareNodes,
	}
	// The set of all cuts is made once: the tuples that satisfy the bounds of all
	// events.
	x.all = x.store.Select(space.bounds)
	x.last = x.store.Tuple(space.tops)
	for _, f := range fs {
		x.holds(f)
	}
	x.check()
	return x, x.err
}

// holds reports whether f holds at the initial cut. It evaluates all operands of && and ||, because
// those that hold may have to be shown.
func (x *evaluation) holds(f *syntax.Formula) bool {
	switch f.Op {
	case syntax.OpAnd, syntax.OpOr:
		every, some := true, false
		for _, sub := range f.Sub {
			holds := x.holds(sub)
			every = every && holds
			some = some || holds
		}
		return every || some && f.Op == syntax.OpOr
	// The set of EF itself is not needed, only whether its goal has a cut at all.
	case syntax.OpEF:
		return x.cutsOf(x.set(f.Sub[0])) != ist.Empty
	case syntax.OpAG:
		return x.without(x.set(f.Sub[0])) == ist.Empty
	}
	return x.has(x.set(f), x.Comp.Initial())
}

// has reports whether a cut is in a set.
func (x *evaluation) has(a ist.Set, cut graphs.Cut) bool {
	return x.store.Contains(a, x.space.tuple(cut))
}

// check records an error of the store and reports whether there is none.
func (x *evaluation) check() bool {
	if x.err == nil {
		x.err = x.store.Err()
	}
	return x.err == nil
}

// set returns the set that stands for f.
func (x *evaluation) set(f *syntax.Formula) ist.Set {
	a, ok := x.sets[f]
	if !ok && x.err == nil {
		junction := f.Op == syntax.OpAnd || f.Op == syntax.OpOr
		// The set of a formula of one chain or without connectives is made from its diagram, and
		// other sets from the sets of the operands.
		if syntax.OfOneChain(f) || !junction && syntax.IsPropositional(f) {
			a = x.predicate(f)
		} else if subs := syntax.Mapped(f.Sub, x.set); x.err == nil && junction {
			a = x.junction(f, subs)
		} else if x.err == nil {
			a = x.temporal(f.Op, subs[0], subs[len(subs)-1])
		}
		if x.check() {
			x.sets[f] = a
		}
	}
	return a
}

// junction joins the sets of f's operands, those without temporal operators first.
// None of these is restricted to cuts before: that would make it as large as the
// set of all cuts.
func (x *evaluation) junction(f *syntax.Formula, subs []ist.Set) ist.Set {
	join, joinAll := x.store.Union, x.store.UnionOf
	if f.Op == syntax.OpAnd {
		join, joinAll = x.store.Intersect, x.store.IntersectionOf
	}
	// Predicates come first: joined with each other they stay small, and so do the sets
	// joined with them.
	var states, sets []ist.Set
	for i, sub := range f.Sub {
		if syntax.IsPropositional(sub) {
			states = append(states, subs[i])
		} else {
			sets = append(sets, subs[i])
		}
	}
	if len(states) > 0 {
		sets = append([]ist.Set{joinAll(states)}, sets...)
	}
	a := sets[0]
	for _, b := range sets[1:] {
		a = join(a, b)
	}
	return a
}

// cutsOf returns the cuts of a set.
func (x *evaluation) cutsOf(a ist.Set) ist.Set {
	b, ok := x.cuts[a]
	if !ok {
		b = x.store.Intersect(x.all, a)
		if x.store.Err() == nil {
			x.cuts[a] = b
		}
	}
	return b
}

// without returns the cuts that are not in a set.
func (x *evaluation) without(a ist.Set) ist.Set { return x.store.Minus(x.all, a) }

// temporal returns a set for an operator over f and g.
func (x *evaluation) temporal(op syntax.Op, f, g ist.Set) ist.Set {
	s := x.store
	switch op {
	case syntax.OpEX:
		return s.Before(x.cutsOf(f))
	case syntax.OpAX:
		return s.Complement(s.Before(x.without(f)))
	case syntax.OpEF:
		return s.Down(x.cutsOf(f))
	case syntax.OpAG:
		return s.Complement(s.Down(x.without(f)))
	case syntax.OpEG:
		return x.always(x.cutsOf(f))
	case syntax.OpAF:
		return s.Complement(x.always(x.without(f)))
	case syntax.OpEU:
		return x.reach(x.cutsOf(f), x.cutsOf(g))
	case syntax.OpAR:
		return s.Complement(x.reach(x.without(f), x.without(g)))
	case syntax.OpER:
		g = x.cutsOf(g)
		return x.reach(g, s.Intersect(g, s.Union(f, x.last)))
	case syntax.OpAU:
		g = x.without(g)
		return s.Complement(x.reach(g, s.Union(s.Minus(g, f), s.Intersect(g, x.last))))
	case syntax.OpEW:
		f = x.cutsOf(f)
		return x.reach(f, s.Union(x.cutsOf(g), s.Intersect(f, x.last)))
	case syntax.OpAW:
		g = x.without(g)
		return s.Complement(x.reach(g, s.Minus(g, f)))
	}
	panic("this cannot happen, because the formula is in negation normal form: " + op.String())
}

// always returns the cuts with a run to the final cut that stays within f.
func (x *evaluation) always(f ist.Set) ist.Set { return x.reach(f, x.store.Intersect(f, x.last)) }

// reach returns a set for E[along U goal], both sets of cuts.
func (x *evaluation) reach(along, goal ist.Set) ist.Set {
	// Through all cuts the goal is reached from everything below it, in one pass.
	if along == x.all {
		return x.store.Down(goal)
	}
	return x.store.Backward(along, goal)
}
