// Package zipkin reads traces in the JSON of Zipkin, version 2 of its format.
//
// # Definitions
//
// An input is an array of spans, or of such arrays, or many of these or of spans, one
// after the other; the spans of a trace may be anywhere in them, and in all files of a
// directory. Package span says what computations are made of spans.
//
// Ids are up to 16 or 32 hexadecimal digits in either case; an id that is something else
// is taken as it is, with a note. Times are microseconds. The client span and the server span of one call may have the same id. A span without a
// kind is of kind unspecified, one without a timestamp (or with 0) has no time,
// one without a duration (or with 0) no end time.
//
// # Services
//
// Service and addresses of localEndpoint, without the port, say which service a span is
// of, so that only spans of one host are ordered by time.
//
// # Variables
//
// Tags are attributes, always strings: Zipkin has no other type. An annotation is a
// span event whose name is the value of the annotation. A tag error is status error,
// whatever it says. Endpoints are attributes with the names that OpenTelemetry gives
// them: of localEndpoint net.host.ip, or net.host.ip6 for an address of version 6, and
// net.host.port; of remoteEndpoint peer.service, net.peer.ip, net.peer.ip6 and
// net.peer.port.
//
// # What is not read
//
// The members shared and debug are checked and say nothing here. A key that is not known
// is passed over, with a note, unless it looks like a misspelt one. Refused is version 1
// of the format, which has binaryAnnotations, and endpoints in annotations.
package zipkin
