// Package certificate checks proofs of verdicts. It shares nothing with the engines that
// decide formulas: it has its own normal form of formulas, evaluates atoms itself and
// follows causality itself. What it relies on is package graphs (events, edges, steps,
// values), and of package syntax the parser and Resolve, which finds what names stand for
// and what quantifiers say. That a trace was read rightly is no part of what it checks.
//
// # Definitions
//
// A cut is a set of events that has with each event all from which an edge leads to it;
// c is one. All cuts here lie between the initial and the final one. A run goes from cut
// to cut by steps, each of one meta-event, on to the final cut. A formula is decided at c
// by the runs from c. A chain is a total order of events: those of a process, or those
// that assign a shared variable. A formula of one chain is decided by how many of them have
// happened.
//
// # Rules
//
// A proof says by which rule a formula holds at a cut c; that it fails is proved of its
// negation. Formulas have the operators of Node.
//
//  1. value: there is no temporal operator, and the values at c make it true.
//  2. all: p && q holds if both do. one: p || q holds if one does.
//  3. cut: EF q holds at c if q does at a cut that includes c: some run leads there, as
//     events can be added one step after the other.
//  4. run: EX q, E[p U q] and E[q R p] hold if the steps of a run can be taken, and what the
//     definition asks of its cuts is so. For p along the run, values are looked at; && holds
//     all along if its operands do, and || if the same operand does. AG p holds all along if
//     it does at the first cut. E[r U s], or E[s R r], holds all along if it does at the last
//     cut and r || s, or r, all along: each of the others is one step before one at which
//     it holds.
//  5. region: p holds at c if every cut from c on at which !p holds has more than c, or if
//     there is none (rules L1 to L6).
//  6. look: the checker goes through the cuts itself, from c on, and evaluates formulas as
//     they are defined. Where neither EX nor AX occurs, it goes by visible events, those that
//     can change an atom, each with all that it needs: cuts with the same visible events
//     satisfy the same formulas, as the others can be added before any visible one that
//     does not need more (stuttering). It gives up when it has much to remember.
//  7. never: p holds at c if what !p, an until, asks for in the end holds at no cut from c on
//     (rules N1 to N4).
//  8. overlap: AF of a conjunction of formulas of one process each holds at c if each has an
//     interval, a piece of the process's history in which it holds, such that the end of
//     none can come before all have begun, nor in the step in which one begins. In each
//     run, take the first cut at which all have begun: no interval is over there.
//
// # Least cuts
//
// The rules for region add events to a cut c which every cut d between c and a cut high
// has that satisfies n.
//
//	L1  an atom of one chain that is false becomes true only by a later event of the chain.
//	    An atom of several does so only by events of the one chain that helps, if those of the
//	    others never make it true: bounds on the messages of a channel, and x@P <= y@Q
//	    where neither decreases. Any other is only false for good if nothing that it reads
//	    changes up to high.
//	L2  d satisfies p && q: what p needs, and what q needs.
//	L3  d satisfies p || q: what both need, or what one needs if the other is impossible.
//	L4  E[p U q]: d satisfies p || q, and q is satisfied by d or a later cut. E[q R p]: d
//	    satisfies p, and either a later cut does q && p, or the final cut p. So does A of the
//	    same, as there is a run from each cut. EX p: a later cut satisfies p.
//	L5  two events of different steps are tied if each cut from c on that satisfies p (p || q
//	    for U) and has one of them has the other. A run along which that holds cannot come
//	    from a cut without them to one with them, as no step adds both. So d has them if
//	    the run must come to a cut with them: if all that satisfy its goal have one of
//	    them, or it goes on for ever. (Algorithm A3 of Sen and Garg, OPODIS 2003.)
//	L6  AG p: d with any event e, and all that e needs, satisfies p, too. What every such cut
//	    from c on has beyond c and what e needs, d has. (Algorithm A2.)
//
// # No cut
//
// That no cut between two, low and high, satisfies n is so if by L1 to L6 none can. Else low
// may be the cut that these lead to, and
//
//	N1  each: n is a disjunction, and none satisfies any operand.
//	N2  split: none that has an event does, and none that does not have it.
//	N3  order: n says that two of some formulas hold, of one process each, and all intervals in
//	    which they hold can be listed so that each ends before the next begins: any cut in
//	    which the next has begun has its end. By way of those between, so each ends before all
//	    after it in the list begin.
//	N4  flow: n says that a sum is great. The sum at a cut is that at low and the weights of
//	    the events since. If v needs u, an amount that is taken from the weight of v and added
//	    to that of u makes no cut weigh less: one with v has u. After that, no cut weighs more
//	    than the positive weights together. (The duality of maximum flow and closure: Picard,
//	    1976.)
//
// The time complexity of a check is that of a pass over the trace for each rule, tie and
// case, and an evaluation for each change of an atom; where temporal operators are nested
// below region, some of each for every one above. The memory is linear in trace, formula
// and proof, beside what look remembers.
package certificate
