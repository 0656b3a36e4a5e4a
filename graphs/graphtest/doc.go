// Package graphtest makes random computations and lists their consistent cuts by brute force: the
// truth for the tests of other packages.
//
// # Random computations
//
// Random draws small computations with every kind of causality that a trace can
// state: messages with one receiver, several or none, received in any order;
// causality known otherwise; events that happen together; shared variables;
// general edges, ⊥ and ⊤ among their ends, and the cycles they close.
//
// # Twins
//
// Cuts goes through all tuples of counts and keeps the consistent ones: they respect every edge.
// Lattice orders them: one cut follows another where no cut is strictly between. (Package rctltest
// decides formulas on a lattice.) None of this uses what package graphs computes beyond the events
// and edges themselves: neither its least and greatest cuts nor its meta-events. The price is a
// time of O(cuts²·n), so computations have to be small.
//
// # How many cases
//
// Rounds says how many random cases a test tries: by default as many as find what
// can be found within a second or so, a fifth of them with -short, ten times as many
// with -full, for before a release.
package graphtest
