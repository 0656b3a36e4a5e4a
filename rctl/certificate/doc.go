// Package certificate checks proofs of verdicts. It shares nothing with the engines that
// decide formulas: it has its own normal form of formulas, evaluates atoms and follows causality
// itself. It trusts the reader of the trace, package graphs for events, edges, steps and values,
// and package syntax for the parser and for Resolve, which puts processes for names, and instances
// for quantifiers. Verdicts of a solver have a split or no proof. Proofs are hostile input;
// encoding/json bounds how deep rules are in one another.
//
// # Definitions
//
// A cut is a set of events that has with each event all from which an edge leads to it, which it
// needs. Cuts lie between the initial and the final one. A run goes from cut to cut by steps, each
// of one meta-event, on to the final cut. A formula holds at a cut, which satisfies it, by what the
// runs from there do. A chain is a total order of events: those of a process, or those that assign
// a shared variable. Operators are those of Node.
//
// # Rules
//
// A proof shows that no cut between two, low and high, satisfies a formula n. That a formula holds
// at a cut c is shown of its negation, from c to c.
//
//  1. forced: by L1 to L7, no cut between low and high has all that one that satisfies n has.
//  2. operands: n is p || q, and neither is satisfied; or p && q, and one is not; or an until, and
//     no cut from low on satisfies what it asks for in the end; or, where which is 1, about
//     runs, and no cut between low and high satisfies what it asks for along them (see L4).
//  3. split: none that has some event satisfies n, and none that has not.
//  4. contradiction: n is p && q, and q is !p as it is written.
//  5. flow: n says that a sum is great: a sum of numbers, or how many of some formulas hold. At a
//     cut it is that at low and the weights of the events since. If v needs u, an amount that is
//     taken from the weight of v and added to that of u makes no cut weigh less: one with v has u.
//     After that, no cut weighs more than the heaviest first events of each process together. (The
//     duality of maximum flow and closure: Picard, 1976.)
//
// The others show that n, the negation, holds at c.
//
//  6. cut: n is EF q, and q holds at a cut that includes c: some run leads there, as events can be
//     added one step after the other.
//  7. run: n is EX q, E[p U q] or E[q R p]. The steps of a run can be taken, and what the definition
//     asks of its cuts is so. What holds along the run is shown of one stretch of it after the
//     other. Along a stretch values are looked at; && holds if its operands do, and || if the same
//     operand does; AG p, if it does at the first cut. E[r U s], or E[s R r], does if it does at
//     the last cut and r || s, or r, all along: each of the others is one step before one at which
//     it holds. Any other does if no cut from the first one to the last satisfies its negation.
//  8. pass: n is AF q. Some events, the last, need some others, the first, none of which is in a
//     step with one. So each run comes to a cut that has the first, and not yet the last. Of these,
//     none satisfies !q.
//  9. look: the checker goes through the cuts itself, from c on, and evaluates formulas as they are
//     defined. It gives up after 2^20 steps, or as many as there are events.
//  10. next: n is AX q, and q holds at each cut that comes next.
//
// # Forced events
//
// Let d be a cut between c and high that satisfies n. It has the following beyond c.
//
//	L1  an atom of one chain that is false becomes true only by a later event of the chain, the
//	    first after which it is. One of several does, too, if the events of all others only
//	    make it false: of a bound on a sum, those that lower it, or raise it. (Up to 2^53 whole
//	    numbers and floats are the same, and rounding keeps the order.) Any other is only false
//	    for good if nothing that it reads changes up to high.
//	L2  d satisfies p && q: what p needs, and what q needs.
//	L3  d satisfies p || q: what both need, or what one needs if the other is impossible.
//	L4  E[p U q]: d satisfies p || q, and q is satisfied by d or a later cut. E[q R p]: d
//	    satisfies p, and either a later cut does q && p, or the final cut p. So does A of the
//	    same, as there is a run from each cut.
//	L5  but for AG, two events of different steps are tied if each cut from c on that satisfies p
//	    (p || q for U) and has one of them has the other. A run along which that holds cannot
//	    come from a cut without them to one with them, as no step adds both. So d has them if
//	    the run must come to a cut with them: if all that satisfy its goal have one of them, or
//	    it goes on to the final cut. (Algorithm A3 of Sen and Garg, OPODIS 2003.)
//	L6  AG p: d with any event e, and all that e needs, satisfies p, too. If every such cut has f,
//	    and e does not need f, d has f. (Algorithm A2.)
//	L7  EX p: d is not the final cut, and a later one satisfies p. AX p: one from d on does, or d
//	    is the final cut.
//
// A check takes a pass over the trace for each rule, tie and case, and an evaluation for each change
// of an atom; where temporal operators are nested in rule forced, some of each for every one above.
// The memory is linear in trace, formula and proof, beside the cuts that look remembers.
package certificate
