// Package explicit decides formulas by enumerating the cuts of a computation.
//
// # Definitions
//
// Level k of the lattice of cuts has the cuts k meta-events away from the initial one
// (package lattice). Each step of a run leads from one level to the next, and the last
// level is the final cut alone. So the truth of every subformula at every cut follows,
// level by level from the last one back and operands first, from its truth at the cuts
// that come next:
//
//	EX f      f at some next cut
//	EF f      f, or EF f at some next cut
//	EG f      f, and there is no next cut or EG f at one
//	E[f U g]  g, or f and E[f U g] at some next cut
//	E[f R g]  g, and f, or there is no next cut, or E[f R g] at one
//	E[f W g]  g, or f, and there is no next cut or E[f W g] at one
//
// and the same for A with all next cuts, where AF and A[f U g] need one.
//
// # Bound
//
// The time complexity is O(cuts·(steps+|f|)), steps the meta-events that can be
// executed at a cut; the space complexity is O(cuts·(packed cut+|f|/64)).
package explicit

import (
	"errors"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/dense"
	"github.com/pota-project/pota/graphs/lattice"
	"github.com/pota-project/pota/rctl/atoms"
	"github.com/pota-project/pota/rctl/internal/effort"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// Prepare accepts every formula in negation normal form. Runs lead to the smallest cuts
// that show it. The time complexity of Prepare is O(1).
func Prepare(p *engine.Problem, f *syntax.Formula) (*engine.Task, error) {
	return &engine.Task{
		How: "enumerate the cuts", Cost: "a visit to each cut",
		Decide: func() (engine.Answer, error) {
			roots := p.Roots(f)
			x, err := evaluate(p, roots)
			var limit *lattice.LimitError
			switch {
			case errors.As(err, &limit):
				return engine.Undecided("enumerating the cuts: " + limit.Reason), nil
			case err != nil:
				return engine.Answer{}, err
			}
			holds := func(f *syntax.Formula) bool { return x.at(f, 0, 0) }
			return p.Decided(roots, holds, x.run), nil
		},
	}, nil
}

// An evaluation has the truth of subformulas at all cuts.
type evaluation struct {
	*engine.Problem
	levels *lattice.Levels
	nodes  []node
	number map[*syntax.Formula]int // the number of its node
	words  int                     // how many words hold the truth of all nodes at one cut
	truth  []dense.Set             // by level: words for each cut, with a bit for each node
}

// A node is a subformula: a predicate, or an operator over nodes of smaller numbers.
type node struct {
	op   syntax.Op
	sub  []int
	all  bool        // whether the operator is about all runs
	test *atoms.Test // the test of a predicate; nil for an operator
}

// stepsOfLook is how many steps lattice.Explore takes between two checks of the context.
const stepsOfLook = 1 << 11

// evaluate finds the truth of every subformula of fs, in negation normal form, at
// every cut. Its errors are those of lattice.Explore and *atoms.ValuesError.
func evaluate(p *engine.Problem, fs []*syntax.Formula) (*evaluation, error) {
	x := &evaluation{Problem: p, number: make(map[*syntax.Formula]int)}
	for _, f := range fs {
		if err := x.add(f); err != nil {
			return nil, err
		}
	}
	x.words = len(dense.NewSet(len(x.nodes)))
	levels, err := lattice.Explore(effort.Looking(p.Ctx, stepsOfLook), p.Comp,
		lattice.Limits{Bytes: p.Bytes / 2})
	if err != nil {
		return nil, err
	}
	if need := levels.Total() * int64(x.words) * 8; p.Bytes > 0 && need > p.Bytes/2 {
		return nil, &lattice.LimitError{
			Reason: "the truth of all subformulas at all cuts does not fit into memory",
		}
	}
	x.levels = levels
	x.truth = make([]dense.Set, levels.NumLevels())
	for level := levels.NumLevels() - 1; level >= 0; level-- {
		if err := effort.Spend(p.Ctx, int64(x.levels.Len(level)*len(x.nodes))); err != nil {
			return nil, err
		}
		x.evaluate(level)
	}
	return x, nil
}

// add numbers f and its subformulas, operands first.
func (x *evaluation) add(f *syntax.Formula) (err error) {
	if _, ok := x.number[f]; ok {
		return nil
	}
	n := node{op: f.Op, all: !syntax.IsExistential(f)}
	if syntax.IsPropositional(f) {
		if n.test, err = atoms.NewTest(x.Comp, f); err != nil {
			return err
		}
	} else {
		for _, sub := range f.Sub {
			if err := x.add(sub); err != nil {
				return err
			}
			n.sub = append(n.sub, x.number[sub])
		}
	}
	x.number[f] = len(x.nodes)
	x.nodes = append(x.nodes, n)
	return nil
}

// evaluate finds the truth of all nodes at the cuts of a level from their truth at the next level.
func (x *evaluation) evaluate(level int) {
	x.truth[level] = make(dense.Set, x.levels.Len(level)*x.words)
	some, all := make(dense.Set, x.words), make(dense.Set, x.words)
	var cut graphs.Cut
	x.levels.Successors(level, func(i int, successors []int32) {
		for w := range x.words {
			some[w], all[w] = 0, ^uint64(0)
			for _, s := range successors {
				some[w] |= x.truth[level+1][int(s)*x.words+w]
				all[w] &= x.truth[level+1][int(s)*x.words+w]
			}
		}
		cut = x.levels.Cut(level, i, cut)
		here := x.truth[level][i*x.words : (i+1)*x.words]
		last := len(successors) == 0
		for k := range x.nodes {
			if x.holds(k, here, some, all, last, cut) {
				here.Add(k)
			}
		}
	})
}

// at reports whether f, a subformula, holds at the i-th cut of a level.
func (x *evaluation) at(f *syntax.Formula, level, i int) bool {
	return x.truth[level].Has(i*x.words*64 + x.number[f])
}

// holds evaluates node k at a cut. some has the nodes that hold at some next cut, and all has those
// that hold at every next cut. The final cut has no next ones, so there some is empty and all is full.
func (x *evaluation) holds(k int, here, some, all dense.Set, last bool, cut graphs.Cut) bool {
	n := &x.nodes[k]
	if n.test != nil {
		return n.test.At(cut)
	}
	f := here.Has(n.sub[0])
	g := len(n.sub) > 1 && here.Has(n.sub[1])
	// Whether n holds at some next cut or, for an operator about all runs, at every next cut.
	next := some.Has(k)
	if n.all {
		next = all.Has(k)
	}
	switch n.op {
	case syntax.OpAnd:
		return !slices.ContainsFunc(n.sub, func(sub int) bool { return !here.Has(sub) })
	case syntax.OpOr:
		return slices.ContainsFunc(n.sub, here.Has)
	case syntax.OpEX:
		return some.Has(n.sub[0])
	case syntax.OpAX:
		return all.Has(n.sub[0])
	case syntax.OpEF, syntax.OpAF:
		return f || !last && next
	case syntax.OpEG, syntax.OpAG:
		return f && (last || next)
	case syntax.OpEU, syntax.OpAU:
		return g || f && !last && next
	case syntax.OpER, syntax.OpAR:
		return g && (f || last || next)
	case syntax.OpEW, syntax.OpAW:
		return g || f && (last || next)
	}
	panic("this cannot happen, because the formula is in negation normal form: " + n.op.String())
}
