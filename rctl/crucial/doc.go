// Package crucial decides formulas of CTL on all executions of a program, by exploring
// only its crucial events (Kashyap and Garg, Producing Short Counterexamples Using
// "Crucial Events", CAV 2008).
//
// # Definitions
//
// A program, its states, transitions and actions are those of package program. A formula is
// decided in the initial state, over the runs of the program, finite or infinite. A run that
// ends in a deadlock is one, too: EG p holds there if p does. States are skipped while a
// process holds the program; formulas are not evaluated there.
//
//	E[p U q]    some run has a state with q, and p in every state before it
//	E[q R p]    some run has p up to and including the first state with q, or for ever
//
// The other operators are written with these, EX and !: a formula about all runs is the
// negation of one about some run.
//
// # Which transitions are explored
//
// A set of processes is closed in a state if, for each action that one of them has at
// its location,
//
//	(C1) for an enabled action: the set has every process that may conflict with it now
//	     or later, or may meet it
//	(C2) for a disabled action: the set has every process that may enable it now or later
//	(C3) for an enabled action that may change a conjunct of p: the set has every process
//	     that may change that conjunct now or later, and q has that conjunct, too
//
// The transitions of a closed set can be moved to the front: if a run executes t₁ … tₙ t,
// and t is the first of a process of the set, then t is enabled at once, and t t₁ … tₙ leads
// to the same state (C1 and C2; stubborn sets, Valmari 1991; C1 of the paper is this for the
// ample sets of SPIN). By (C3) p is kept on the way: either t does not change a conjunct, or
// none of t₁ … tₙ does, and its value after t is that after t₁ … tₙ t. At the end of the run p
// need not hold, except for the parts of q.
//
// Processes are crucial for a false formula if one of them has to move before it becomes true:
// for an atom all that may change it, for a conjunction those of any false conjunct, for a
// disjunction those of all disjuncts. If E[p U q] or E[q R p] is false while p holds, p has to
// become false first, so the crucial processes are those for !p. The paper has this rule for a
// !p closed under meets, but does not need that.
//
// E[p U q] explores a closed set with a crucial set for q in it. A shortest run to q executes
// a transition of that set, and the transition may come first, so one explored state is nearer
// to q by one step. Hence no cycle can put off the crucial transitions, and a search breadth
// first finds a shortest trail. A closed set without transitions says that q is not reached at
// all. E[q R p] needs in addition that one of the transitions leads to a state with p: if p
// holds for ever on a run without any of the set, it still does after that transition.
//
// All this requires a p without temporal operators. A p with temporal operators is closed
// under meets in each trace by the paper's theorem 3, but runs that show it may belong to
// different traces of the program. All transitions are explored for such a p, for EX, and
// if a temporal formula that holds has to become false.
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
// The time complexity of Check is O(|f| · transitions), plus O(processes² · actions at a
// location) for each state to choose transitions.
package crucial
