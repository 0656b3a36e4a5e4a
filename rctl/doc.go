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
//     an A operator by the negation of its dual; EF and E[f U ·] distribute over
//     ||, which is lifted out of && below them; AF p is EF p for a disjunction of
//     predicates of single chains, because every run passes through all local
//     states of a process; EX and AX at the top look at the few cuts that follow.
//  3. Search of a slice: EF(p && q), p with a slice and q without a temporal
//     operator, visits the cuts of the slice only.
//  4. Explicit enumeration of all cuts, level by level, within limits of memory
//     and time (package graphs/lattice). Beyond them the verdict is Unknown.
//
// Steps 1 and 2 are linear in the trace for each operator and disjunct; 3 and 4
// can be exponential in the number of processes. A formula inside a temporal
// operator is never decided within a slice of another: the runs of a slice are not
// those of the computation.
//
// # Evidence
//
// Where one run shows a verdict, Check finds one, explains nested operators from
// the cut that it reaches, and has it replayed by an independent checker (Replay)
// before it is returned.
package rctl
