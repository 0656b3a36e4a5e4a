// Package crucial decides formulas of CTL on all executions of a program, by exploring
// only its crucial events.
//
// # Definitions
//
// A program, its states, transitions and actions are those of package program. A
// formula is decided in the initial state, over the runs of the program, which may be
// infinite. A run that ends in a deadlock is one, too: EG p holds there if p does.
//
//	E[p U q]    some run has a state with q, and p in every state before it
//	E[q R p]    some run has p up to and including the first state with q, or for ever
//
// The other operators are written with these, EX and !.
package crucial
