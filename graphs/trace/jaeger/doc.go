// Package jaeger reads traces in the JSON of Jaeger's user interface and its query
// service.
//
// # Definitions
//
// A trace is an object {"traceID":…,"spans":[…],"processes":{…}}. An input is an answer of the
// query service, {"data":[trace, …]}, or a trace, or an array of traces, or a sequence of these.
// The spans of a trace may be anywhere in them, and in all files of a directory. Package span says
// how spans become computations.
//
// Ids are up to 16 or 32 hexadecimal digits in either case; any other text is kept as an id, with a
// note. Times are in microseconds. The traceID of a span counts, not that of the trace around it. A
// span has a processID or a process.
//
// # References
//
// The first CHILD_OF reference to a span of the same trace names the parent; without one,
// parentSpanID does. All other references, FOLLOWS_FROM among them, are links.
//
// # Tags
//
// The tags of the process are the attributes of the resource, and the tags of a span are its
// attributes. A log is a span event: its field event is the name, and its other fields are the
// attributes. Types are string, bool, int64, float64 and binary (in base64); without a type, the
// JSON type of the value counts. Numbers and booleans may be quoted. Jaeger renames parts of OTLP;
// they get their names back, so that a trace yields the same computation from both formats (if its
// times are whole microseconds):
//
//	span.kind                 the kind
//	otel.status_code          the status; without it, error = true is status error
//	otel.status_description   the message of the status
//	otel.library.name         otel.scope.name
//	otel.library.version      otel.scope.version
//
// A tag of this list whose value is not a valid kind or status stays an attribute. The service name
// OTLPResourceNoServiceName means no service.
//
// # What is not read
//
// Flags, warnings, total, limit and offset are ignored. An unknown key is skipped, with a note. An
// answer with errors is refused.
package jaeger
