// Package split takes inputs apart in which the events of many executions lie scattered,
// so that those of each execution can be brought together and read by the reader of their
// format.
//
// # Definitions
//
// A piece is a line of text in the format of its input, with the key of the one execution
// that its events are of. The pieces of an execution, from all inputs, one a line in the order
// of the names of their inputs and of their places in them, are a trace of that execution in
// that format: Join makes it. What is in a format once for many events, such as the resource
// of spans, is in each piece.
//
// Formats of spans (OTLP, Jaeger, Zipkin, stdouttrace) name the trace of each span: the key is its id, in
// 32 hexadecimal digits where it is one. Lines in the native format, and logs that a mapping
// describes, are taken apart by a key that Options name.
//
// What joins several traces to one execution, links between spans of different traces, is not
// followed: a piece says where it has such a link (Foreign).
//
// # Errors
//
// What cannot be taken apart is told with its place, and what follows it is read: the next
// line, where a document is a line; nothing in a document of several lines, whose end is not
// known. Whether a piece says what its format allows is seen when the execution is read;
// Joined.Place tells where it was written.
package split
