// Package ist holds sets of tuples of numbers as interval sharing trees.
//
// # Definitions
//
// A universe has k variables; variable v has the values 0 … n_v. A set of tuples is a layered
// directed acyclic graph. A node of level v stands for a set of tuples of the variables v … k-1;
// its edges are disjoint intervals of values of variable v, each with a node of the next level for
// how the tuple may go on. One node, the end, stands for the empty tuple, and one, Empty, for no
// tuple; edges lead to Empty only where they must. (Kalyon, Massart, Meuter and Van Begin, Testing
// Distributed Systems through Symbolic Model Checking, section 4, who let intervals overlap and
// nodes have equals.)
//
// # Canonicity
//
// Neighbouring intervals that lead to the same node are merged into one, and nodes
// with the same intervals are one node: a table of all nodes is the only way to get
// one. So each set has exactly one node, sets are equal when their nodes are the
// same number, and results of operations can be remembered by the numbers of
// their operands.
//
// # Moves
//
// A move adds one to one variable, or as a joint move given numbers to several
// variables at given values. Moves only lead upwards, so that what can be reached
// by any number of them is found in one pass from the highest values down (see
// Store.Backward), without iterating to a fixpoint.
//
// # Limits
//
// A Store never gives a node back. When it reaches a limit, or its context is done, it goes into an
// error state: every operation returns at once with a meaningless result, and Err returns the
// error. What was computed before stays valid.
package ist
