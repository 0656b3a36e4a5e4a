// Package span makes computations of the spans of distributed tracing, whatever
// format they are written in.
//
// # Definitions
//
// A span is one operation of one service: it has an id, a trace id, a name, a kind
// (server, client, producer, consumer, internal, or unspecified), a start and an end
// time, attributes, events with a time, a name and attributes, perhaps the id of its
// parent in the same trace, and links to other spans of any trace. Its resource made it: a
// service and its attributes. Spans are of one service if they have equal resources that name
// a service; spans of several instances of it are not. Times of one service can be compared,
// others cannot.
//
// An execution is a trace, or several that links join. Its name is the id of the
// first of them.
//
// # Processes and events
//
// A service does many things at once; so each span is a process: service/operation#n.
// Spans are numbered in order of their start times, ids and kinds, and of the input
// if all that is equal. A span without a service is of unknown_service. The events of
// the process are start, the span events in order of their times (those without one
// first), and end. Their labels are start, the name of the span event, and end. A
// parent or a linked span that is not in the input is named in the label of start.
//
// # Causality
//
// Beside the order of each process:
//
//   - Parent before child. Within one service, the start of the child comes after the
//     last span event of the parent at or before that time, or else, and always across
//     services, after the start of the parent. A parent that has ended does not order
//     a child that starts later.
//   - Child before parent. Within one service, the end of a child that does not end
//     after its parent comes before the next event of the parent, the first one that
//     is not before it in time. Across services, the end of a server span comes before
//     the end of the client span that is its parent. A client with the status error may
//     have given up and is not ordered, nor are others.
//   - From a producer to a consumer, start comes before start and nothing else.
//   - The start of a linked span comes before the start of the span that has the link.
//
// Without a time, nothing is concluded from it. Children of one parent are not ordered
// among themselves. Server and client span with one id, the two halves of a call in
// Zipkin, are child and parent. Where several spans have the id of a parent or of a
// link, it is one that is not the span itself, in this order of preference: a client
// of a server or a producer of a consumer; one of the same service; a server or
// consumer; the first by number.
//
// Parents are a forest, or else a span that is its own ancestor is an error. A path
// into the descendants of a span leads through the start of a child, a path out of
// them through its end, to a later event of the parent than the one before the start;
// so only links can close a cycle, and then it is an error.
//
// Spans whose resources name one host, pod or instance share a clock (graphs.Computation.Clock), and so do those
// with equal resources that name a service. What such a clock orders is added by clocks.Shared.
//
// All this is a lower bound of what really happened before what (see
// graphs.Computation.LowerBound): spans do not show what threads and services told
// each other otherwise. On the other hand, a server may go on when its client has the
// answer; spans do not tell that either.
//
// # Variables
//
// These are variables of each process:
//
//	active          true from start to end
//	kind            internal, server, client, producer, consumer or unspecified
//	operation       the name of the span, set by start and by end
//	service         its service, set by start and by end
//	started         at start, and ended at end: seconds since 1970, where the time is known
//	duration        at end, in seconds, where both times are known
//	status          unset, and at the end ok or error if it is known
//	status.message  at the end, if there is one
//	event           start, end, or the name of the span event, whichever happened last
//
// Attributes are variables, too: those of resource (with the service as service.name),
// scope and span are set by start and by end, so that formulas about events find them
// there, one of the span before one of the scope, and that before one of the
// resource; those of a span event are set by it. Attributes of the
// resource that describe how spans were recorded, not by whom, are left out: those
// that begin with telemetry., process. and os. The attribute error = true is status
// error where the status is not ok.
//
// Names are made fit for formulas: a character other than a letter, a digit, _ and .
// becomes _, and so does a . at the end; a name that does not start with a letter gets
// a _ in front. An attribute with the name of a variable above becomes attribute.name.
// Of two attributes of one event that get one name, the last is taken. A name with
// values of different types anywhere in the execution is a string variable on all
// processes of it.
//
// Of the variables that a reader is not asked for, there is one of each name.
package span
