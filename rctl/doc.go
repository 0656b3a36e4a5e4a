// Package rctl decides CTL formulas over the consistent cuts of a computation.
//
// # How a formula is decided
//
// Check takes a resolved formula to negation normal form and tries, in order:
//
//  1. Slices. A formula of RCTL, with CETL's E[p U p && q] and E[q R p], has a
//     lean slice (package slice); it holds if the initial cut is in it. A formula
//     whose negation is of that kind fails if the initial cut is in that slice.
//  2. Exact rewritings: Boolean combinations at the top are decided part by part;
//     an A operator by the negation of its dual; EF distributes over ||, which is
//     lifted out of && below it; E[p U q] is E[p || q U q], which has a slice where
//     p || q has; AF p is EF p for a disjunction of predicates of single chains,
//     because every run passes through all local states of a process; EX and AX at
//     the top look at the few cuts that follow.
//  3. Special cases that are polynomial without a slice: two of several at once,
//     by ordering intervals; EG of a disjunction of predicates of single chains, by
//     chains of intervals; EF of a bound on a sum, by minimum cuts.
//  4. The projection to the events that the formula can see, unless it has EX or AX,
//     and on it: unions of slices; satisfiability for EF of Boolean predicates;
//     interval sharing trees (package graphs/ist) and enumeration of the cuts
//     (package graphs/lattice) for all of CTL.
//
// Up to 3 the time is polynomial; 4 can be exponential in the number of processes
// that the formula names, and ends as Unknown when a limit of time or memory is
// reached. A formula inside a temporal operator is never decided within a slice of
// another: the runs of a slice are not those of the computation.
//
// # Evidence
//
// Where one run shows a verdict, Check finds one, explains nested operators from
// the cut that it reaches, and has it replayed by an independent checker (Replay)
// before it is returned.
package rctl
