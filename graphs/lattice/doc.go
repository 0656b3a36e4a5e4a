// Package lattice enumerates the consistent cuts of a computation, and counts them without
// enumeration.
//
// # Exploration
//
// Level k of the lattice holds the cuts that are k meta-events away from the initial cut; a cut
// steps to cuts of the next level only. Explore computes the levels in order and keeps them all, so
// that temporal operators can be evaluated backwards from the last level (Levels.Successors).
//
// A cut is packed into 64-bit words, ⌈log₂(len+1)⌉ bits for each process that has len > 0 events
// between the initial and the final cut, and no process crosses a word boundary. Executing a
// meta-event adds a constant to the words. Only the next event of each process can be enabled, and
// it is if the counts of certain other processes are large enough for its edges. A hash table with
// open addressing finds equal cuts of a level.
//
// # Counting
//
// See Count.
package lattice
