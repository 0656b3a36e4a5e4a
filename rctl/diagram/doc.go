// Package diagram represents a formula over the variables of a computation as a function of the
// states of its chains: for model checkers that have counters or tokens but not these variables,
// and for sets of cuts as interval sharing trees.
//
// # Definitions
//
// A chain is a total order of events: all events of a process, or all assignments of a
// shared variable. Its state at a cut is the number of its events in the cut (package
// atoms). The value of a variable is a function of the state of one chain, and so is
// the number of messages that a process has sent to another, or received from it;
// transit(P,Q) is the difference of two such functions. So every expression is a
// function of the states of finitely many chains.
//
// # Diagrams
//
// Such a function is represented as a multi-valued decision diagram (Node). An inner node tests the
// state of one chain and leads to another node for each interval of states. Chains are tested in a
// fixed order. A leaf is a value. Nodes are unique, and adjacent intervals lead to different nodes,
// so equal functions are the same node. A sum of n terms has a node for each partial sum that
// occurs, a comparison of sums only for those partial sums that leave it undecided. So x@P - y@Q <=
// k has a run for each value of x and a few for the values of y. Package atoms does the arithmetic.
//
// # Sums
//
// The diagram of a comparison of counters with many values is large, and so is one of transit(P,Q).
// If the comparison is linear with integer values, Linear decomposes it into a sum of functions of
// single chains.
package diagram
