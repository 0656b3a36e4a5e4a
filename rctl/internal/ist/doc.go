// Package ist decides formulas by the sets of cuts that satisfy their subformulas, as
// interval sharing trees.
//
// # Definitions
//
// A cut is a tuple of numbers: for each process with events between the initial and the
// final cut, how many of these the cut has. The cuts are a sublattice of the tuples; a
// set of tuples is an interval sharing tree (package graphs/ist). Processes that
// exchange messages are near each other in the order of the variables. That keeps trees
// small.
//
// A set stands for a formula if it has exactly those cuts that satisfy the formula. It
// may have any tuples that are not cuts: sets are smaller if they need not distinguish
// these from cuts.
//
// # Temporal operators
//
// With f and g restricted to cuts, the sets are (Kalyon, Massart, Meuter and Van Begin,
// Testing Distributed Systems through Symbolic Model Checking, FORTE 2007)
//
//	EX f       the tuples from which one move leads into f
//	EF f       the tuples below some tuple of f: from each cut there is a run to every
//	           cut above it
//	E[f U g]   the tuples from which moves lead into g, through f before it
//	EG f       E[f U f && last], last the final cut
//	E[f R g]   E[g U g && (f || last)]
//	E[f W g]   E[f U g || f && last]
//
// and for A the complements of those of the negation: A[f U g] that of E[!g W !f &&
// !g]. The paper prints EG f as the greatest X with X = f && EX X. That set is empty,
// since runs end.
//
// # Formulas without temporal operators
//
// Conjunctions and disjunctions of these are intersections and unions of the sets. Any other formula
// becomes a decision diagram that tests the processes in the order of the variables (package
// rctl/diagram): a choice between intervals of a process becomes a node.
//
// # Bound
//
// Time and memory are polynomial in the sizes of the trees. These are at most
// exponential in the number of processes.
package ist
