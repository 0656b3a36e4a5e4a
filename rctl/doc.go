// Package rctl decides CTL formulas over the consistent cuts of a computation.
//
// # Definitions
//
// A cut is a set of events that contains with each event all that happened before it: a global
// state that the execution could have passed through. A run is a sequence of cuts from the initial
// one to the final one, a step apart. A formula is decided at the initial cut, over all runs.
//
// # How a formula is decided
//
// Check takes a resolved formula to negation normal form. One list says what can decide it, in what
// order and at what cost (candidates, in plan.go), and one sequence of steps is made of it (steps,
// beside it): Check takes the steps, MakePlan prints them.
//
//   - Boolean combinations are decided part by part, a formula with an A operator at the root by
//     its dual, EX at the top at the few cuts that follow. Cuts that the operand cannot tell apart
//     are decided once.
//   - Formulas that the first and the last cut decide are decided there, and subformulas that are
//     therefore the same at all cuts are left out.
//   - Formulas of RCTL, with CETL's E[p U p && q] and E[q R p], have a lean slice. So have E[p U q]
//     where p || q has, and EF of a disjunction of such formulas.
//   - Some formulas are polynomial without a slice: two of several at once, EG of a
//     disjunction of predicates of single chains, EF of a bound on a sum.
//   - The others are decided on the projection to the events that they can see (with EX or AX, on
//     all events): by satisfiability, a search from cut to cut, interval sharing trees, or
//     enumeration of the cuts.
//
// Each engine is a package below internal, named as --engine names it. The first two of these steps
// and the third are polynomial; the last can take time exponential in the number of processes that
// the formula names, and ends as Unknown when a limit of time or memory is reached. A formula
// inside a temporal operator is never decided within a slice of another: the runs of a slice are
// not those of the computation.
//
// # Evidence
//
// Where one run shows a verdict, Check finds one, explains nested operators from the cut at its
// end, and has an independent checker (Replay) execute it before it is returned.
package rctl
