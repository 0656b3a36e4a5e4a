// Package graphs holds computations: directed graphs on the events of a
// distributed execution.
//
// # Definitions
//
// A computation has n processes, each a sequence of events, and two fictitious
// events, ⊥ before all others and ⊤ after them. Its edges say what a cut must
// contain: a consistent cut is a set of events that contains ⊥, does not contain ⊤,
// and contains u whenever it contains v and there is an edge u→v. Edges follow the order of each
// process, join the send of a message with its receives, and record whatever
// else is known of causality; happened-before is their transitive closure.
//
// A cut that respects the order of processes is a tuple: how many events of each
// process have happened. Consistent cuts are closed under union and
// intersection; they form a distributive lattice with a least cut (the initial
// cut) and a greatest one (the final cut).
//
// A computation may have cycles. The strongly connected components of the graph
// are its meta-events: a cut contains all events of a meta-event or none. One step of a run
// executes one meta-event. An edge u→⊥ forces u into every cut, an edge ⊤→v keeps
// v out of all; a computation whose graph reaches ⊥ from ⊤ has no cut and is
// called empty. Slices are such computations (Sen and Garg, Detecting Temporal
// Logic Predicates in Distributed Programs Using Computation Slicing, sections 4
// and 5), so what reads, draws or slices a computation does the same for a slice.
//
// # As a gonum graph
//
// Computation.Directed gives the graph to gonum: a node for each event, its ID the
// number of the event, and for each process the edges from ⊥ through its events to ⊤.
// Nothing is copied, and neighbours are in increasing order, so that algorithms which
// do not depend on the order of a map give the same result each time. What gonum finds
// means:
//
//	a topological sort       a run, where no meta-event is more than one event and no
//	                         edge leads to ⊥ or from ⊤
//	a strongly connected     a meta-event; the one of ⊥ is what all cuts have, the one
//	component                of ⊤ what none has; in an empty computation they are one
//	a path from u to v       a reason why each cut with v has u, a shortest one the
//	                         shortest reason
//
// gonum's algorithms keep maps of nodes, and some recurse: they take several times as
// long as Components and Topological, which are for whole computations of millions of
// events, and which tests compare with gonum's. Where a part of a computation is
// looked at, once, gonum does it: for the shortest cycle in a CycleError, and for the
// layout of meta-events in pictures.
//
// # Representation
//
// Events are numbered process by process: ⊥ is 0, the events of the first process
// are 1, 2, …, ⊤ is the last number. The order of a process is implicit in the
// numbers; all other edges are kept in jagged tables (package dense), forwards and
// backwards. Without names and values an event takes about 12 bytes, an edge 8, a message 16.
package graphs
