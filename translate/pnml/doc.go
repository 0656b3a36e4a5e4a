// Package pnml writes a computation as an occurrence net in the Petri Net Markup
// Language, and a formula as a property in the XML format of the Model Checking
// Contest, for TAPAAL's verifypn, ITS-Tools, LTSmin and others.
//
// # The net
//
// Each meta-event that can happen between the initial and the final cut is a
// transition. The places are its conditions:
//
//	p1_P_k  process P has executed k events; one of these places has the process's token
//	eN      an event has happened and another, which has to come later, has not
//	s1_x_k  the shared variable x has been assigned k times; only if the formula asks
//	m1_N    message N is in transit; only if the formula asks
//	w1_N    message N is not in transit; only if the formula asks
//
// The transition of a meta-event moves the tokens of its processes, takes those of
// the causal edges that lead to it from other meta-events, and puts one on each edge
// that leads on. At the initial cut each process has a token for its state there,
// and no edge has one: what an event of the initial cut had to precede may happen.
// Events beyond the final cut have no transition. Each transition fires once at most
// and no place ever gets a second token, so the net is 1-safe; its markings are the
// consistent cuts, and a firing is a step. The places s, m and w only watch: wherever
// a transition is enabled by its p and e, they have the tokens that it takes, because
// assignments of a shared variable are totally ordered, and a message is received
// after it is sent.
//
// # The end
//
// At the final cut nothing is enabled. The paths of the Model Checking Contest, and of
// verifypn, are maximal: infinite, or finite with a last marking where the net is
// dead. There EX f is false and AX f is true, and EF, AF, EG, AG f are f. That is what
// our runs are, so the operators are taken as they are, and
//
//	E[f R g] = !A[!f U !g]      E[f W g] = E[f U g] || EG f
//	A[f R g] = !E[!f U !g]      A[f W g] = !E[!g U !f && !g]
//
// # Atoms
//
// What one chain decides is a bound on the tokens in those of its places where it
// holds. Other atoms are Boolean combinations of such bounds, along the paths of their
// decision diagrams (package diagram), or one bound on a sum of tokens if they are linear
// over integers: transit(P,Q) <= 2 bounds the tokens in places m, and (count i: cs@i)
// <= 1 those of all processes where cs is true. To count a token several times, since
// a property may not name a place twice, the place is given copies p2, p3, …, with the
// same transitions. The smaller of both forms is written; the error is an *Error where
// both are too large.
package pnml
