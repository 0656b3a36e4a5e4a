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
// Ids are up to 16 or 32 hexadecimal digits in either case; an id that is something else
// is taken as it is, with a note. Times are microseconds. A span has a traceID of its own, which counts. It has a processID or a process.
//
// # References
//
// The first reference CHILD_OF to a span of the same trace is to the parent; without
// one, it is parentSpanID. All other references, FOLLOWS_FROM among them, are links.
//
// # Tags
//
// The tags of the process are the attributes of the resource, those of the span its
// attributes, the fields of a log those of a span event, whose name is the field event.
// Types are string, bool, int64, float64 and binary (in base64); without a type, it is
// that of the value. Numbers and truth values may be quoted. What Jaeger makes of OTLP
// becomes what it was there, so that both files of a trace are the same computation
// (if its times are whole microseconds):
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
// Flags and warnings say nothing here, and neither do total, limit and offset. A key that
// is not known is passed over, with a note, unless it looks like a misspelt one. An
// answer that has errors is refused.
package jaeger
