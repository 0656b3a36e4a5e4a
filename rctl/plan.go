package rctl

import (
	"context"
	"fmt"
	"math/big"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Plan says how Check decides a formula: what is done with it, by which engine,
// and the plans of the formulas that it is reduced to.
type Plan struct {
	Formula *syntax.Formula
	Engine  Engine
	How     string
	Parts   []*Plan
}

// MakePlan returns the plan for deciding f, resolved in the scope of c, at c's
// initial cut. It computes the slices that the plan uses, but decides nothing.
func MakePlan(ctx context.Context, c *graphs.Computation, f *syntax.Formula) (*Plan, error) {
	if c.Empty() {
		return nil, ErrEmpty
	}
	k := newChecker(ctx, c, Options{})
	p := k.plan(syntax.NNF(f))
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
	if syntax.IsPropositional(f) {
		return &Plan{f, Slice, "evaluate at the initial cut", nil}
	}
	sliced := k.regular(f) != nil
	switch f.Op {
	case syntax.OpAnd, syntax.OpOr:
		return k.planParts(f, "decide each part", f.Sub)
	case syntax.OpEX:
		return k.planParts(f, "decide at each cut that follows the initial one", f.Sub)
	case syntax.OpEF:
		if k.regular(f.Sub[0]) != nil {
			return &Plan{f, Slice, "has a lean slice (algorithm A1)", nil}
		}
		return k.planEF(f)
	case syntax.OpEG:
		if sliced {
			return &Plan{f, Slice, "has a lean slice (algorithm A3)", nil}
		}
	case syntax.OpEU, syntax.OpER, syntax.OpEW:
		if sliced {
			return &Plan{f, Slice, "has a lean slice (CETL)", nil}
		}
		if f.Op == syntax.OpEU {
			if ds, ok := disjuncts(f.Sub[1]); ok && len(ds) > 1 {
				return k.planUntils(f, ds)
			}
		}
	case syntax.OpAG:
		if sliced {
			return &Plan{f, Slice, "has a lean slice (algorithm A2)", nil}
		}
	case syntax.OpAF:
		if k.someChain(f.Sub[0]) != nil {
			return &Plan{f, Slice, "is EF of the same: every run passes through all local states of a process", nil}
		}
	}
	if f.Op == syntax.OpEG || f.Op == syntax.OpEU || f.Op == syntax.OpER || f.Op == syntax.OpEW {
		return k.planEnumeration(f)
	}
	return k.planParts(f, "decide the negation", []*syntax.Formula{syntax.NNF(syntax.Not(f))})
}

func (k *checker) planParts(f *syntax.Formula, how string, parts []*syntax.Formula) *Plan {
	p := &Plan{Formula: f, Engine: Slice, How: how}
	for _, part := range parts {
		q := k.plan(part)
		p.Engine = max(p.Engine, q.Engine)
		p.Parts = append(p.Parts, q)
	}
	return p
}

func (k *checker) planEnumeration(f *syntax.Formula) *Plan {
	return &Plan{f, Explicit, fmt.Sprintf("enumerate the cuts, at most %s", Bound(k.comp)), nil}
}

func (k *checker) planUntils(f *syntax.Formula, ds []*syntax.Formula) *Plan {
	for _, d := range ds {
		until := &syntax.Formula{Op: syntax.OpEU, Sub: []*syntax.Formula{f.Sub[0], d}}
		if k.regular(until) == nil {
			return k.planEnumeration(f)
		}
	}
	return &Plan{f, Slice, fmt.Sprintf("distributes over || into %d parts, each with a lean slice", len(ds)), nil}
}

func (k *checker) planEF(f *syntax.Formula) *Plan {
	ds, ok := disjuncts(f.Sub[0])
	if !ok {
		return k.planEnumeration(f)
	}
	sliced, searched := 0, 0
	for _, d := range ds {
		if k.regular(d) != nil {
			sliced++
			continue
		}
		for _, part := range conjuncts(d) {
			if k.regular(part) == nil && !syntax.IsPropositional(part) {
				return k.planEnumeration(f)
			}
		}
		searched++
	}
	p := &Plan{Formula: f, Engine: Slice}
	switch {
	case searched == 0:
		p.How = fmt.Sprintf("distributes over || into %d parts, each with a lean slice", sliced)
	case sliced == 0 && searched == 1:
		p.Engine, p.How = Explicit, fmt.Sprintf("search the slice of its regular part, at most %s cuts", Bound(k.comp))
	default:
		p.Engine = Explicit
		p.How = fmt.Sprintf("distributes over || into %d parts with lean slices and %d whose regular part's slice is searched, at most %s cuts each",
			sliced, searched, Bound(k.comp))
	}
	return p
}
