// Package otlp reads the spans of OpenTelemetry in OTLP: in its JSON encoding, as collectors
// write them to files, and in both encodings, JSON and protobuf, as programs send them.
//
// # Definitions
//
// An input is one document {"resourceSpans":[…]}, or many, one a line, one after the
// other, or in an array; {"result":{"resourceSpans":[…]}}, as Jaeger answers a query,
// is one, too, and so are {"batches":[…]} and {"trace":{…}}, as Tempo keeps traces and
// answers. The spans of a trace may be anywhere in them, and in all files of a
// directory. Package span says what computations are made of spans.
//
// Trace and span ids are hexadecimal in either case, or in base64, as protojson writes them
// against the letter of OTLP. Integers of 64 bits are strings or numbers, kinds and status
// codes are numbers or names, a double may be "NaN", "Infinity" or "-Infinity". The older
// instrumentationLibrarySpans and instrumentationLibrary are read as scopeSpans and
// scope. A member that is null is as good as absent, and the order of members does
// not matter.
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
// A string, a boolean and an integer are exactly that; a double is a number, or a
// string where it is not finite; bytes are a string in base64; an array and a list of
// keys and values are a string, their JSON text without white space, with keys sorted.
// An attribute without a value is the empty string. The name and version of the scope
// are attributes otel.scope.name and otel.scope.version, its own attributes have
// otel.scope. before their names, and traceState is w3c.tracestate: so have what
// Jaeger makes of OTLP.
//
// # What is not read
//
// OTLP is open to extension: unknown keys and fields are ignored. A known key in snake_case is
// refused: OTLP does not allow it in JSON. Flags, counts of dropped parts, schema URLs and
// attributes of links are checked and ignored. Documents with metrics, logs or profiles are
// skipped if there are spans besides, and otherwise named in the error.
//
// Refused are, though other readers may let them pass: a trace or span id that is
// missing or zero (a program's request may have such spans, and its receiver refuses them one
// by one), an attribute without a key or with two values, kinds and status
// codes that OTLP does not have, a key twice in an object, null in an array, and
// numbers that are none in JSON, such as hexadecimal ones.
package otlp
