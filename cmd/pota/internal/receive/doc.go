// Package receive accepts lines and spans over the network: lines over TCP and HTTP, spans by
// OTLP over HTTP and gRPC.
//
// # Addresses
//
//	tcp://HOST:PORT    lines; tcp:// may be left out
//	http://HOST:PORT   POST /lines, POST /v1/traces, GET /metrics, GET /healthz; port 4318 by default
//	grpc://HOST:PORT   the trace service of OTLP; port 4317 by default
//
// A listener on an address other than a loopback one must have TLS and a token; every listener
// uses them if they are given. The token is sent as Authorization: Bearer TOKEN, and over TCP as a
// first line Bearer TOKEN; only /healthz answers without it.
//
// The sender of lines gets {"lines":12} when 12 lines are accepted; "error" says why the next
// one was refused. Over TCP the answer is sent when the sender has closed its side.
//
// # Bounds
//
// Every listener works in bounded memory and bounded time:
//
//	connections          2,048 at a time for each listener
//	exports              16 at a time for each listener; others get 503 or UNAVAILABLE and are sent again
//	size of an export    8 MiB, sent and decompressed
//	length of a line     256 KiB
//	size of POST /lines  256 MiB, decompressed
//	time of a request    2 minutes for POST /lines, 30 seconds for others, from the first byte
//	headers, handshake   10 seconds, 64 KiB
//
// Further TCP connections wait until one closes. Over HTTP and gRPC the latest 64 of them are accepted
// for two seconds and asked to try again, so /healthz answers however many connections are open. A TCP
// connection for lines may be silent for any time.
//
// # Files
//
//	address.go   the text after --listen
//	listener.go  connections: their number, and the spare ones
//	tcp.go       lines over TCP, and the bounds of all lines
//	http.go      requests: authorization, lines, spans
//	grpc.go      the call of the trace service
//	refusal.go   the answers to spans, in protobuf, JSON and the trailers of gRPC
//
// # gRPC
//
// OTLP needs one unary method, so net/http is enough for the protocol: a message has a flag byte
// (1 if it is compressed by gzip), its length in four bytes and its text; the status is sent in
// the trailers grpc-status, grpc-message and grpc-status-details-bin. (gRPC over HTTP2,
// https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md)
package receive
