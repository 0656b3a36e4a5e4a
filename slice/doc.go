// Package slice computes slices: graphs that stand for the consistent cuts of a
// computation that satisfy a predicate.
//
// # Definitions
//
// A predicate is regular when the cuts that satisfy it are closed under union and
// intersection. The slice of a computation for a predicate is the graph with the fewest
// cuts among those that are made of the computation by adding edges and keep every cut
// that satisfies the predicate.
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
// An edge is implied if every cut of the computation already respects it.
//
// # As a gonum graph
//
// Like a computation, a slice is a graph with ⊥ and ⊤, and the same algorithms run on it:
// Slice.Computation is a computation in its own right, and Slice.Directed its graph for
// gonum. If the slice is lean, a topological sort of the graph is a run that keeps the
// predicate true. gonum's topo.Unorderable lists the meta-events that prevent one, and EG
// holds if the only ones are the computation's own. The events of a strongly connected
// component can happen only together, and a path from u to v says why each cut of the slice
// with v has u. The operators themselves work on the representation above and use
// graphs.Components, for speed.
package slice
