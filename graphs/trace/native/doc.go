// Package native reads and writes computations in the native format: one JSON object per line, in
// UTF-8.
//
// # Definitions
//
// A trace is the log of one execution: a file, standard input, or a directory with a file for each
// process, read one after the other in order of their names. It has six kinds of lines:
//
//	{"pota":1}                                                   header, optional, first in its file
//	{"process":"P1","init":{"x":1,"cs":false}}                   a process and the initial values of its variables
//	{"shared":{"turn":0}}                                        variables that several processes assign
//	{"process":"P1","id":"e1","set":{"x":2},"send":"m1"}         an event
//	{"edge":["f2","e1"]}                                         an edge of the graph: every cut with e1 has f2
//	{"process":"P1","closed":true}                               the process executes no more (for a Scanner)
//
// A line with "process" is a declaration if it has "init", the end of the process if it has
// "closed", and otherwise an event, so {"process":"P1"} is an event. Events of one process are
// ordered as their lines are; happened-before is the transitive closure of that order, of "send"
// before "recv", of "after", "clock" and "edge", and of "sync" both ways. Lines may come in any
// order across processes: sends, named events and declarations may come later. Package admission
// has the rules that lines must keep together.
//
// The "time" of an event is a time, or an array of the earliest and the latest time if the clock
// knows its error; "clock_id" names the clock. "timer" starts timers, which end by events of their
// own: see package timer.
//
// Details of the format:
//
//   - "id":"" is not an id; the event has its default id, process:k.
//   - "to" names the receiver of those messages of the event that nobody receives; a receive
//     itself implies its process. A process exists once it is named there.
//   - A "clock" has an entry for its own process. An entry for another process may be left out and
//     then says nothing; the given ones never decrease.
//   - A header may say {"pota":1,"lower_bound":"why"}: the causality of the trace is
//     a lower bound of the real one (see graphs.Computation.LowerBound).
//   - A number with a fraction or exponent that is an integer within 53 bits is
//     that integer; an integer beyond 64 bits becomes the nearest float64.
//   - A message id is not empty. A lone surrogate in an escape is refused, and so
//     is a directory inside a directory. Files whose names begin with a dot are
//     skipped. A byte order mark at the start of a file is skipped.
//
// Nothing else is skipped: a mistake is a *trace.Error with its position. Lines and columns count
// from 1, columns in Unicode code points.
//
// # How a trace is read
//
// trace.ReadLines cuts the input at line ends into pieces. Goroutines scan them concurrently into
// records, without an allocation per line; one goroutine receives the records in the order of the
// file and feeds a graphs.Builder. Message and event ids are matched in open-addressing tables over
// one block of text. Forward references wait in compact lists until all lines are read. The
// reported error is the first in the order of the file, whichever was found first.
//
// The time complexity of Read is O(length of the input + |V| + |edges|).
package native
