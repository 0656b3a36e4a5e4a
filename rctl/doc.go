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
// Check takes a resolved formula to negation normal form. One list gives the engines and rewritings
// that can decide it, from the cheapest to the most expensive (candidates, in plan.go), and steps,
// in the same file, turns it into a sequence of steps: Check takes the steps, MakePlan prints them.
//
//   - Boolean combinations are decided part by part, a formula with an A operator at the root by
//     its dual, EX at the top at the few cuts that follow. Cuts that the operand cannot distinguish
//     are decided once.
//   - Formulas that the first and the last cut decide are decided there, and subformulas that
//     therefore have the same truth value at all cuts are left out.
//   - Formulas of RCTL, with CETL's E[p U p && q] and E[q R p], have a lean slice. So do E[p U q] if
//     p || q does, and EF of a disjunction of such formulas.
//   - Some formulas are polynomial without a slice: two of several predicates at once, EG of a
//     disjunction of predicates of single chains, EF of a bound on a sum.
//   - The others are decided on the projection to the events that they can see (with EX or AX, on
//     all events): by satisfiability, a search from cut to cut, interval sharing trees, or
//     enumeration of the cuts.
//
// Each engine is a package below internal, with the name that --engine uses. The first of these
// steps costs as much as its parts, and the next three are polynomial. The last can take time
// exponential in the number of processes that the formula names, and ends as Unknown when a limit
// of time or memory is reached. A formula inside a temporal operator is never decided within a slice
// of another: the runs of a slice are not those of the computation.
//
// # Evidence
//
// If a single run can show a verdict, Check finds one, explains nested operators from the cut at its
// end, and has an independent checker (Replay) execute the run before returning it.
package rctl
