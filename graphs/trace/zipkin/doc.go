// Package zipkin reads traces in the JSON of Zipkin, version 2 of its format.
//
// # Definitions
//
// An input is an array of spans, or of such arrays, or many of these or of spans, one
// after the other; the spans of a trace may be anywhere in them, and in all files of a
// directory. Package span says what computations are made of spans.
//
// Ids are up to 16 or 32 hexadecimal digits in either case; any other text is kept as an id,
// with a note. Times are microseconds. The client span and the server span of one call may
// have the same id. A span without a kind is of kind unspecified, one without a timestamp (or
// with 0) has no time, one without a duration (or with 0) no end time.
//
// # Services
//
// The service of a span is the serviceName and the addresses of its localEndpoint, without the
// port: only spans of one host are ordered by time.
//
// # Variables
//
// Tags are attributes, always strings: Zipkin has no other type. An annotation is a span event
// named by its value. A tag error is status error, for any text. Endpoints are attributes with
// the names of OpenTelemetry: of localEndpoint net.host.ip, or net.host.ip6 for an address of
// version 6, and net.host.port; of remoteEndpoint peer.service, net.peer.ip, net.peer.ip6 and
// net.peer.port.
//
// # What is not read
//
// The members shared and debug are checked and ignored. An unknown key is skipped, with a
// note. Version 1 of the format, with binaryAnnotations and endpoints in annotations, is refused.
package zipkin
