// Package stdouttrace reads the spans that the exporter of that name in the OpenTelemetry SDK for
// Go prints.
//
// # Definitions
//
// An input is a sequence of spans, each a JSON object on one line or on several (the exporter's
// option WithPrettyPrint). The spans of a trace may be anywhere in it, and in all files of a
// directory. Package span says how spans become computations; the result is the same as for the
// same spans in OTLP.
//
// Ids are hexadecimal; a parent or a trace id of zeros means none. Kinds are the numbers 0 to 5, as
// in OTLP; status codes are Unset, Ok and Error; times are in RFC 3339.
//
// # Attributes
//
// A value has a type. BOOL, INT64, FLOAT64 and STRING values keep it; for slices of these and any
// other type, the attribute is a string, the JSON text of the value without white space. The name,
// the version and the attributes of InstrumentationScope are the attributes otel.scope.name,
// otel.scope.version and otel.scope.…; the older InstrumentationLibrary repeats them. TraceState is
// w3c.tracestate.
//
// # What is not read
//
// Flags, counts of dropped parts and of children, schema URLs and attributes of links are
// ignored. An unknown key is skipped, with a note.
package stdouttrace
