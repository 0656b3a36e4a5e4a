// Package split takes apart inputs with the events of many executions, so that the events of
// each execution can be brought together and read by the reader of their format.
//
// # Definitions
//
// A piece is a line of text in the format of its input, with the key of one execution: all its
// events are of that execution. The pieces of an execution, from all inputs, one a line in the
// order of the names of their inputs and of their places there, are a trace of that execution
// in that format; Join makes it. Anything that a format has once for many events, such as the
// resource of spans, is in each piece.
//
// Formats of spans (OTLP, Jaeger, Zipkin, stdouttrace) name the trace of each span: the key is
// its id, in 32 hexadecimal digits if it is hexadecimal. Lines in the native format, and logs
// that a mapping describes, are taken apart by a key of Options.
//
// Links between spans of different traces would join these traces to one execution. They are
// not followed: a piece says that it has such a link (Foreign).
//
// # Errors
//
// Mistakes are reported with their place, and reading goes on: at the next line, if documents
// are lines. After a mistake in a document of several lines nothing more is read, because its
// end is unknown. Rules of the format itself are checked when the execution is read;
// Joined.Place tells where a line was written.
package split
