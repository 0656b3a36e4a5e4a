// Package otlp reads the spans of OpenTelemetry in the JSON encoding of OTLP, as
// collectors write them to files.
//
// # Definitions
//
// An input is one document {"resourceSpans":[…]}, or many, one a line, one after the
// other, or in an array; {"result":{"resourceSpans":[…]}}, as Jaeger answers a query,
// is one, too, and so are {"batches":[…]} and {"trace":{…}}, as Tempo keeps traces and
// answers. The spans of a trace may be anywhere in them, and in all files of a
// directory. Package span says what computations are made of spans.
//
// What OTLP adds to JSON is understood: trace and span ids are hexadecimal in either
// case, or in base64, as protojson writes them against the letter of OTLP; integers of 64 bits are strings or numbers, kinds and status codes are numbers
// or names, a double may be "NaN", "Infinity" or "-Infinity". The older
// instrumentationLibrarySpans and instrumentationLibrary are read as scopeSpans and
// scope. A member that is null is as good as absent, and the order of members does
// not matter.
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
// OTLP is open to extension: keys that are not known are ignored, except those that
// have the name of a known one in snake_case, which OTLP does not allow in JSON.
// Flags, counts of what was dropped, schema URLs and attributes of links are checked
// and say nothing here. Documents with metrics, logs or profiles are skipped if there
// are spans besides, and otherwise named in the error.
//
// Refused are, though other readers may let them pass: a trace or span id that is
// missing or zero, an attribute without a key or with two values, kinds and status
// codes that OTLP does not have, a key twice in an object, null in an array, and
// numbers that are none in JSON, such as hexadecimal ones.
package otlp
