// Package pnml writes a computation as an occurrence net in the Petri Net Markup
// Language, and a formula as a property in the XML format of the Model Checking
// Contest, for TAPAAL's verifypn, ITS-Tools, LTSmin and others.
//
// # The net
//
// Each meta-event that can happen between the initial and the final cut is a
// transition. The places are its conditions:
//
//	p_P_k  process P has executed k events; one of these places has the process's token
//	eN     an event has happened and another, which has to come later, has not
//	s_x_k  the shared variable x has been assigned k times; only if the formula asks
//	vN     what a process or a shared variable decides is true; only if the formula asks
//	m1_N   message N is in transit; only if the formula asks
//	w1_N   message N is not in transit; only if the formula asks
//
// The transition of a meta-event moves the tokens of its processes, takes those of
// the causal edges that lead to it from other meta-events, and puts one on each edge
// that leads on. At the initial cut each process has a token for its state there,
// and no edge has one: what an event of the initial cut had to precede may happen.
// Events beyond the final cut have no transition. Each transition fires once at most
// and no place ever gets a second token, so the net is 1-safe; its markings are the
// consistent cuts, and a firing is a step. The places s, v, m and w only watch: wherever
// a transition is enabled by its p and e, they have the tokens that it takes, because
// assignments of a shared variable are totally ordered, what is true has become so
// before it becomes false, and a message is received after it is sent.
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
// What one chain decides is a token in a place v, or in the one place of the chain where
// it is true or false. A property names few places so, and tools may join the transitions
// that change none of them. Other atoms are Boolean combinations of such tokens, along
// the paths of their decision diagrams (package diagram), or one bound on a number of
// tokens if they are linear over integers: transit(P,Q) <= 2 bounds the tokens in places
// m, and x@P + x@Q <= 5 those in places v that say that x@P >= 1, x@P >= 2, … To count a
// message several times, since a property may not name a place twice, its place is given
// copies m2, m3, …, with the same transitions. The smaller of both forms is written; the
// error is an *Error where both are too large.
package pnml
