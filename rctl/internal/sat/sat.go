// Package sat decides EF of Boolean predicates by satisfiability.
//
// # Definitions
//
// A state of a chain is how many of its events have happened (package atoms). A part of
// a formula turns at an event if the event changes its truth or a value compared in it.
//
// # Theory
//
// Clauses say that a cut satisfies f. Their variables are "the cut has e", for the
// events e where a part of f turns. All other events are left out. The clauses are of
//
//   - happened-before, where no path leads around it: a cut with v has u;
//   - a part of f that one chain decides: it is false in some blocks of the chain's
//     states, and a cut with the event that begins such a block has the event that ends
//     it;
//   - a comparison over several chains: it is split by the values that occur. Where one
//     chain has a value, the others are not where the comparison is false. Where it is
//     monotone in the values of both of two chains, an implication for each value of
//     one is enough. So the messages in transit between two processes are bounded, and
//     differences;
//   - a part of f that has a slice: the edges of that;
//   - EF g: there is a second cut, with all events of the first, where g holds;
//   - EX g, g a disjunction of formulas that have slices: the edges of one of its
//     slices. There is one for each process that can step (slice.EX). For AX g, an edge
//     of each of those for EX !g is broken.
//
// The clauses of conjunctions are Horn clauses, but for comparisons of values that go
// up and down; unit propagation decides them, as advancing from cut to cut does for
// linear predicates. The choices that || leaves are those of a solver that learns
// clauses from conflicts (CDCL). EF of a 2-CNF over predicates of single processes is
// NP-complete (Chase and Garg, Detection of global predicates: techniques and their
// limitations, 1998).
package sat

import (
	"errors"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/internal/engine"
	"github.com/pota-project/pota/rctl/syntax"
)

// Prepare accepts EF of formulas made by &&, || and EF of predicates without temporal
// operators, of AF of predicates of single chains or disjunctions of such, of EX of
// disjunctions and AX of conjunctions of regular formulas or their negations, and of
// formulas that have slices. No comparison may have too many values to combine. Where a
// run is wanted, a least cut is looked for, within limits.
//
// The time complexity of Prepare is O(|f|·(|V|+|edges|)) and, for each comparison over
// several chains that is not monotone, an evaluation for each combination of their
// values. That of the task is exponential in the worst case.
func Prepare(p *engine.Problem, f *syntax.Formula) (*engine.Task, error) {
	if f.Op != syntax.OpEF {
		return nil, nil
	}
	b := newBuilder(p)
	root := b.node(f.Sub[0])
	if root == nil {
		return nil, b.err
	}
	return &engine.Task{
		How:  "clauses over the events at which a part turns",
		Cost: "NP-complete in general; usually one search without backtracking",
		Decide: func() (engine.Answer, error) {
			cut, proven, err := find(p, root)
			if memory, ok := errors.AsType[*memoryError](err); ok {
				return engine.Undecided(memory.Error()), nil
			}
			switch {
			case err != nil:
				return engine.Answer{}, err
			case cut == nil:
				return engine.Answer{Verdict: engine.Fails}, nil
			}
			a := p.Shown(f, cut)
			a.Runs[0].MaybeShorter = !proven
			return a, nil
		},
	}, nil
}

// find returns a cut that satisfies a node, or nil if there is none, and whether it is
// proven that no cut is smaller. The error is a *memoryError or the context's own.
func find(p *engine.Problem, root *node) (cut graphs.Cut, proven bool, err error) {
	switch root.kind {
	case always:
		return p.Comp.Initial(), true, nil
	case never:
		return nil, true, nil
	}
	numbers, err := newNumbering(p.Ctx, p.Comp, turns(p.Comp, root))
	if err != nil {
		return nil, false, err
	}
	e := &encoder{comp: p.Comp, solver: newSolver(p.Ctx, p.Bytes), numbers: numbers}
	e.solver.charge(4*int64(len(numbers.number)) + 4*int64(len(numbers.events)) + 8*int64(len(numbers.implied)))
	s := &search{encoder: e, root: root, cut: e.newCut(nil), size: p.Weigh, wanted: e.solver.newVars(1)}
	e.require(root, s.cut, []lit{-s.wanted})
	return s.run(p.Ctx, p.Evidence && !p.Any)
}
