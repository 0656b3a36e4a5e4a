// Package ist holds sets of tuples of numbers as interval sharing trees.
//
// # Definitions
//
// A universe has k variables; variable v has the values 0 … n_v. A set of tuples is a layered
// directed acyclic graph. A node of level v stands for a set of tuples of the variables v … k-1;
// its edges are disjoint intervals of values of variable v, each leading to a node of the next
// level for the remaining values. One node, the end, stands for the set of the empty tuple, and
// one, Empty, for the empty set; edges lead to Empty only for values below others that do not.
// (Kalyon, Massart, Meuter and Van Begin, Testing Distributed Systems through Symbolic Model
// Checking, section 4, who allow overlapping intervals and equal nodes.)
//
// # Canonicity
//
// Neighbouring intervals that lead to the same node are merged into one, and nodes with the same
// intervals are one node: all nodes are created through one table. So each set has exactly one
// node, sets are equal if and only if their node numbers are, and results of operations can be
// cached by the numbers of their operands.
//
// # Moves
//
// A move adds one to one variable; a joint move adds given numbers to several variables with given
// values. Moves only lead upwards, so the tuples reachable by any number of moves are found in one
// pass from the highest values down (see Store.Backward), without iterating to a fixpoint.
//
// # Limits
//
// A Store never frees a node. When it reaches a limit, or its context is done, it enters an error
// state: every operation returns at once with a meaningless result, and Err returns the error.
// Earlier results stay valid.
package ist
