// Package clocks infers true time from the clocks of a trace, under an assumption on how well the
// clocks agree: when an event can have happened at the earliest and at the latest, how much time
// can lie between two events, and which events the clocks order.
//
// # Definitions
//
// The reading of an event is the time that the clock of its process gave it: t(e), or an interval
// from a(e) to b(e) if the clock knows its error. An assignment gives each event a true time x(e),
// a real number, such that x(e) ≤ x(f) if e happened before f. Events that happen together have the
// same time. A model is the set of assignments that an assumption allows:
//
//	interval   a(e) ≤ x(e) ≤ b(e) for each event with a reading. A bound ε on the skew of clocks
//	           is this model with a(e) = t(e) and b(e) = t(e)+ε; for an interval it adds ε to b(e).
//	offset     x(e) = t(e)+o(p) for each event e with a reading of clock p, where the offset o(p) is
//	           unknown but constant, and no two offsets differ by more than a bound, if one is given
//
// A model without an assignment contradicts the trace. The largest difference of f after e is the
// supremum of x(f)-x(e) over all assignments of a model. Clocks order e before f if x(e) < x(f) in
// all assignments, that is, if the largest difference of e after f is negative. Only the trace
// orders events without a reading. General edges are ignored: they make a slice by excluding cuts,
// and say nothing about the execution.
//
// # Intervals
//
// Let lb(e) be the largest a of e and all events that happened before it, and ub(e) the least b of
// e and all events that happened after it. An assignment exists if and only if lb ≤ ub everywhere:
// lb itself is one, and so is ub. The largest difference of f after e is ub(f)-lb(e), but at most 0
// if f happened before e: assign lb to the past of e, and ub to all other events; an event of the
// past that happened before one outside has lb ≤ ub. If f is in the past of e, then x(f) ≤ x(e),
// and the two can be equal if ub(f) ≥ lb(e).
//
// Clocks order e before f if b(e') < a(f') for some e' that equals or follows e and some f' that
// equals or precedes f. So it suffices to add the edge e→f for each pair with b(e) < a(f). The
// least ε that does not contradict the trace is the greatest a(e)-b(f) over all e that happened
// before f, or 0.
//
// # Few edges
//
// Let p be a process, and f an event of another process. All edges from p to f follow from that of
// the last event e of p with b(e) < a(f). An event of p is the last for some f only if its b is
// less than that of every later event of p, even if the clock was set back. Likewise f needs an
// edge only if its a is greater than that of every earlier event of its process. The edge e→f also
// follows from e→g→f if g is the last such event of a third process and b(e) < a(g), and from e→f'
// if f' precedes f on its process and b(e) < a(f'). The remaining edges are the least sufficient
// set if the trace orders nothing between processes, all intervals have the same width and no clock
// goes backwards.
//
// So the algorithm passes events in the order of b, and keeps the processes in a list, with the
// process of the event passed last in front. For each f it walks the list from the front up to the
// first event that is too early to matter. All but two steps of a walk add an edge.
//
// # Offsets
//
// Each e of clock p that happened before f of clock q bounds o(p)-o(q) ≤ t(f)-t(e). The largest
// difference of two offsets, D(p,q), is the length of a shortest path among the clocks, with an
// edge for the least of these bounds, and one of the length of the given bound between any two
// clocks. An assignment exists if and only if no cycle is negative. The largest difference of f, of
// clock q, after e, of clock p, is t(f)-t(e)+D(q,p), and clocks order e before f if t(f)-t(e) >
// D(p,q).
//
// # Stretches
//
// A predicate is true in stretches, each from an event that makes it true, or ⊥, until one that
// makes it false, or ⊤. The trace begins with its first event and ends with its last, so x(⊥) is
// the least x, and x(⊤) the greatest. Whether a stretch can last a given time, or can take that
// long to begin, is a conjunction of bounds on differences. In both models the bounds can hold
// together if each can hold alone:
//
// An event a can wait more than d for q if some false stretch from c' to c has x(c') ≤ x(a) and
// x(c)-x(a) > d, and a did not happen before c'. So the largest difference of a after c' is at
// least 0, and those of c after a, and of c after c', exceed d. In the offset model a negative
// cycle has one of the two new edges, or both, hence the third condition. In the interval model,
// x(a) = max(lb(a), lb(c')) and x(c) = ub(c) are then possible.
//
// Events at the same time can have any order that the trace allows, and a response must come in all
// of these orders. So a true stretch of q from c' to c ends a's wait only if a happened before c or
// x(a) < x(c); times are whole nanoseconds. The least wait of a is the least x(c')-x(a) in such an
// assignment, or 0.
//
// Stretches of k predicates can overlap for a time d if for all i and j the largest difference of
// the end of stretch i after the beginning of stretch j is at least d. In the interval model all
// beginnings can be at lb and all ends at ub. In the offset model a cycle of new edges has weights
// of at least d for each of them, and -d for each edge, so it is not negative. All stretches share
// one end of the trace, so each event that may be the last is tried.
//
// Example: clocks agree within 1 s, and a is at 10 s. Another process makes q false at 9 s and true
// at 14 s. Then a waits for q at least 3 s, and at most 5 s: from 10 s to 15 s.
//
// An assignment of the offset model moves all events of a clock together, so not every order of
// events that is compatible with the ordered pairs has an assignment: verdicts on cuts are exact,
// but a verdict on runs may rest on a run that no offsets explain.
package clocks
