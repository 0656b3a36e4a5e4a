// Package crucial decides formulas of CTL on all executions of a program, by exploring
// only its crucial events (Kashyap and Garg, Producing Short Counterexamples Using
// "Crucial Events", CAV 2008).
//
// # Definitions
//
// A program, its states, transitions and actions are those of package program. A
// formula is decided in the initial state, over the runs of the program, which may be
// infinite. A run that ends in a deadlock is one, too: EG p holds there if p does.
// States in which a process holds the program are passed through; formulas are not
// evaluated there.
//
//	E[p U q]    some run has a state with q, and p in every state before it
//	E[q R p]    some run has p up to and including the first state with q, or for ever
//
// The other operators are written with these, EX and !: what is said of all runs is
// denied of some run.
//
// # Which transitions are explored
//
// A set of processes is closed in a state if, for each action that one of them has at
// its location,
//
//	(C1) of an enabled action: who may now or later do what conflicts with it is in the
//	     set, and who may meet it
//	(C2) of a disabled one: who may now or later do what can enable it is in the set
//	(C3) of an enabled action that may change a conjunct of p: who may change that
//	     conjunct now or later is in the set, and it is one of q, too
//
// The transitions of a closed set can be moved to the front: where a run executes t₁ … tₙ
// t, and t is the first of a process of the set, then t is enabled at once, and t t₁ … tₙ
// leads to the same state (C1 and C2; stubborn sets, Valmari 1991; C1 of the paper is
// this for the ample sets of SPIN). By (C3) p is kept on the way: either t does not change a
// conjunct, or none of t₁ … tₙ does, and after t it is as it was after t₁ … tₙ t. Where that
// is the end of the run, p need not hold there, unless it is a part of q.
//
// Processes are crucial for a formula that does not hold if one of them has to move before
// it does: for an atom those that may change it, for a conjunction those of any conjunct
// that is false, for a disjunction those of all disjuncts. E[p U q] and E[q R p] that are
// false where p holds become true only after p was false, so that what is crucial for !p
// is for them; the paper has this rule where !p is closed under meets, which it does not
// need.
//
// E[p U q] explores a closed set that contains a set that is crucial for q: a shortest run
// to q executes one of its transitions, which may come first, so that one of the states
// that are explored is nearer to q by one step. Hence no cycle can put off what is crucial,
// and breadth first the trail is a shortest one. A closed set without transitions says
// that q is not reached at all. E[q R p] wants in addition that one of the transitions
// leads to a state with p: a run on which p holds for ever, and which executes none of the
// set, remains one after that transition.
//
// All this takes p without temporal operators. A p with some is closed under meets in
// each trace by the paper's theorem 3, but runs that show it may belong to different traces
// of the program; there all transitions are explored, and so they are for EX and where a
// formula that holds should cease to.
//
// # Searches
//
// An until that is not within another operator is decided breadth first. Others are decided
// depth first, and the search decides them in all the states it visits. The pseudo-code of
// the paper has two defects here. It takes E[p U q] to be false in a state that is left
// (line 34), although a successor that is on the path may still turn out to satisfy it:
// here that is decided when the strongly connected component is left (Tarjan 1972). And it
// takes EG p to be false in a deadlock.
//
// The time complexity of Check is O(|f| · transitions) beside the choice of transitions,
// which is O(processes² · actions at a location) for each state.
package crucial
