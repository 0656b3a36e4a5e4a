// Package diagram says what a formula over the variables of a computation is in terms
// of how far its chains have come: for model checkers that know counters or tokens but
// none of our variables, and for sets of cuts as interval sharing trees.
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
// Such a function is kept as a decision diagram with many values (Node). An inner node
// asks for the state of one chain and goes on to another node by the interval around
// the state. Chains are asked in a fixed order. A leaf is a value. Nodes are unique and
// adjacent intervals go to different nodes, so equal functions are the same node. A sum
// of n terms has a node for each partial sum that occurs, a comparison of sums only for
// partial sums that leave it open. So x@P - y@Q <= k has a run for each value of x and
// a few for the values of y. Package atoms does the arithmetic.
//
// # Sums
//
// The diagram of a comparison of counters that take many values is large, and so is one
// of transit(P,Q). If the comparison is linear with integer values, Linear takes it
// apart into a sum of functions of single chains.
package diagram
