// Package atoms evaluates the formulas without temporal operators, and the expressions in them,
// along the chains of a computation. It is what the engines and the translators know of values.
//
// # Definitions
//
// A chain is a total order of events: all events of a process, or all assignments of a shared
// variable. Its state at a cut is the number of its events in the cut.
//
// A slot is what a formula reads of one chain: the value of a variable, or how many messages one
// end of a channel has sent or received. transit(P,Q) reads two slots, what P has sent to Q and
// what Q has received from P.
//
// A function of the cuts of a computation is a formula or an expression, compiled: it takes the
// values of its slots, its environment, to a value. A function with slots of one chain only has a
// column: its values from one event of the chain to the next.
//
// A sum of functions of single chains and of channels, with whole factors, can be taken apart
// (Decompose): so the messages in transit, how many processes are in a section, and what x, y and z
// of three processes add up to need only be looked at chain by chain.
//
// Arithmetic is exact on integers as long as the result fits into 64 bits, and float64 arithmetic
// otherwise (package graphs).
package atoms
