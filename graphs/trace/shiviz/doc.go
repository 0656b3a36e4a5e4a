// Package shiviz reads logs with vector clocks: those of ShiViz and GoVector, and
// what TLC prints for ShiViz.
//
// # Definitions
//
// A log is text in which a regular expression finds events. Its named groups host,
// clock and event are the process, the vector clock (a JSON object, host to count)
// and the text of an event; other named groups are fields. An upload file of ShiViz
// has the expression on its first line and, on the second, one that separates
// executions (perhaps empty), whose group trace names the execution that follows.
// For other logs, the layouts known are tried and the one that finds most events
// is taken, the first of them where several find as many:
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
// The own entries of a host are exactly 1, 2, 3, …, in any order of lines; they say
// which event of its process an event is. Entry q = c of a clock says that the c-th
// event of q happened before; 0 says nothing. An entry for an unknown host, one
// beyond the events of its host, one that falls along a process, and a cycle are
// errors. Of the edges that clocks stand for, those are kept that the others do not
// imply (see package clock), so that their number means something.
//
// # Variables
//
// A field becomes a variable of the event's process, and so does each key=value in
// the text of an event, or what the named groups of the expressions in
// Options.Assign find there. A value is a number in the grammar of JSON, a boolean
// (true, false, TRUE, FALSE), or a string, without its quotes if it has any. Of a
// TLA+ function (n1 :> TRUE @@ n2 :> FALSE) or record [n1 |-> TRUE, n2 |-> FALSE],
// the host's own entry is taken. A name whose values are of different types
// anywhere in the execution is a string variable on all processes. An event that
// assigns a variable twice assigns the last value. Initial values are those of the
// state that TLC prints before the first event, or else zero.
//
// A group timestamp, time or date is the time of the event where it is a number or
// an RFC 3339 time. Carriage returns at line ends are dropped, and bytes that are
// not UTF-8 become U+FFFD. A directory is one execution, a file for each process.
package shiviz
