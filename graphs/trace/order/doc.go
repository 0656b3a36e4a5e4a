// Package order adds to a computation causality that its trace does not state: orders that
// people know. Package clocks adds those of clocks.
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
package order
