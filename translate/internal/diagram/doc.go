// Package diagram says what a formula over the variables of a computation is in
// terms of how far its chains have come, for model checkers that know counters or
// tokens but none of our variables.
//
// # Definitions
//
// A chain is a total order of events: those of a process, or those that assign a
// shared variable. Its state at a cut is the number of its events in the cut
// (package atoms). The value of a variable is a function of the state of one chain,
// and so is the number of messages that a process has sent to another, or received
// from it; transit(P,Q) is the difference of two such functions. So every expression
// is a function of the states of finitely many chains.
//
// # Diagrams
//
// Such a function is kept as a decision diagram with many values (Node): an inner
// node asks for the state of one chain and goes on to another node by the interval
// in which the state is; chains are asked in a fixed order; a leaf is a value. Nodes
// are unique and adjacent intervals go to different nodes, so equal functions are the
// same node. A sum of n terms has a node for each partial sum that occurs; a
// comparison of sums only for those that leave it open, so that x@P - y@Q <= k has a
// run for each value of x and a few for those of y. The arithmetic is that of package
// atoms.
//
// # Sums
//
// The diagram of a comparison of counters that take many values is large, and so is
// one of transit(P,Q). If the comparison is linear with integer values, Linear takes
// it apart into functions of single chains and channels, which are added up.
package diagram
