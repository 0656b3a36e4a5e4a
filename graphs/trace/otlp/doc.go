// Package otlp reads the spans of OpenTelemetry in OTLP: in its JSON encoding, as collectors
// write them to files, and in both encodings, JSON and protobuf, as programs send them.
//
// # Definitions
//
// An input is one document {"resourceSpans":[…]}, or many: one per line, one after the other, or in
// an array. {"result":{"resourceSpans":[…]}}, with which Jaeger answers a query, is a document,
// too, and so are {"batches":[…]} and {"trace":{…}}, in which Tempo stores traces and answers
// queries. The spans of a trace may be anywhere in them, and in all files of a directory. Package
// span says how spans become computations.
//
// Trace and span ids are hexadecimal in either case, or in base64, as protojson writes them
// contrary to OTLP. Integers of 64 bits are strings or numbers, kinds and status codes are numbers
// or names, and a double may be "NaN", "Infinity" or "-Infinity". The older
// instrumentationLibrarySpans and instrumentationLibrary are read as scopeSpans and scope. A null
// member counts as absent, and the order of members does not matter.
//
// # Protobuf
//
// The messages of OTLP, and the fields that are read, by number:
//
//	TracesData            1 resource_spans
//	ResourceSpans         1 resource, 2 scope_spans
//	Resource              1 attributes
//	ScopeSpans            1 scope, 2 spans
//	InstrumentationScope  1 name, 2 version, 3 attributes
//	Span                  1 trace_id, 2 span_id, 3 trace_state, 4 parent_span_id, 5 name, 6 kind,
//	                      7 and 8 start and end time, 9 attributes, 11 events, 13 links, 15 status
//	Event                 1 time, 2 name, 3 attributes
//	Link                  1 trace_id, 2 span_id
//	Status                2 message, 3 code
//	KeyValue              1 key, 2 value
//	AnyValue              1 string, 2 bool, 3 int, 4 double, 5 array, 6 list of keys, 7 bytes
//	ArrayValue            1 values; so has KeyValueList
//
// # Attributes
//
// A string, a boolean and an integer keep their types; a double is a number, or a string if it is
// not finite; bytes are a string in base64; an array and a list of keys and values are a string,
// their JSON text without white space, with keys sorted. An attribute without a value is the empty
// string. The name and version of the scope are the attributes otel.scope.name and
// otel.scope.version, its own attributes have the prefix otel.scope., and traceState is
// w3c.tracestate: Jaeger uses the same names.
//
// # What is not read
//
// OTLP is extensible: unknown keys and fields are ignored. A known key in snake_case is refused:
// OTLP does not allow it in JSON. Flags, counts of dropped parts, schema URLs and attributes of
// links are checked and ignored. Documents with metrics, logs or profiles are skipped if there are
// also spans, and otherwise named in the error.
//
// The following are refused, although other readers may accept them: a trace or span id that is
// missing or zero (a request may have such spans, and its receiver refuses them individually), an
// attribute without a key or with two values, kinds and status codes that OTLP does not define, a
// repeated key in an object, null in an array, and numbers that are not valid JSON, such as
// hexadecimal ones.
package otlp
