// Package order adds causality that people know to a computation whose trace does not state it.
// Package clocks adds the order of clocks.
//
// # Orders that people know
//
// An order file has one JSON object per line; blank lines and lines that begin with # are comments.
//
//	{"edge":["e1","f1","g1"]}                 e1 happened before f1, f1 before g1
//	{"by":"revision"}                         smaller values were assigned before greater ones
//	{"by":"revision","processes":["kv*"]}     the same, only for processes with matching names
//
// Events are named by their ids in the trace, or as process:k for the k-th event of a process if
// that event has no explicit id. An order by a variable concerns all events that assign a variable
// of that name, shared or of any process. Values are numbers, or strings compared byte by byte.
// Events with equal values are not ordered. In a pattern * matches any text and ? any character.
//
// Each event of a value is ordered before each event of the next greater value. Of each process
// only the last event of the one value and the first of the other need edges; process order implies
// the others. For k assignments by n processes, at most k·n edges are added.
package order
