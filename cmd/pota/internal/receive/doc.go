// Package receive accepts lines and spans over the network: lines over TCP and HTTP, spans by
// OTLP over HTTP and gRPC.
//
// # Addresses
//
//	tcp://HOST:PORT    lines, as they come; tcp:// may be left out
//	http://HOST:PORT   POST /lines, POST /v1/traces, GET /metrics, GET /healthz; port 4318 by default
//	grpc://HOST:PORT   the trace service of OTLP; port 4317 by default
//
// A listener on an address other than a loopback one must have TLS and a token; every listener
// uses those that are given. The token comes as Authorization: Bearer TOKEN, over TCP in a line
// of its own, Bearer TOKEN, before all others; only /healthz answers without it.
//
// The sender of lines gets {"lines":12} when 12 lines are accepted; "error" says why the next
// one was refused. Over TCP the answer comes when the sender has closed its side.
//
// # Bounds
//
// Every listener works in bounded memory and bounded time:
//
//	connections          2,048 at a time for each listener
//	exports              16 at a time for each listener; others get 503 or UNAVAILABLE, to be sent again
//	size of an export    8 MiB, sent and decompressed
//	length of a line     256 KiB
//	size of POST /lines  256 MiB, decompressed
//	time of a request    2 minutes for POST /lines, else 30 seconds, from its first byte
//	headers, handshake   10 seconds, 64 KiB
//
// Further connections of TCP wait until one closes. Over HTTP and gRPC they are accepted for two
// seconds, the latest 64 of them, and told to come again: /healthz answers however many
// connections are held. A connection of lines over TCP may be silent for as long as it lives.
//
// # Files
//
//	address.go   the text after --listen
//	listener.go  connections: how many at a time, and the spare ones
//	tcp.go       lines over TCP, and the bounds of all lines
//	http.go      requests: who may send one, lines, spans
//	grpc.go      the call of the trace service
//	refusal.go   the answers to spans, in protobuf, JSON and the trailers of gRPC
//
// # gRPC
//
// OTLP needs one unary method, so that net/http speaks the protocol: a message is a flag byte
// (1 if it is compressed by gzip), its length in four bytes and its text; the status comes in
// the trailers grpc-status, grpc-message and grpc-status-details-bin. (gRPC over HTTP2,
// https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md)
package receive
