package rctl

import (
	"context"
	"fmt"
	"math/big"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// A Plan says how Check decides a formula: what is done with it, by which engine,
// on how much, and the plans of the formulas that it is reduced to.
type Plan struct {
	Formula  *syntax.Formula
	Fragment syntax.Fragment
	Engine   Engine
	How      string
	Visible  int      // events that the engine sees
	Cuts     *big.Int // bound on the cuts of those events: the product of the processes' numbers of states
	Cost     string   // what is expected, in words
	Parts    []*Plan
}

// MakePlan returns the plan for deciding f, resolved in the scope of c, at c's
// initial cut. It works out slices and projections to tell which engine will do,
// but decides nothing.
func MakePlan(ctx context.Context, c *graphs.Computation, f *syntax.Formula, opts Options) (*Plan, error) {
	if c.Empty() {
		return nil, ErrEmpty
	}
	k := newChecker(ctx, c, opts)
	p := k.plan(k.normal(f))
	return p, k.err
}

// Bound returns an upper bound for the number of cuts of c: the product of the
// lengths of its processes, each plus one.
func Bound(c *graphs.Computation) *big.Int {
	n := big.NewInt(1)
	for p := range c.NumProcesses() {
		n.Mul(n, big.NewInt(int64(c.Final()[p]-c.Initial()[p])+1))
	}
	return n
}

// plan mirrors decide.
func (k *checker) plan(f *syntax.Formula) *Plan {
	switch {
	case syntax.IsPropositional(f):
		return k.step(f, Slice, "evaluate at the initial cut", "one look at the values")
	case f.Op == syntax.OpAnd || f.Op == syntax.OpOr:
		return k.steps(f, "decide each part", f.Sub)
	case f.Op == syntax.OpEX:
		return k.steps(f, "decide at each cut that follows the initial one", f.Sub)
	case f.Op == syntax.OpEF:
		return k.planEF(f)
	case f.Op == syntax.OpAF && k.someChain(f.Sub[0]) != nil:
		return k.step(f, Slice, "as EF of the same: every run passes through all local states of a process", k.passes(f))
	case k.regular(f) != nil:
		how := map[syntax.Op]string{
			syntax.OpAG: "lean slice by algorithm A2", syntax.OpEG: "lean slice by algorithm A3",
		}[f.Op]
		if how == "" {
			how = "lean slice of CETL"
		}
		return k.step(f, Slice, how, k.passes(f))
	case !isExistential(f):
		return k.steps(f, "decide the negation", []*syntax.Formula{k.negation(f)})
	case f.Op == syntax.OpEG:
		if _, ok, err := newWeave(k.comp, f.Sub[0]); ok && err == nil {
			return k.step(f, Intervals, "chains of overlapping intervals", "polynomial: as many passes as there are predicates")
		}
	}
	return k.planBeyond(f)
}

func (k *checker) step(f *syntax.Formula, e Engine, how, cost string) *Plan {
	return &Plan{
		Formula: f, Fragment: Classify(k.comp, f).Fragment, Engine: e, How: how,
		Visible: k.comp.NumEvents(), Cuts: Bound(k.comp), Cost: cost,
	}
}

func (k *checker) steps(f *syntax.Formula, how string, parts []*syntax.Formula) *Plan {
	p := k.step(f, Slice, how, "that of the parts")
	for _, part := range parts {
		q := k.plan(part)
		p.Engine = max(p.Engine, q.Engine)
		p.Parts = append(p.Parts, q)
	}
	return p
}

// passes says what slices cost: a pass for each operator.
func (k *checker) passes(f *syntax.Formula) string {
	n := 0
	syntax.Walk(f, func(f *syntax.Formula) bool {
		n++
		_, _, chain := syntax.ChainOf(f)
		return !chain
	})
	return fmt.Sprintf("linear: about %d passes over %d events", n, k.comp.NumEvents())
}

func (k *checker) planEF(f *syntax.Formula) *Plan {
	if k.regular(f.Sub[0]) != nil {
		return k.step(f, Slice, "lean slice by algorithm A1", k.passes(f))
	}
	if _, ok := familyOf(k.comp, f.Sub[0]); ok {
		return k.step(f, Pairs, "order the intervals of all processes", "linear: one pass for all pairs")
	}
	ds, ok := disjuncts(f.Sub[0])
	if ok && len(ds) <= mostDistributed {
		flows, sure := 0, true
		for _, d := range ds {
			if k.regular(d) != nil {
				continue
			}
			ok, decides := k.flows(d)
			if !ok {
				return k.planBeyond(f)
			}
			flows++
			sure = sure && decides
		}
		if flows == 0 {
			return k.step(f, Slice, fmt.Sprintf("distribute over || into %d parts with lean slices", len(ds)), k.passes(f))
		}
		if !sure {
			p := k.planBeyond(f)
			p.How = "extreme values of the sum over a slice where they decide; else " + p.How
			return p
		}
		return k.step(f, Flow, "extreme values of the sum over a slice", fmt.Sprintf("polynomial: %d minimum cuts at most", 2*flows))
	}
	return k.planBeyond(f)
}

// flows reports whether d is a bound on a sum, perhaps with parts that have slices,
// and whether its extreme values are sure to decide it: not where it is bounded on
// both sides.
func (k *checker) flows(d *syntax.Formula) (ok, decides bool) {
	sums := 0
	for _, part := range conjuncts(d) {
		if k.regular(part) != nil {
			continue
		}
		if part.Op == syntax.OpNot {
			part = part.Sub[0]
		}
		if part.Op != syntax.OpAtom || part.Expr.Op != syntax.ExprCompare {
			return false, false
		}
		_, b, ok, err := tallyOf(k.comp, part.Expr)
		if !ok || err != nil {
			return false, false
		}
		decides = b.low == -noLimit || b.high == noLimit
		sums++
	}
	return sums == 1, decides
}

// planBeyond mirrors beyond: it says which engine of the ladder will do.
func (k *checker) planBeyond(f *syntax.Formula) *Plan {
	if k.projection == nil && !k.opts.NoProjection && !hasNext(f) {
		p, err := project(k.comp, f)
		if err != nil {
			k.err = err
		}
		if p != nil {
			inner := newChecker(k.ctx, p.comp, k.opts)
			inner.projection = p
			return inner.planBeyond(f)
		}
	}
	if members, ok := k.union(f); ok {
		return k.step(f, Union, fmt.Sprintf("union of %d lean slices", len(members)), k.passes(f)+" for each")
	}
	if f.Op == syntax.OpEF {
		regular := func(g *syntax.Formula) *slice.Slice { return k.regular(g) }
		if _, err := newSatBuilder(k.ctx, k.comp, regular).node(f.Sub[0]); err == nil {
			return k.step(f, SAT, "clauses over the events at which a part turns", "NP-complete in general; usually one search without backtracking")
		}
	}
	if Bound(k.comp).Cmp(fewCuts) <= 0 {
		return k.step(f, Explicit, "enumerate the cuts", "a visit to each cut")
	}
	return k.step(f, IST, "sets of cuts as interval sharing trees, by enumeration where they grow too large", "depends on how regular the sets are; at most exponential in the processes that the formula names")
}
