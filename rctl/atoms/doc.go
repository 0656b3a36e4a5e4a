// Package atoms evaluates formulas without temporal operators, and the expressions in them, along
// the chains of a computation. Engines and translators access values only through it.
//
// # Definitions
//
// A chain is a total order of events: all events of a process, or all assignments of a shared
// variable. Its state at a cut is the number of its events in the cut.
//
// A slot is an input of a formula that one chain determines: the value of a variable, or the number
// of messages that one end of a channel has sent or received. transit(P,Q) has two slots: the
// messages that P has sent to Q, and those that Q has received from P.
//
// A function of the cuts of a computation is a compiled formula or expression: it maps the values of
// its slots, its environment, to a value. A function with slots of a single chain has a column: its
// values from one event of the chain to the next.
//
// Decompose takes apart a sum of functions of single chains and of channels, with whole factors.
// Thus the messages in transit, the number of processes in a section, or the sum of x, y and z of
// three processes can be analyzed chain by chain.
//
// Arithmetic is exact on integers as long as the result fits into 64 bits, and float64 arithmetic
// otherwise (package graphs).
package atoms
