// Package graphs holds computations: directed graphs on the events of a
// distributed execution.
//
// # Definitions
//
// A computation has n processes, each a sequence of events, and two fictitious
// events, ⊥ before all others and ⊤ after them. Its edges say what a cut must
// contain: a consistent cut is a set of events that has ⊥, has not ⊤, and has u
// whenever it has v and there is an edge u→v. Edges follow the order of each
// process, join the send of a message with its receives, and record whatever
// else is known of causality; happened-before is their transitive closure.
//
// A cut that respects the order of processes is a tuple: how many events of each
// process have happened. Consistent cuts are closed under union and
// intersection; they form a distributive lattice with a least cut (the initial
// cut) and a greatest one (the final cut).
//
// A computation may have cycles. The strongly connected components of the graph
// are its meta-events: a cut has all the events of one or none. One step of a run
// executes one meta-event. An edge u→⊥ forces u into every cut, an edge ⊤→v keeps
// v out of all; a computation whose graph reaches ⊥ from ⊤ has no cut and is
// called empty. Slices are such computations (Sen and Garg, Detecting Temporal
// Logic Predicates in Distributed Programs Using Computation Slicing, sections 4
// and 5), so what reads, draws or slices a computation does the same for a slice.
//
// # Representation
//
// Events are numbered process by process: ⊥ is 0, the events of the first process
// are 1, 2, …, ⊤ is the last number. The order of a process is implicit in the
// numbers; all other edges are kept in compressed rows, forwards and backwards.
// Without names and values an event takes about 12 bytes, an edge 8, a message 16.
package graphs
