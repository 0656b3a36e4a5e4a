// Package graphtest makes random computations and lists their consistent cuts by brute force, as
// the reference for the tests of other packages.
//
// # Random computations
//
// Random draws small computations with every kind of causality that a trace can state: messages
// with one receiver, several or none, received in any order; other causality; events that happen
// together; shared variables; general edges, also from and to ⊥ and ⊤, and the cycles that they
// close.
//
// # Twins
//
// Cuts enumerates all tuples of counts and keeps the consistent ones, which respect every edge.
// Lattice orders them: one cut follows another if no cut is strictly between. (Package rctltest
// decides formulas on a lattice.) Of the results of package graphs, both use only the events and
// edges, and neither the least and greatest cuts nor the meta-events. They take time O(cuts²·n), so
// computations have to be small.
//
// # How many cases
//
// Rounds says how many random cases a test tries: all of the given number in continuous
// integration, a quarter by default, a fifth with -short, and ten times as many with -full, before
// a release.
package graphtest
