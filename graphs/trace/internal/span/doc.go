// Package span builds computations from the spans of distributed tracing, in whatever format they
// are written.
//
// # Definitions
//
// A span is one operation of one service: it has an id, a trace id, a name, a kind (server, client,
// producer, consumer, internal, or unspecified), a start and an end time, attributes, events with a
// time, a name and attributes, possibly the id of its parent in the same trace, and links to other
// spans of any trace. A span was made by its resource: a service and its attributes. Spans are of
// one service if they have equal resources that name a service; spans of different instances of a
// service are not. Times of one service can be compared, others cannot.
//
// An execution is a trace, or several traces joined by links. Its name is the id of the first one.
//
// # Processes and events
//
// A service does many things concurrently, so each span is a process: service/operation#n. Spans
// are numbered by start time, then id, kind, and position in the input. A span without a service
// belongs to unknown_service. The events of the process are start, the span events in order of
// their times (those without a time first), and end. Their labels are start, the name of the span
// event, and end. The label of start names a parent or a linked span that is missing from the
// input.
//
// # Causality
//
// In addition to the order of each process:
//
//   - Parent before child. Within one service, the start of the child comes after the last span
//     event of the parent at or before that time. If there is none, and always across services, it
//     comes after the start of the parent. A parent that has ended does not order a child that
//     starts later.
//   - Child before parent. Within one service, the end of a child that does not end after its
//     parent comes before the next event of the parent, the first one that is not earlier in time.
//     Across services, the end of a server span comes before the end of its parent if that is a
//     client span. A client with the status error may have given up, so its end is not ordered;
//     other kinds of spans are not ordered either.
//   - From a producer to a consumer, start comes before start and nothing else.
//   - The start of a linked span comes before the start of the span that has the link.
//
// Nothing is concluded from a missing time. Children of one parent are not ordered among
// themselves. A server span and a client span with one id, the two halves of a call in Zipkin, are
// child and parent. If several spans have the id of a parent or a link, it means one that is not
// the span itself, in this order of preference: a client of a server or a producer of a consumer;
// one of the same service; a server or consumer; the first by number.
//
// Parents form a forest: a span that is its own ancestor is an error. A path into the descendants
// of a span passes the start of a child, and a path out of them its end, and reaches a later event
// of the parent than the one before the start; so only links can close a cycle, which is an error.
//
// Spans whose resources name one host, pod or instance share a clock (graphs.Computation.Clock),
// and so do those with equal resources that name a service. clocks.Shared adds the order of such a
// clock.
//
// The result is a lower bound of happened-before (see graphs.Computation.LowerBound): spans do not
// show how threads and services communicated otherwise. Conversely, a server may continue after its
// client has the answer, and spans do not show that either.
//
// # Variables
//
// These are variables of each process:
//
//	active          true from start to end
//	kind            internal, server, client, producer, consumer or unspecified
//	operation       the name of the span, set by start and by end
//	service         its service, set by start and by end
//	started         at start, and ended at end: seconds since 1970, if the time is known
//	duration        at end, in seconds, if both times are known
//	status          unset, and at the end ok or error if it is known
//	status.message  at the end, if there is one
//	event           start, end, or the name of the span event, whichever happened last
//
// Attributes are variables, too. Those of the resource (with the service as service.name), scope
// and span are set by start and by end, so that formulas about events can use them there; an
// attribute of the span takes precedence over one of the scope, and that over one of the resource.
// Those of a span event are set by it. Resource attributes that describe how spans were recorded,
// not by whom, are left out: those that begin with telemetry., process. and os. The attribute error
// = true means status error, unless the status is ok.
//
// Names are adapted to formulas: a character other than a letter, a digit, _ and . becomes _, and
// so does a . at the end; a name that does not start with a letter gets the prefix _. An attribute
// with the name of a variable above becomes attribute.name. If two attributes of one event get the
// same name, the last one counts. A name with values of different types anywhere in the execution
// is a string variable on all its processes.
//
// Of the variables that a reader is not asked for, there is one for each name.
package span
