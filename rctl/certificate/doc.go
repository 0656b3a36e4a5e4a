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
// A proof says by which rule a formula holds at a cut c. That a formula fails is proved
// of its negation. Its negation normal form has the operators of Node.
//
//  1. value: there is no temporal operator, and the values at c make it true.
//  2. all: p && q holds if both do. one: p || q holds if one does.
//  3. cut: EF q holds at c if q does at a cut that includes c: some run leads there, as
//     events can be added one step after the other.
//  4. run: EX q, E[p U q] and E[q R p] hold if the steps of a run can be taken, and what the
//     definition asks of its cuts is so. For p along it: values are looked at. What holds
//     at all of its operands holds for &&, at one and the same for ||. AG p holds at all
//     if it does at the first. E[r U s] and E[s R r] hold at all if at the last, and r
//     or s, or r, at all: each cut is one step from one at which it holds.
//  5. region: p holds at c if each cut from c on at which !p holds has more than c, or there
//     is none at all (rules L1 to L6).
//  6. look: the checker goes through the cuts itself, from c on, and evaluates formulas as
//     they are defined. Where neither EX nor AX occurs, it goes by visible events, those that
//     can change an atom, each with all that it needs: two cuts with the same visible events
//     satisfy the same formulas, as the invisible ones can be added without a change
//     (stuttering). It gives up after a million looks.
//
// # Least cuts
//
// The rules for region add events to a cut c which every cut d from c on has that
// satisfies n.
//
//	L1  an atom of one chain that is false becomes true only by a later event of the chain.
//	    So does one of two chains if events of the other can only make it false: x@P <= y@Q
//	    where both never decrease, and bounds on the messages of a channel.
//	L2  d satisfies p && q: what p needs, and what q needs.
//	L3  d satisfies p || q: what both of them need; what one needs if the other is impossible.
//	L4  E[p U q], A[p U q]: d satisfies p || q, and a later cut q. E[q R p], A[q R p]: d
//	    satisfies p, and either a later cut q && p, or the final cut p. (There is a run from
//	    each cut; what holds of all runs holds of one.) What is said of cuts beyond high is
//	    said of those up to the final one.
//	L5  two events of different steps are tied if each cut from c on at which p (p || q for
//	    U) holds and that has one of them has the other. No run along which it holds comes
//	    from a cut without to one with them. So d has them, where a later cut must: one that
//	    satisfies the goal, or the final one if the run goes on for ever. (This is how
//	    algorithm A3 of Sen and Garg, OPODIS 2003, rules out EG.)
//	L6  AG p: for any event e, d with e and all that it needs satisfies p, too. What this has
//	    beyond c and what e needs, d has. (Algorithm A2.)
//
// The time complexity of a check is that of one pass over the trace for each rule and tie,
// and an evaluation for each change of an atom; the memory is linear in trace, formula and
// proof beside what look remembers.
package certificate
