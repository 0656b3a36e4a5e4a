package rctl

import (
	"context"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/slice"
)

// satOptions says how satEF decides; the zero satOptions will do.
type satOptions struct {
	// regular returns the slice of a formula rooted at a temporal operator, nil
	// where it knows none.
	regular func(*syntax.Formula) *slice.Slice
	// bytes bounds the memory if it is not 0.
	bytes int64
	// least asks for a cut of the least size; size measures cuts by something
	// other than their events, which grows with the cut.
	least bool
	size  func(graphs.Cut) int
}

// satEF decides EF f at the initial cut of c by satisfiability: f in negation
// normal form, of Boolean operators, EF, AF of single chains and formulas that
// have slices. It returns a cut at which f holds, nil where there is none, and
// where a least one was asked for whether it is proven to be that.
//
// The question whether c has such a cut is one of clauses over variables "the cut
// has e", for the events e at which the truth of a part of f turns; all others are
// left out:
//
//   - happened-before, where no path leads around it: a cut with v has u;
//   - a part of f that one chain decides is false in some blocks of its states;
//     for each, a cut with the event that begins the block has that which ends it;
//   - a comparison over several chains is split by the values that occur: where
//     one chain has a value, the others are not where the comparison is false.
//     Where it is monotone in both of two chains, only the steps count. So the
//     messages in transit between two processes are bounded, and differences;
//   - a part of f that has a slice: the edges of that;
//   - EF g: a second cut, with all events of the first, at which g holds.
//
// Everything but || comes to clauses that one cut after the other in the lattice
// could be advanced by; the choices are left to a CDCL solver. EF of 2-CNF over
// single processes is NP-complete already (Chase and Garg, Detection of global
// predicates: techniques and their limitations, 1998).
//
// Errors are *unfitError for a formula of another kind, *satMemoryError, that of
// ctx, and values that were not read.
func satEF(ctx context.Context, c *graphs.Computation, f *syntax.Formula, opts satOptions) (cut graphs.Cut, proven bool, err error) {
	root, err := newSatBuilder(ctx, c, opts.regular).node(f)
	switch {
	case err != nil:
		return nil, false, err
	case root.kind == satTrue:
		return c.Initial(), true, nil
	case root.kind == satFalse:
		return nil, true, nil
	}
	orders, err := newSatOrders(ctx, c, eventsOf(c, root))
	if err != nil {
		return nil, false, err
	}
	e := &satEncoder{comp: c, solver: newSatSolver(ctx, opts.bytes), orders: orders}
	e.solver.charge(orders.bytes())
	s := &satSearch{satEncoder: e, root: root, cut: e.newCut(nil), size: opts.size}
	if s.size == nil {
		s.size = graphs.Cut.Size
	}
	s.wanted = e.solver.newVars(1)
	e.require(root, s.cut, []satLit{-s.wanted})
	return s.run(ctx, opts.least)
}
