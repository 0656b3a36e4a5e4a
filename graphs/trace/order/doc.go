// Package order adds to a computation causality that its trace does not state: orders that
// people know, and orders of the wall clock, if clocks are trusted up to a bound.
//
// # Orders that people know
//
// An order file has a JSON object a line; blank lines and lines that begin with #
// are comments.
//
//	{"edge":["e1","f1","g1"]}                 e1 happened before f1, f1 before g1
//	{"by":"revision"}                         smaller values were assigned before greater ones
//	{"by":"revision","processes":["kv*"]}     by processes whose names match only
//
// Events are named by their ids in the trace, or as process:k for the k-th event of a process
// if that has no id of its own. An order by a variable is over all events that assign it, or a
// variable of that name on any process. Values are numbers, or strings compared byte by byte.
// Events with equal values stay as they are. In a pattern * matches any text and ? any
// character.
//
// Each event of a value is put before each of the next greater value. Of each process only the
// last event of the one value and the first of the other need edges; the order of the process
// has the rest. Of k assignments by n processes that makes at most k·n edges.
//
// # Clocks
//
// Let t(e) be the time of event e by the clock of its process. Clocks agree within a bound b if
// of any two events with times further apart than b, the one with the earlier time happened
// first. To assume so is to add the edge e→f for all e and f with t(f)-t(e) > b. Events without
// a time get no edges.
//
// The least bound D is the greatest t(e)-t(f) of all e that happened before f, or 0. The
// assumption contradicts the trace if and only if b < D. For if b < D there are e before f with
// t(e)-t(f) > b, and the edge f→e says the contrary. And if b ≥ D, each part of a cycle that
// the trace has takes the time back by D at most, each added edge takes it forward by more than
// b; since parts of the trace that follow each other are one part, there are no more of these
// than of added edges, so that the time at the end of the cycle would be later than at its
// beginning. Events that happen together count as happening before each other. General edges
// make a slice and are not counted: they choose cuts, and say nothing of the execution.
//
// # How few edges will do
//
// Let p be a process, and f an event of another. All edges from p to f follow from the one from
// the last event e of p with t(e) < t(f)-b; an event of p is last for some f only if its time
// is earlier than all later ones of p, no matter how the clock was set back. Likewise f needs
// an edge only if its time is later than all earlier ones of its process. The edge e→f follows,
// too, from e→g→f where g is the last event of another process and t(e) < t(g)-b; and from e→f'
// where f' is before f on its process and t(e) < t(f')-b. The rest is the least set of edges if
// the trace orders nothing between processes and no clock goes backwards.
//
// So events are passed in order of their times, and the processes kept in a list, the process
// of the event passed last in front. For each f the list is walked from the front up to the
// first event that is too early to matter. Every step but two of a walk adds an edge.
package order
