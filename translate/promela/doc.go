// Package promela writes computations and formulas in Promela, the input language of
// the model checker SPIN: POTA's translator module (Sen and Garg, Partial Order Trace
// Analyzer for Distributed Programs, RV 2003, section 3).
//
// # The computation
//
// Each process becomes a proctype that counts its events. Causality is in the guards:
// if the k-th event of P has to happen after the j-th event of Q, it waits, with at_P
// == k-1, until at_Q >= j. A meta-event is one d_step of the process of its least
// event. It moves the counters of all its processes. Every step of the system is thus a
// step of the computation, but for some that only change where a process stands; a
// system state is a cut. Runs end in the final cut, where SPIN lets the last state
// repeat for ever. That changes no verdict: G, F, U, R and W say the same of a finite
// run and of the one with its last cut repeated. X does not, and is left out.
//
// # Why counters
//
// Sen and Garg follow Leue and Ladkin: channels, and a statement for each event. SPIN's
// partial-order reduction likes that, since sends and receives on channels with one
// sender and one receiver are safe; but the contents of the channels make the state
// vector large, a statement for each event makes gcc slow, and a long process is more
// than SPIN accepts. Plain counters read by other processes are small and quick to
// compile, but every access to a global variable stops the reduction. This package has
// both advantages, for a computation is free of conflicts: an enabled step stays
// enabled until it is taken, and any two enabled steps commute. Hence a single step is
// always a legal ample set as far as dependence goes. The counters at_P may be declared
// local, to tell SPIN so. What is left is visibility. The formula reads other counters,
// seen_P. They follow at_P only at visible events, where a proposition can change. Such
// a step accesses a variable that is not local, and SPIN interleaves it with all
// others. Because SPIN wants all statements at a place to be safe, a process goes to
// another place before it takes a visible step.
//
// States stored for reachability of a conjunction, the state vector in bytes, of three
// encodings on traces of two kinds:
//
//	                                     philosophers,     random messages,
//	                                     5×40 events,      10×100 events,
//	                                     2 processes seen  3 processes seen
//	plain counters                       87159 (60)        over 10 million
//	channels, a statement for an event      99 (148)          579 (868)
//	this package                           219 (60)          1039 (108)
//
// With 7 of the 10 processes seen, channels take 114 thousand states of 868 bytes, this
// package 295 thousand of 108.
//
// # The formula
//
// The formula becomes a never claim. SPIN's claims are existential: they match some
// run. So either the formula itself is written, and an error of pan means that it
// holds, or its negation, and an error means that it fails. Which formulas of CTL have
// an equivalent in LTL is hard to decide; the common fragment of the two is known, up
// to equivalence (Maidl, The common fragment of CTL and LTL, FOCS 2000). Its negations
// are the formulas
//
//	φ = p | φ || φ | p && φ | EF φ | E[p U φ] | E[p W φ] | E[φ R p] | EG p
//
// with p free of temporal operators, in negation normal form: E[φ R p] is E[p W (φ &&
// p)]. Such a formula means the same with the E inside dropped, because at most one
// operator is pending at a time: E[p U φ] is a run along which p holds up to a cut with
// φ, and φ asks for a run from there on. By the same argument EG(p && EG q) is EG(p &&
// q), and EG(p || EG q) is E[p W EG q]. The claim has one state for each temporal
// operator, and is as large as the formula.
//
// One more family is special to computations. All runs end in the same cut, so that any
// F-operator on top of a G-operator, or the other way round, speaks of the final cut
// alone: AG EF p, EG AF p, EF AG p and AF EG p all say that p, its temporal operators
// left out, holds there; as LTL, <>[] p.
//
// What has no equivalent may hold others inside that slices decide. A lean slice is a
// set of cuts in closed form: for each of its edges u→v, a cut with v has u. So AG(p ->
// EF q) becomes [](p -> in), in saying that the counters are within the slice for EF q.
// This is done only to the subformulas that need it. A slice for the negation of a
// subformula does as well. What is left is an *InexpressibleError.
package promela
