// Package split splits inputs with the events of many executions, so that the events of each
// execution can be collected and read by the reader of their format.
//
// # Definitions
//
// A piece is a line of text in the format of its input, with the key of one execution: all its
// events are of that execution. Join makes a trace of the pieces of an execution from all inputs:
// one per line, ordered by the names of their inputs and their positions there. Anything that a
// format writes once for many events, such as the resource of spans, is repeated in each piece.
//
// Formats of spans (OTLP, Jaeger, Zipkin, stdouttrace) name the trace of each span: the key is its
// id, in 32 hexadecimal digits if it is hexadecimal. Lines in the native format, and logs that a
// mapping describes, are split by a key of Options.
//
// Links between spans of different traces would join these traces to one execution. Split does not
// follow them: a piece says whether it has such a link (Foreign).
//
// # Errors
//
// Mistakes are reported with their place. A span without a trace id or a span id is one. Reading
// continues at the next line, if documents are lines. After a mistake in a document of several
// lines, nothing more is read, because its end is unknown. Rules of the format itself are checked
// when the execution is read; Joined.Place returns where a line comes from.
package split
