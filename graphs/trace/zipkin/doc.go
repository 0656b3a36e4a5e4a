// Package zipkin reads traces in the JSON of Zipkin, version 2 of its format.
//
// # Definitions
//
// An input is an array of spans, or an array of such arrays, or a sequence of these or of spans;
// the spans of a trace may be anywhere in them, and in all files of a directory. Package span says
// how spans become computations.
//
// Ids are up to 16 or 32 hexadecimal digits in either case; any other text is kept as an id, with a
// note. Times are in microseconds. The client span and the server span of one call may have the
// same id. A span without a kind is of kind unspecified, one without a timestamp (or with 0) has no
// time, and one without a duration (or with 0) has no end time.
//
// # Services
//
// The service of a span is the serviceName and the addresses of its localEndpoint, without the
// port: only spans of one host are ordered by time.
//
// # Variables
//
// Tags are attributes, always strings: Zipkin has no other type. An annotation is a span event
// named by its value. A tag error means status error, whatever its text. Endpoints are attributes
// with the names of OpenTelemetry: net.host.ip, or net.host.ip6 for an IPv6 address, and
// net.host.port for localEndpoint; peer.service, net.peer.ip, net.peer.ip6 and net.peer.port for
// remoteEndpoint.
//
// # What is not read
//
// The members shared and debug are checked and ignored. An unknown key is skipped, with a
// note. Version 1 of the format, with binaryAnnotations and endpoints in annotations, is refused.
package zipkin
