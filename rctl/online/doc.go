// Package online decides properties of an execution while it runs, from the stream of its
// events.
//
// # Definitions
//
// A verdict on a prefix of an execution is final if every execution that begins with the
// prefix has it. A value is open at a cut if the cut contains an event still to come that could
// assign it. An atom with an open value is neither true nor false. Package online finds a verdict
// to be final if it is the same for all values of the open atoms (Kleene's strong three-valued
// logic). If atoms depend on each other, a verdict may be final before it is found to be.
//
// A formula in negation normal form is split at && and || into parts:
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
//	processes; EF q may be AF q if q is                                                    (follows.go)
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
// where p and q have no temporal operators. If a part would need more than the window, EF is split
// at ||, AG at &&, A[p U q] into A[p W q] && AF q, E[p W q] into E[p U q] || EG p, and E[p R q]
// likewise, provided that the window is enough for all of the results. If all events are kept, an
// answer becomes unknown at the limit of the window.
//
// The open prefix has one more event of each process that has not closed; only earlier events of
// the same process must come before it. However an execution continues the prefix, at each of its
// cuts no more values are open than at some cut of the open prefix. So a part in negation normal
// form that holds on the open prefix with open literals false holds in all continuations. For
// example, AF of a conjunction of local predicates holds once there are intervals of the processes
// with every entry before any exit (Garg and Waldecker, Detection of Strong Unstable Predicates in
// Distributed Programs, IEEE TPDS 1996).
//
// Package stream defines the window, and explains why EF and AG need no more. A formula that counts
// messages is open while the receiver of some message is unknown.
//
// # Processes that join
//
// A quantifier or an aggregate is open while its domain may grow: by a new process, or by a process
// that gets a variable required by the domain or the body. A list is closed once its processes have
// these variables. The value of an open quantifier for processes to come is unknown at each cut: a
// forall holds at most where its current instances do, an exists at least where they do. So a
// formula in negation normal form has two bounds: the lower one has false in place of an unknown
// value, the upper one true.
//
//	formula                  lower bound             upper bound
//	forall i: f              false                   the current instances
//	exists i: f              the current instances   true
//	(count i: f) <= k        false                   likewise
//	(count i: f) >= k        likewise                true
//	(max i: x@i) <= k        false                   likewise, and so for a sum of terms >= 0
//	(min i: x@i) <= k        likewise                true
//
// The formula holds for good if its lower bound does, and fails for good if its upper bound does,
// whichever processes join: AG(forall i: f) fails at an event, EF(exists i: f) holds at an event,
// and the opposite verdicts cannot be final before the end.
//
// Proposition. Processes that join change no final verdict on a formula about the others.
//
// Proof. The cuts of the prefix remain cuts, with the initial values of the processes that join, and
// so do the runs between them; a verdict on a formula with EX or AX is final because of such a cut or
// run. For a cut to come, its restriction to the others is a cut of an execution of the others, with
// the same order of events. This restriction maps runs to runs, up to repeated cuts, and onto all
// runs; formulas without EX and AX do not distinguish a run from one with repeated cuts. ∎
//
// Instances without some variable are left out, which weakens the bound. If the variable never
// comes, the formula does not fit the execution; only executions that it fits count for finality. A
// process that joins is concurrent with everything that has happened, so all events are kept that
// change the values in an open formula. Like open atoms, bounds ignore dependencies:
// EF(exists i: f) || AG(forall i: !f) is open at first.
//
// # Data
//
// A formula forall r in values(f): p, or with exists, is decided by binding if each condition of p
// names r: an event touches the binding of the value that it assigns. The events that touch a binding form
// a small execution, with the happened-before relation of the whole. Its verdict is final if the body, or
// its negation, holds on the open prefix with literals that are sure: once(c) stays true, and events(c)
// only grows. Only a hash is kept of a binding with a final verdict. In forall e in events(c): p each
// condition names a value that e assigns, as in req == e.req: events that assign the same value share a
// binding and its verdict. Conditions without r make columns, which are variables.
//
// A formula that has only quantifiers over data and comparisons, such as e before d, is also decided by
// binding. All events before an event have been admitted when it is, so exists r in events(c): r before e
// is final then (pairs.go). Any other formula about data is decided at the end, on all events.
//
// # Bounds on time
//
// AG(p -> AF[<= d] q), alone or for each request, fails once all processes that have not closed have shown a
// time after the deadline of an event that made p true, and q was not true by then (deadline.go). "p lasts <= d",
// with p a predicate of one process, fails at the event of the process that shows it; EF[>= d] p holds at such an
// event. If the formula is inside forall i: or exists i: and all of it is about i, each process in the domain has
// its own deadlines. Other formulas with bounds on time are decided at the end.
//
// # How
//
// Decide decides the events that have arrived since the last call. If a property has become final,
// bisection over the moments in between finds the first one at which it was; this works because
// final verdicts remain final. If Decide is called whenever the window has tripled (Due), its
// amortized time for an event is that of the engines of package rctl.
package online
