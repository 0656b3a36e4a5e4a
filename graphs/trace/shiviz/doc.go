// Package shiviz reads logs with vector clocks, as written by ShiViz and GoVector, and by TLC
// for ShiViz.
//
// # Definitions
//
// A log is text, and a regular expression finds the events in it. Its named groups host, clock and
// event are the process, the vector clock (a JSON object, host to count) and the text of an event;
// other named groups are fields. An upload file of ShiViz has this expression on its first line
// and, on the second, a possibly empty expression that separates executions. Its group trace names
// the next execution. For other logs, Read tries the known layouts and uses the one that finds the
// most events, the first of equals:
//
//	TSViz       timestamp event / host {clock}      two lines an event
//	ShiViz      event / host {clock}                two lines
//	GoVector    host {clock} / event                two lines
//	TLC         State n: <event> / /\ Host = … / /\ Clock = "…" / /\ field = …
//	actor       … /host] {clock} event              one line
//	plain       host {clock} event                  one line
//
// Text outside events is ignored; an overlooked event leaves a gap in its process, which is an
// error.
//
// # Processes and causality
//
// The own entries of a host are exactly 1, 2, 3, …, in any order of lines; they number the events
// of its process. Entry q = c of a clock says that the c-th event of q happened before; 0 says
// nothing. Errors are: an entry for an unknown host, an entry beyond the events of its host,
// entries that decrease along a process, and a cycle. Of the edges that the clocks imply, Read
// keeps those that do not follow from the others (see package clock), so that their number is
// meaningful.
//
// # Variables
//
// A field becomes a variable of the event's process, and so does each key=value in the text of an
// event, or instead whatever the named groups of the expressions in Options.Assign match there. A
// value is a number in the grammar of JSON, a boolean (true, false, TRUE, FALSE), or a string,
// without its quotes if it has any. Of a TLA+ function (n1 :> TRUE @@ n2 :> FALSE) or record [n1
// |-> TRUE, n2 |-> FALSE], the value is the host's own entry. If a name has values of different
// types anywhere in the execution, it is a string variable on all processes. If an event assigns a
// variable twice, the last value counts. Initial values are those of the state that TLC prints
// before the first event, or else zero.
// state that TLC prints before the first event, or else zero.
//
// A group timestamp, time or date is the time of the event if it is a number or an RFC 3339 time.
// Carriage returns at line ends are dropped, and bytes that are not UTF-8 become U+FFFD. A
// directory is one execution, with one file per process.
package shiviz
