// Package certificate checks proofs of verdicts: that a formula of CTL holds, or fails, on a
// computation. It shares nothing with the engines that decide formulas. It has its own normal form,
// evaluates atoms and follows causality itself. It trusts the reader of the trace, package graphs
// for events, edges, steps and values, and package syntax for the parser and for Resolve. Proofs
// are hostile input; encoding/json bounds their depth.
//
// # Definitions
//
// Event v needs u if a path of edges leads from u to v. A cut is a set of events closed under need,
// between the initial and the final cut. A step adds one meta-event to a cut, and a run goes on by
// steps to the final cut. A formula holds at a cut, and the cut satisfies the formula, according to
// the runs from there. A chain is a total order of events: those of a process, or the assignments
// to a shared variable. Formulas about runs are p U q and p W q, in a form where q implies p (see
// Node): p holds up to a cut with q or, for W, for good.
//
// # Rules
//
// A proof shows that no cut between two, low and high, satisfies a formula n. To show that a
// formula holds at a cut c, its negation is refuted from c to c.
//
//  1. forced: by L1 to L7, a cut between low and high that satisfies n would need an event beyond
//     high.
//  2. operands, by the form of n:
//     p || q: neither is satisfied.
//     p && q: one of them is not, or q is written as !p.
//     p U q, p W q: p is not satisfied; or, for U, q is not satisfied from low on (see L4).
//     EX p, from c to c: no next cut satisfies p.
//     EX p: no cut from low to high with the next step of each process satisfies p, as every step
//     out of high leads to one of these.
//     AX p: some process has the same events in low and high, and can take a step at low, so at all
//     cuts between. None between low and high, each with the step, satisfies p.
//  3. split: some events of one process are given. For each i, no cut with exactly the first i of
//     them satisfies n.
//  4. flow: n says that a sum is great, a sum of numbers or of true formulas. At a cut it is the sum
//     at low and the weights of the events since. Moving an amount from the weight of v to that of
//     u, needed by v, makes no cut weigh less: a cut with v has u. After that, no cut weighs more,
//     up to high, than the heaviest prefixes of all processes together. (The duality of flow and
//     closure: Picard, 1976.)
//
// The others show that n, the negation, holds at c.
//
//  5. run: n is E[p U q] or E[p W q]. The given steps lead from c to a cut with q, or with n, and p
//     holds at all cuts before; or, for W, they lead to the final cut, and p holds at all. A set of
//     events, closed under need, may come first if p holds at all cuts up to there: a run leads to
//     each. Along a run, values are evaluated; && holds if its operands do, and || if the same
//     operand does. E[r U s] and E[r W s] hold if they do at the last cut, and r at all: each of the
//     others is one step before such a cut. Any other formula holds if no cut from the first to the
//     last satisfies its negation.
//  6. pass: n is AF q, or EF q, since that follows. The last of some events need the first ones, in
//     other steps. So each run comes to a cut with the first and without the last. None of these
//     cuts satisfies !q.
//  7. look: the checker evaluates the formula by its definition, in at most 2^20 steps.
//  8. bindings, at the root alone: a formula that begins with quantifiers over values or events has
//     its verdict for each of their bindings, or for one, where that shows it. The checker finds the
//     bindings, the events that are visible to each, their order and so their shapes; a part proves
//     the verdict on the body for a shape (see Shape). It trusts package syntax for taking the formula
//     apart, and package scope for the events that satisfy a condition.
//
// # Forced events
//
// Let d be a cut between c and high that satisfies n. It has the following beyond c.
//
//	L1  A false atom of one chain becomes true only by a later event of the chain, the first event
//	    after which it is true. So does an atom of several chains, if the events of all other chains
//	    can only make it false: for a bound on a sum, those that lower it, or raise it. (Up to 2^53
//	    whole numbers and floats are the same, and rounding keeps the order.) Any other atom is false
//	    for good only if none of its sources changes up to high.
//	L2  d satisfies p && q: the needs of p, and those of q.
//	L3  d satisfies p || q: the common needs of both, or those of one if the other is impossible.
//	L4  E[p U q], A[p U q]: d satisfies p, and some run from d comes to q; with W, or p holds at the
//	    final cut.
//	L5  Except for AG, two events of different steps are tied if each cut from c on that satisfies p
//	    and has one of them has the other. A run along which p holds cannot go from a cut without
//	    them to one with them, as no step adds both. So d has them if the run must come to a cut with
//	    them: if every cut with q has one of them, or if the run goes on to the final cut.
//	    (Algorithm A3 of Sen and Garg, OPODIS 2003.)
//	L6  AG p: d with any event e, and all that e needs, satisfies p, too. If every such cut has f, and
//	    e does not need f, d has f. (Algorithm A2.)
//	L7  EX p, AX p: a cut from d on satisfies p or, for AX, d is the final cut.
//
// # No rules
//
// Bounds on time, as in AG(p -> AF[<= 5s] q), have no rules. The rules are about the cuts between
// two, and a bound is about pairs of events and the times between them under a model of clocks. A
// checker that shares nothing would need bounds on the times of events, shortest paths between
// clocks, and the stretches of p and q, all of its own. And rule bindings proves one binding of
// each shape, but bindings of one shape differ in their times. Comparisons of events, as in
// d.time - e.time <= 5s, are atoms, and package scope determines their values.
//
// A check takes a pass over the trace for each rule, tie and case, and an evaluation for each
// change of an atom. Temporal operators nested in rule forced multiply that by the operators above
// them, until the context ends. The memory is linear in trace, formula and proof, plus the cuts
// that look remembers.
package certificate
