// Package clocks says what the clocks of a trace tell about true time: when an event can have
// happened at the earliest and at the latest, how much time can lie between two events, and which
// events they order, under an assumption on how well the clocks agree.
//
// # Definitions
//
// The reading of an event is the time that the clock of its process gave it: t(e), or an interval
// from a(e) to b(e) of a clock that knows its error. An assignment gives each event a true time x(e),
// a real number, such that x(e) ≤ x(f) if e happened before f. Events that happen together have
// one time. A model is a set of assignments, those that an assumption allows:
//
//	interval   a(e) ≤ x(e) ≤ b(e) for each event with a reading. A bound ε on the skew of clocks
//	           is this model with a(e) = t(e) and b(e) = t(e)+ε, and of an interval it widens b(e).
//	offset     x(e) = t(e)+o(p) for each event e with a reading of clock p, where the offset o(p) is
//	           unknown but constant, and no two offsets differ by more than a bound, if one is given
//
// A model without an assignment contradicts the trace. What holds in all assignments of a model is
// sure; the largest difference of f after e is the supremum of x(f)-x(e). Clocks order e before f if
// x(e) < x(f) in all assignments, so where the largest difference of e after f is negative.
// Events without a reading are ordered by the trace only. General edges make a slice: they choose cuts,
// and say nothing of the execution, so they are left out here.
//
// # Intervals
//
// Let lb(e) be the largest a of an event that is e or happened before it, and ub(e) the least b of one
// that is e or happened after it. There is an assignment if and only if lb ≤ ub everywhere: lb itself
// is one, and so is ub. The largest difference of f after e is ub(f)-lb(e), but at most 0 where f
// happened before e: give the past of e the times lb, and all else the times ub; an event of the past
// that happened before one outside has lb ≤ ub. Where f is in the past of e, x(f) ≤ x(e), and
// the two can be equal where ub(f) ≥ lb(e).
//
// Clocks order e before f if b(e') < a(f') for some e' that is e or after it and f' that is f or before
// it. To add the edge e→f for each pair with b(e) < a(f) is enough. The least ε that does not contradict
// the trace is the greatest a(e)-b(f) of all e that happened before f, or 0.
//
// # Few edges
//
// Let p be a process, and f an event of another. All edges from p to f follow from the one from
// the last event e of p with b(e) < a(f); an event of p is last for some f only if its b is less than
// those of all later ones of p, no matter how the clock was set back. Likewise f needs an edge only if
// its a is greater than those of all earlier ones of its process. The edge e→f follows, too, from
// e→g→f where g is the last event of another process and b(e) < a(g); and from e→f' where f' is before f
// on its process and b(e) < a(f'). The rest is the least set of edges if the trace orders nothing
// between processes, all intervals are as wide and no clock goes backwards.
//
// So events are passed in the order of b, and the processes kept in a list, the process of the event
// passed last in front. For each f the list is walked from the front up to the first event that is too
// early to matter. Every step but two of a walk adds an edge.
//
// # Offsets
//
// Each e of clock p that happened before f of clock q bounds o(p)-o(q) ≤ t(f)-t(e). The largest
// difference of two offsets, D(p,q), is the length of a shortest path among the clocks, with an edge for
// the least of these bounds, and one of the length of the given bound between any two clocks. There
// is an assignment if and only if no cycle is negative. The largest difference of f after e is
// t(f)-t(e)+D(q,p), where f is of clock q, and clocks order e before f if t(f)-t(e) > D(p,q).
//
// # Stretches
//
// A predicate is true in stretches, each from an event that makes it true, or ⊥, until one that
// makes it false, or ⊤. The trace begins with its first event and ends with its last, so x(⊥) is
// the least x, and x(⊤) the greatest. How long stretches can last, and how long it can take until
// one comes, are conjunctions of bounds on differences. In both models these are possible together
// if each is possible alone:
//
// An event a can wait more than d for q if some false stretch from c' to c has x(c') ≤ x(a) and
// x(c)-x(a) > d, and a did not happen before c'. So the largest difference of a after c' is at
// least 0, and those of c after a, and of c after c', exceed d. In the offset model a negative
// cycle has one of the two new edges, or both, which gives the third condition. In the interval
// model, x(a) = max(lb(a), lb(c')) and x(c) = ub(c) are possible then.
//
// Events at one time have any order that the trace allows, and a response must come in all of them. So
// a sees a true stretch of q from c' to c only if a happened before c or x(a) < x(c), where times are
// whole nanoseconds. The least wait of a is the least x(c')-x(a) in such an assignment, or 0.
//
// Stretches of k predicates can have a time of d in common if for all i and j the largest
// difference of the end of one after the begin of another is at least d. In the interval model all
// begins can be at lb and all ends at ub. In the offset model a negative cycle of new edges would
// have weights of at least d for each of them, and -d for each edge.
// The end of the trace is one event for all of them, so each event that may be the last is tried.
//
// Example: clocks agree within 1 s, and a is at 10 s. Another process makes q false at 9 s and true
// at 14 s. Then a waits for q at least 3 s, and at most 5 s: from 10 s to 15 s.
//
// An assignment of the offset model is one for all events of a clock at once, so not each order of events
// that these pairs leave open has one: verdicts for all cuts are exact, and those for a run may be
// of a run that no offsets explain.
package clocks
