// Package native reads and writes computations in the native format: one JSON
// object a line, UTF-8.
//
// # Definitions
//
// A trace is the log of one execution: a file, standard input, or a directory
// with a file for each process, read one after the other in order of their
// names. Six kinds of line:
//
//	{"pota":1}                                                   header, optional, first in its file
//	{"process":"P1","init":{"x":1,"cs":false}}                   a process and the initial values of its variables
//	{"shared":{"turn":0}}                                        variables that several processes assign
//	{"process":"P1","id":"e1","set":{"x":2},"send":"m1"}         an event
//	{"edge":["f2","e1"]}                                         an edge of the graph: every cut with e1 has f2
//	{"process":"P1","closed":true}                               the process executes no more (for a Scanner)
//
// A line with "process" is a declaration if it has "init", the end of the process if it has
// "closed", and else an event, so {"process":"P1"} is an event. Events of one process are
// ordered as their lines are; happened-before is the transitive closure of that order, of
// "send" before "recv", of "after", "clock" and "edge", and of "sync" both ways. Lines may come
// in any order across processes: sends, named events and declarations may come later. Package
// admission has the rules that lines must keep beside each other.
//
// An event has a "time", or the earliest and the latest of a clock that knows its error; "clock_id" names the
// clock. Its "timer" starts timers, which end by events of their own: see package timer.
//
// Where the format leaves room, this package decides:
//
//   - "id":"" is not an id; the event has its default id, process:k.
//   - "to" is about the messages of the event that nobody receives; a receive tells its process
//     itself. A process that exists is named.
//   - A "clock" has an own entry. An entry for another process may be left out and
//     then says nothing; one that is given never falls.
//   - A header may say {"pota":1,"lower_bound":"why"}: the causality of the trace is
//     a lower bound of the real one (see graphs.Computation.LowerBound).
//   - A number with a fraction or exponent that is an integer within 53 bits is
//     that integer; an integer beyond 64 bits becomes the nearest float64.
//   - A message id is not empty. A lone surrogate in an escape is refused, and so
//     is a directory inside a directory. Files whose names begin with a dot are
//     skipped. A byte order mark at the start of a file is skipped.
//
// Nothing else is skipped: a mistake is a *trace.Error with its place. Lines and columns count
// from 1, columns in Unicode code points.
//
// # How a trace is read
//
// trace.ReadLines cuts the input at line ends into pieces. Goroutines scan them side by side
// into records, without any allocation for a line; one goroutine takes the records in the order
// of the file and feeds a graphs.Builder. Message and event ids are matched in open-addressing
// tables over one block of text. References that look forward wait in compact lists until all
// lines are read. The first error in the order of the file is reported, whoever found one
// first.
//
// The time complexity of Read is O(length of the input + |V| + |edges|).
package native
