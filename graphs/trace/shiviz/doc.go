// Package shiviz reads logs with vector clocks, as written by ShiViz and GoVector, and by TLC
// for ShiViz.
//
// # Definitions
//
// A log is text, and a regular expression finds the events in it. Its named groups host, clock
// and event are the process, the vector clock (a JSON object, host to count) and the text of
// an event; other named groups are fields. An upload file of ShiViz has this expression on its
// first line and, on the second, an expression that separates executions, perhaps empty. Its
// group trace names the next execution. For other logs, the known layouts are tried and the
// one with most events is taken, the first of equals:
//
//	TSViz       timestamp event / host {clock}      two lines an event
//	ShiViz      event / host {clock}                two lines
//	GoVector    host {clock} / event                two lines
//	TLC         State n: <event> / /\ Host = … / /\ Clock = "…" / /\ field = …
//	actor       … /host] {clock} event              one line
//	plain       host {clock} event                  one line
//
// Text that no event covers is not looked at; an event that was overlooked leaves
// a gap in its process, which is refused.
//
// # Processes and causality
//
// The own entries of a host are exactly 1, 2, 3, …, in any order of lines; they number the
// events of its process. Entry q = c of a clock says that the c-th event of q happened before;
// 0 says nothing. An entry for an unknown host, one beyond the events of its host, one that
// falls along a process, and a cycle are errors. Of the edges that clocks stand for, those are
// kept that the others do not imply (see package clock), so that their number means something.
//
// # Variables
//
// A field becomes a variable of the event's process, and so does each key=value in the text of
// an event, or what the named groups of the expressions in Options.Assign find there. A value
// is a number in the grammar of JSON, a boolean (true, false, TRUE, FALSE), or a string,
// without its quotes if it has any. Of a TLA+ function (n1 :> TRUE @@ n2 :> FALSE) or record
// [n1 |-> TRUE, n2 |-> FALSE], the host's own entry is taken. If a name has values of
// different types anywhere in the execution, it is a string variable on all processes. An
// event that assigns a variable twice assigns the last value. Initial values are those of the
// state that TLC prints before the first event, or else zero.
//
// A group timestamp, time or date is the time of the event if it is a number or an RFC 3339
// time. Carriage returns at line ends are dropped, and bytes that are not UTF-8 become U+FFFD.
// A directory is one execution, a file for each process.
package shiviz
