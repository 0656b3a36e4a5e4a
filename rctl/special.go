package rctl

import (
	"errors"

	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// The special cases that are decided in polynomial time although they have no
// slice, and satisfiability, each as the ladder calls it: not ok where the formula
// is of another kind.

// byPairs decides EF of two of several at once.
func (k *checker) byPairs(f *syntax.Formula) (answer, bool) {
	g := f.Sub[0]
	if g.Op == syntax.OpNot {
		if e, ok := syntax.Invert(g.Sub[0].Expr); ok {
			g = &syntax.Formula{Op: syntax.OpAtom, Expr: e, Pos: g.Pos}
		}
	}
	cut, v, ok, err := pairsEF(k.ctx, k.comp, g)
	switch {
	case err != nil:
		return k.limited(err, ""), true
	case !ok:
		return answer{}, false
	}
	k.use(Pairs)
	if v != Holds {
		return answer{verdict: v}, true
	}
	proven := true
	if k.opts.Evidence {
		cut, proven = leastPair(k.comp, g, cut, k.weigh)
	}
	a := k.shown(f, cut)
	a.runs[0].nearer = !proven
	return a, true
}

// byIntervals decides EG of a disjunction of predicates of single chains.
func (k *checker) byIntervals(f *syntax.Formula) (answer, bool) {
	run, v, ok, err := intervalsEG(k.ctx, k.comp, f.Sub[0])
	switch {
	case err != nil:
		return k.limited(err, ""), true
	case !ok:
		return answer{}, false
	}
	k.use(Intervals)
	a := answer{verdict: v}
	if v == Holds {
		a.runs = []*evidence{{formula: f, cut: k.comp.Final(), whole: true, run: run}}
	}
	return a, true
}

// byFlow decides EF g where each disjunct of g has a slice, or is a bound on a sum
// together with parts that have slices.
func (k *checker) byFlow(f *syntax.Formula) (answer, bool) {
	ds, ok := disjuncts(f.Sub[0])
	if !ok || len(ds) > mostDistributed {
		return answer{}, false
	}
	best, flowed := answer{verdict: Fails}, false
	for _, d := range ds {
		a, ok := k.flowOf(f, d)
		switch {
		case !ok:
			return answer{}, false
		case a.verdict == Unknown:
			return a, true
		case a.verdict == Holds && (best.verdict != Holds || k.shorter(a, best)):
			best = a
		}
		flowed = flowed || len(a.runs) > 0 && a.runs[0].nearer
	}
	k.use(Flow)
	if flowed && best.verdict == Holds {
		best.runs[0].nearer = true
		best = k.nearest(f, best)
	}
	return best, true
}

// flowOf decides EF d for one disjunct of f's operand.
func (k *checker) flowOf(f, d *syntax.Formula) (answer, bool) {
	var sliced []*slice.Slice
	var sum *syntax.Formula
	for _, part := range conjuncts(d) {
		if s := k.regular(part); s != nil {
			sliced = append(sliced, s)
		} else if sum != nil {
			return answer{}, false
		} else {
			sum = part
		}
	}
	within := slice.All(k.comp)
	if len(sliced) > 0 {
		within = slice.And(sliced...)
	}
	if sum == nil {
		if within.Empty() {
			return answer{verdict: Fails}, true
		}
		return k.shown(f, within.Least()), true
	}
	cut, v, ok, err := sumEF(k.ctx, within, sum)
	switch {
	case err != nil:
		return k.limited(err, ""), true
	case !ok || v == Unknown:
		return answer{}, false
	case v == Fails:
		return answer{verdict: Fails}, true
	}
	a := k.shown(f, cut)
	a.runs[0].nearer = true
	return a, true
}

// bySAT decides EF of a Boolean predicate by satisfiability.
func (k *checker) bySAT(f *syntax.Formula) (answer, bool) {
	cut, proven, err := satEF(k.ctx, k.comp, f.Sub[0], k.satOptions())
	var unfit *unfitError
	switch {
	case errors.As(err, &unfit):
		return answer{}, false
	case err != nil:
		k.use(SAT)
		return k.limited(err, ""), true
	}
	k.use(SAT)
	if cut == nil {
		return answer{verdict: Fails}, true
	}
	a := k.shown(f, cut)
	a.runs[0].nearer = !proven
	return a, true
}

func (k *checker) satOptions() satOptions {
	opts := satOptions{regular: k.regular, bytes: k.opts.MaxMemory, least: k.opts.Evidence}
	if k.projection != nil {
		opts.size = k.weigh
	}
	return opts
}

// nearest looks for a shorter run than that of a, which shows EF and may not be
// the shortest, by the engines that can tell. Where they cannot, a stands.
func (k *checker) nearest(f *syntax.Formula, a answer) answer {
	if !k.opts.Evidence || k.err != nil {
		return a
	}
	used := k.used
	b := k.projected(f, func(k *checker, f *syntax.Formula) answer {
		small := *k
		small.opts.MaxMemory = min(small.opts.MaxMemory, nearestBytes)
		if b, ok := small.bySAT(f); ok && b.verdict != Unknown {
			return b
		}
		if members, ok := k.union(f.Sub[0]); ok && len(members) > 0 {
			return answer{verdict: Holds, runs: k.unionRuns(f)}
		}
		return small.byTrees(f)
	})
	k.used = used
	if k.err != nil {
		if isLimit(k.err) {
			k.err = nil
		}
		return a
	}
	if b.verdict == Holds && len(b.runs) > 0 && (!b.runs[0].nearer || k.shorter(b, a)) {
		return b
	}
	return a
}

// nearestBytes bounds the memory, and so the time, spent in search of a shorter run.
const nearestBytes = 64 << 20
