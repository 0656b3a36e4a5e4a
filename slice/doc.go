// Package slice computes slices: graphs that stand for the consistent cuts of a
// computation that satisfy a predicate.
//
// # Definitions
//
// A predicate is regular when the cuts that satisfy it are closed under union and
// intersection. The slice of a computation for a predicate is the graph, got from the
// computation by adding edges, that keeps every cut that satisfies the predicate and
// has the fewest cuts.
//
// For example, let x@P be 1 between the events e and f of P, and 0 elsewhere. The slice
// for x@P == 1 is the computation with an edge from e to ⊥, so that every cut has e,
// and one from ⊤ to f, so that no cut has f. For a regular predicate the slice has
// exactly the satisfying cuts: it is lean. (Mittal and Garg, Computation Slicing:
// Techniques and Theory, DISC 2001.)
//
// If p and q are regular, so are p && q, EF p, AG p, EG p (Sen and Garg, Detecting
// Temporal Logic Predicates in Distributed Programs Using Computation Slicing, OPODIS
// 2003), E[p U p && q] and E[q R p] (Kashyap and Garg, Producing short counterexamples
// using "crucial events", CAV 2008). p || q and !p need not be; Or and Not give their
// least slices. These are not lean.
//
// # Representation
//
// A Slice refers to its computation and holds only what it adds: the least cut that it
// forces (edges u→⊥), the greatest it allows (edges ⊤→v), edges between events, and for
// E[p U q] a reference to the slice of p && q for the until to look ahead in. So an
// operator costs the passes it makes, never a table of processes by events.
//
// An edge is implied when every cut of the computation respects it already.
//
// # As a gonum graph
//
// A slice is a graph with ⊥ and ⊤, as a computation is, and the same algorithms run on
// it: Slice.Computation is a computation in its own right, and Slice.Directed its graph
// for gonum. A topological sort of it is a run that keeps the predicate true, if the
// slice is lean. gonum's topo.Unorderable lists the meta-events that stand in the way,
// and EG holds where the only ones are the computation's own. The predicate lets its
// strongly connected components happen only as a whole, and a path from u to v says why
// each cut of the slice with v has u. The operators themselves work on the
// representation above and use graphs.Components, for speed.
package slice
