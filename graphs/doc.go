// Package graphs holds computations: directed graphs on the events of a
// distributed execution.
//
// # Definitions
//
// A computation has n processes, each a sequence of events, and two fictitious events, ⊥ before all
// others and ⊤ after them. Its edges say what a cut must contain: a consistent cut is a set of
// events that contains ⊥, does not contain ⊤, and contains u whenever it contains v and there is an
// edge u→v. Edges follow the order of each process, join the send of a message with its receives,
// and record all other known causality; happened-before is their transitive closure.
//
// A cut that respects the order of processes is a tuple: how many events of each
// process have happened. Consistent cuts are closed under union and
// intersection; they form a distributive lattice with a least cut (the initial
// cut) and a greatest one (the final cut).
//
// A computation may have cycles. The strongly connected components of the graph are its
// meta-events: a cut contains all events of a meta-event or none. One step of a run executes one
// meta-event. An edge u→⊥ forces u into every cut, an edge ⊤→v keeps v out of all; a computation
// whose graph reaches ⊥ from ⊤ has no cut and is called empty. Slices are such computations (Sen
// and Garg, Detecting Temporal Logic Predicates in Distributed Programs Using Computation Slicing,
// sections 4 and 5), so code that reads, draws or slices a computation also works on a slice.
//
// # As a gonum graph
//
// Computation.Directed gives the graph to gonum: a node for each event, its ID the number of the
// event, and for each process the edges from ⊥ through its events to ⊤. Nothing is copied, and
// neighbours are in increasing order, so that algorithms which do not depend on the order of a map
// give the same result each time. The results of gonum's algorithms mean:
//
//	a topological sort       a run, if no meta-event has more than one event and no
//	                         edge leads to ⊥ or from ⊤
//	a strongly connected     a meta-event; every cut contains that of ⊥, and no cut
//	component                that of ⊤; in an empty computation they are the same
//	a path from u to v       a reason why each cut with v contains u; a shortest path
//	                         is a shortest reason
//
// gonum's algorithms keep maps of nodes, and some recurse: they take several times as long as
// Components and Topological, which handle whole computations of millions of events, and which
// tests compare with gonum's. pota uses gonum where it examines a part of a computation once: for
// the shortest cycle in a CycleError, and for the layout of meta-events in pictures.
//
// # Representation
//
// Events are numbered process by process: ⊥ is 0, the events of the first process
// are 1, 2, …, ⊤ is the last number. The order of a process is implicit in the
// numbers; all other edges are kept in jagged tables (package dense), forwards and
// backwards. Without names and values an event takes about 12 bytes, an edge 8, a message 16.
package graphs
