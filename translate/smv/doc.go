// Package smv writes a computation and a formula as a model for NuSMV and nuXmv. These
// decide all of CTL with decision diagrams.
//
// # The model
//
// Each process that moves is a counter n_…, an unsigned word, of its events that have
// happened. Its name is made of the process's name (package ident). Each causal edge
// e→f is an INVAR,
//
//	n_Q >= position of f  ->  n_P >= position of e
//
// so the states that the invariants allow are the consistent cuts between the initial
// and the final one, all of them reachable. TRANS executes one meta-event. To raise one
// counter by one is a step whenever the result is a cut, because then the event is a
// meta-event by itself; the invariant of the next state sees to that. Each meta-event
// of several events has a disjunct of its own: it takes the counters of its processes
// from before its first events to its last ones.
//
// Of the encodings tried, NuSMV is fastest with this one: counters as words rather than
// ranges, causality as invariants rather than guards, atoms as DEFINEs over the
// counters, and the variables ordered process by process, the most significant bit
// first. WriteOrder writes that order to a separate file.
//
// # The end
//
// NuSMV requires a next state of every state. So the final cut, and no other, is its own
// next state. A run ends there; its path stays there for ever. The path goes through
// the same cuts as the run, so F, G and U say the same of both: the until is fulfilled
// at a cut of the run or never, and always is at all cuts of the run. Since E[f R g] =
// !A[!f U !g], and so on, the release and the weak until are right as well. Only EX and
// AX notice the difference, EX f at the final cut being false and AX f true; they are
// written as
//
//	EX f = !final & EX f        AX f = final | AX f
//
// which means the same elsewhere. NuSMV has U, but neither R nor W:
//
//	E[f R g] = !A[!f U !g]      E[f W g] = E[f U g] | EG f
//	A[f R g] = !E[!f U !g]      A[f W g] = !E[!g U !f & !g]
//
// # Atoms
//
// What one chain decides becomes intervals of its counter. Any other atom is written as
// its decision diagram (package diagram), a DEFINE for each node, if that is small, and
// otherwise, if the atom is linear, as a sum of words that a case distinction over each
// counter chooses. So x@P + y@Q <= 5, transit(P,Q) <= 2, and (count i: cs@i) <= 1 are
// all expressible. Numbers that are not integers, products of variables of several
// chains, and comparisons of strings are left to the diagrams; the error is an *Error
// where one is too large.
package smv
