// Package jaeger reads traces in the JSON of Jaeger's user interface and its query
// service.
//
// # Definitions
//
// A trace is an object {"traceID":…,"spans":[…],"processes":{…}}. An input is what the
// query service answers, {"data":[trace, …]}, or a trace, or an array of traces, or
// many of these one after the other. The spans of a trace may be anywhere in them, and
// in all files of a directory. Package span says what computations are made of spans.
//
// Ids are up to 16 or 32 hexadecimal digits in either case; any other text is kept as an id,
// with a note. Times are microseconds. The traceID of a span counts, not that of the trace around
// it. A span has a processID or a process.
//
// # References
//
// The first reference CHILD_OF to a span of the same trace is to the parent; without
// one, it is parentSpanID. All other references, FOLLOWS_FROM among them, are links.
//
// # Tags
//
// The tags of the process are the attributes of the resource, the tags of a span its
// attributes. A log is a span event: its field event is the name, its other fields are the
// attributes. Types are string, bool, int64, float64 and binary (in base64); the JSON type of
// the value counts where none is given. Numbers and truth values may be quoted. Jaeger renames
// parts of OTLP; they get their names back, so that both files of a trace are the same
// computation (if its times are whole microseconds):
//
//	span.kind                 the kind
//	otel.status_code          the status; without it, error = true is status error
//	otel.status_description   the message of the status
//	otel.library.name         otel.scope.name
//	otel.library.version      otel.scope.version
//
// One of these with a value that is none of a kind or status stays an attribute. A
// service OTLPResourceNoServiceName is none.
//
// # What is not read
//
// Flags, warnings, total, limit and offset are ignored. An unknown key is skipped, with a
// note. An answer with errors is refused.
package jaeger
