// Package certificate checks proofs of verdicts. It shares nothing with the engines that decide formulas: it has
// its own normal form of formulas, evaluates atoms and follows causality itself. It trusts the reader of the
// trace, package graphs for events, edges, steps and values, and package syntax for the parser and for Resolve,
// which puts processes for names, and instances for quantifiers. Proofs are hostile; encoding/json bounds depth.
//
// # Definitions
//
// A cut is a set of events that has with each event all from which an edge leads to it, which it needs. Cuts lie
// between the initial and the final one. A run goes from cut to cut by steps, each of one meta-event, on to the
// final cut. A formula holds at a cut, which satisfies it, by what the runs from there do. A chain is a total
// order of events: those of a process, or those that assign a shared variable. Of runs, formulas ask for p U q or
// p W q, where q implies p (see Node): that p holds up to a cut at which q does or, for W, for good.
//
// # Rules
//
// A proof shows that no cut between two, low and high, satisfies a formula n. That a formula holds at a cut c is
// shown of its negation, from c to c.
//
//  1. forced: by L1 to L7, no cut between low and high has all that one that satisfies n has.
//  2. operands: n is p || q, and neither is satisfied; or p && q, and one is not, or q is written as !p; or n asks
//     for p U q or p W q, and p is not, or for U q is not from low on (see L4); or, from c to c, EX p and no cut
//     that comes next satisfies p; or EX p, and none does from low to high and the next step of each process, as a
//     step that leads out of high is one of these; or AX p, and a process of which high has no more than low can take a step
//     at low, and so at all cuts between: none between low with the step and high with it satisfies p.
//  3. split: no cut that has so many of some events of a process, the first ones, and not the next, satisfies n.
//  4. flow: n says that a sum is great: a sum of numbers, or how many of some formulas hold. At a cut it is that
//     at low and the weights of the events since. If v needs u, an amount that is taken from the weight of v and
//     added to that of u makes no cut weigh less: one with v has u. After that, no cut weighs more than, up to high,
//     the heaviest first events of each process together. (The duality of flow and closure: Picard, 1976.)
//  5. greatest: n says of no run that p U q, or p W q. No cut between low and high fails to satisfy p. Some events
//     and all that they need lead from low to a cut from which no step stays below high: it is the greatest one.
//     It does not satisfy n. So none does: a run leads there, and p holds on the way.
//
// The others show that n, the negation, holds at c.
//
//  6. run: n is E[p U q] or E[p W q]. Steps that can be taken lead from c to a cut at which q holds, or n itself,
//     and p holds at all before. Or, for W, they lead to the final cut, and p holds at all. Some events and
//     all that they need may come first, if p holds at all cuts up to there: a run leads to each. Along a run
//     values are looked at; && holds if its operands do, and || if the same operand does. E[r U s] or E[r W s]
//     holds if it does at the last cut, and r at all: each of the others is one step before one at which it
//     holds. Any other does if no cut from the first to the last satisfies its negation.
//  7. pass: n is AF q or, what follows, EF q. Some events, the last, need some others, the first, in other steps. So
//     each run comes to a cut that has the first, and not yet the last. Of these, none satisfies !q.
//  8. look: the checker evaluates formulas as they are defined, in 2^20 steps at most, no deeper in one another.
//
// # Forced events
//
// Let d be a cut between c and high that satisfies n. It has the following beyond c.
//
//	L1  an atom of one chain that is false becomes true only by a later event of the chain, the first after which
//	    it is. One of several does, too, if the events of all others only make it false: of a bound on a sum, those
//	    that lower it, or raise it. (Up to 2^53 whole numbers and floats are the same, and rounding keeps the
//	    order.) Any other is only false for good if nothing that it reads changes up to high.
//	L2  d satisfies p && q: what p needs, and what q needs.
//	L3  d satisfies p || q: what both need, or what one needs if the other is impossible.
//	L4  E[p U q], A[p U q]: d satisfies p, and d or a later cut q, as it has a run; with W, or the final cut p.
//	L5  but for AG, two events of different steps are tied if each cut from c on that satisfies p and has one of
//	    them has the other. A run along which p holds cannot come from a cut without them to one with them, as no
//	    step adds both. So d has them if the run must come to a cut with them: if all that satisfy q have one of
//	    them, or it goes on to the final cut. (Algorithm A3 of Sen and Garg, OPODIS 2003.)
//	L6  AG p: d with any event e, and all that e needs, satisfies p, too. If every such cut has f, and e does not
//	    need f, d has f. (Algorithm A2.)
//	L7  EX p, AX p: a cut from d on satisfies p or, for AX, d is the final cut.
//
// A check takes a pass over the trace for each rule, tie and case, and an evaluation for each change of an atom;
// where temporal operators are nested in rule forced, some of each for every one above, until the context ends.
// The memory is linear in trace, formula and proof, beside the cuts that look remembers.
package certificate
