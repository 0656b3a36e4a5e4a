// Package online decides properties of an execution while it runs, on the stream of its
// events.
//
// # Definitions
//
// A verdict on a prefix of an execution is final if every execution that begins with the
// prefix has it. A value is open at a cut if an event in the cut that is still to come could
// assign it. An atom with an open value is neither true nor false. Final is what holds, or
// fails, whatever the open atoms are (Kleene's strong three-valued logic), so that a verdict
// may be final before that is known where atoms depend on each other.
//
// A formula is taken apart at && and || into parts, in negation normal form:
//
//	part                                       final                                    kept of the stream
//	no temporal operator                       at once                                  nothing
//	EF p, AF of a disjunction of predicates    holds, when a cut of the prefix has p    the window
//	of single chains
//	AG p, EG of a conjunction of such          fails, when a cut of the prefix has !p   the window
//	AG EF p, EF AG p and the like: p at the    when no process can change p             the window
//	final cut
//	AG(p -> AF q), AG(p -> EF q), p of one     when no process can change p, or q         the window, and the
//	process, q a disjunction of predicates                                                obligations
//	of single chains
//	AG(p -> EF q), p and q disjunctions of     when it is the same whatever processes      the window, and a cut
//	conjunctions of predicates of single       that have not closed do                     for each of these
//	processes; EF q may be AF q where q is                                                 (follows.go)
//	a disjunction of such predicates
//	AF of a conjunction of predicates of       when intervals overlap, or cannot        the window, and the
//	single processes, EG of a disjunction                                               intervals (overlap.go)
//	E[p U q], p a conjunction of predicates    holds, when it holds on the prefix, or   the window, and a cut
//	of single chains and bounds of channels    when no cut still to come is reached     (passage.go)
//	A[p R q], A[q W p], !p such a              fails, likewise                          likewise
//	conjunction
//	EG p, AF !p, p such a conjunction          when it holds, or its negation does, on  likewise
//	                                           the open prefix
//	EF(p && EF(q && … EF r)), p and q        holds, when it holds on the prefix, or       the window (passage.go)
//	conjunctions of predicates of single     when no cut still to come is reached
//	chains
//	AG(p -> AG(q -> … AG r)), likewise        fails, likewise                          the window
//	EF(p && EG a), EF(p && E[a U b]), p a    when it holds, or its negation does, on      the window, and cuts
//	conjunction, a a disjunction of           the open prefix; E[U] as below              that are reached
//	predicates of single processes; and                                                 (reached.go)
//	their negations: AG(p -> AF q), q a
//	conjunction, AG(p -> A[r R q])
//	EX, EF, E[U], &&, || of any nesting        holds, when it holds on the prefix       all
//	AX, AG, A[R], A[W], &&, || of any          fails, when it fails on the prefix       all
//	any other without EX and AX                when it holds, or its negation does, on  all
//	                                           the open prefix, open atoms being false
//
// where p and q are without temporal operators. Where it takes more than a window, EF is taken
// apart at ||, AG at &&, A[p U q] into A[p W q] && AF q, E[p W q] into E[p U q] || EG p, and
// E[p R q] likewise, if the window is enough for all of these. Where all is kept, the limit of
// the window makes an answer unknown. The open prefix has one event more of each process that
// has not closed. Only earlier events of the process have to come before it. However an
// execution continues the prefix, at each of its cuts no more values are open than at some cut
// of the open prefix. With all atoms read positively a part that holds there with open atoms
// false holds in all of them. So AF of a conjunction of local predicates holds once there are
// intervals of the processes with every entry before any exit (Garg and Waldecker, Detection
// of Strong Unstable Predicates in Distributed Programs, IEEE TPDS 1996).
//
// What the window is, and why EF and AG need no more, says package stream. A formula that counts
// messages is open while the receiver of some message is unknown.
//
// # Processes that join
//
// A quantifier, or an aggregate, is open while its domain may grow: by a process that is new, or
// gets a variable that the domain or the body asks for. A list is closed once its processes have
// these. What an open quantifier says of processes to come is unknown at each cut: a forall says
// no more than its instances by now allow, an exists no less than they give. So a formula has two
// bounds, made in negation normal form: the lower one has false in place of an unknown value, the
// upper one true.
//
//	formula                  lower bound             upper bound
//	forall i: f              false                   the instances by now
//	exists i: f              the instances by now    true
//	(count i: f) <= k        false                   likewise
//	(count i: f) >= k        likewise                true
//	(max i: x@i) <= k        false                   likewise, and so for a sum of terms >= 0
//	(min i: x@i) <= k        likewise                true
//
// The formula holds for good if its lower bound does, and fails for good if its upper bound does,
// whoever joins: AG(forall i: f) fails at its event, EF(exists i: f) holds at its event, and
// neither can be the other way before the end.
//
// Proposition. Processes that join change no final verdict on a formula about the others.
//
// Proof. The cuts of the prefix remain cuts, with the initial values of who joins, and so do the
// runs between them: what EX and AX make final is such a cut or run. The others' part of a cut
// to come is a cut of an execution of theirs, with the order that the events have now. This maps runs
// to runs, up to cuts that repeat, and every run is reached; formulas without EX and AX do not tell a
// run from one with repeated cuts. ∎
//
// Instances without some variable are left out, and the bound is weaker for that. If the variable never
// comes, the formula does not fit the execution; only executions that it fits count for finality. All
// events are kept that change what an open formula speaks of, since a process that joins is
// concurrent with all that happened. Bounds, like open atoms, do not tell what depends on each
// other: EF(exists i: f) || AG(forall i: !f) is open at first.
//
// # Data
//
// A formula forall r in values(f): p, or with exists, is decided by binding where each condition of p
// names r: an event touches the binding of the value that it assigns. What a binding has seen is a small
// execution, with the happened-before of the whole. Its verdict is final if the body, or its negation,
// holds on the open prefix with literals that are sure: once(c) stays true, and events(c) only grows.
// A binding with a final verdict is forgotten but for a hash. In forall e in events(c): p each condition names what e
// assigns, as in req == e.req: events that assign the same share a binding, and its verdict. Conditions without r make columns, which
// are variables.
//
// A formula of quantifiers over data and comparisons alone, such as e before d, is decided by binding, too. What happened
// before an event is there when the event is admitted, so that exists r in events(c): r before e is final then (pairs.go).
// Any other formula about data is decided at the end, on all events.
//
// # Bounds on time
//
// AG(p -> AF[<= d] q), alone or for each request, fails once all processes that have not closed have shown a
// time after the deadline of an event that made p true, and q was not true by then (deadline.go). That p lasts
// <= d, p a predicate of one process, fails with the event of it that shows so; EF[>= d] p holds with that. With
// forall i: or exists i: around, all of it about i, each process has deadlines of its own, of a list or a glob if there is
// one. Other formulas with bounds on time are decided at the end.
//
// # How
//
// Decide decides what has arrived since it was last called; properties that have become final
// are decided again by bisection, at the moments between, as verdicts once final remain so:
// the answer names the first. If it is called whenever the window has tripled (Due), its
// amortized time for an event is the time of the engines of package rctl.
package online
