// Package lattice goes through the consistent cuts of a computation one by one,
// and counts them without doing so.
//
// # Exploration
//
// Level k of the lattice holds the cuts that are k meta-events away from the
// initial cut; a cut steps to cuts of the next level only. Explore computes the
// levels in order and keeps them all, so that temporal operators can be evaluated
// from the last level back (Levels.Successors).
//
// A cut is packed into 64-bit words, ⌈log₂(len+1)⌉ bits for each process that has
// len > 0 events between the initial and the final cut, no process astride two
// words. Executing a meta-event adds a constant to the words. Only the next event
// of each process can be enabled, and it is when the counts of some other
// processes have reached what its edges ask for. Within a level cuts are found
// again by open addressing.
//
// # Counting
//
// See Count.
package lattice
