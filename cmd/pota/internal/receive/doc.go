// Package receive takes what programs send over the network: lines by TCP and by HTTP, spans
// by OTLP over HTTP and over gRPC.
//
// # Addresses
//
//	tcp://HOST:PORT    lines, as they come; tcp:// may be left out
//	http://HOST:PORT   POST /lines, POST /v1/traces, GET /metrics, GET /healthz; 4318 where no port is given
//	grpc://HOST:PORT   the trace service of OTLP; 4317 where no port is given
//
// Listeners that others than this machine can reach need TLS and a token, and all that have
// them use them. The token comes as Authorization: Bearer TOKEN, over TCP in a line of its
// own, Bearer TOKEN, before all others; only /healthz answers without it.
//
// Who sends lines is answered {"lines":12} when so many have been taken, and "error" says what
// is wrong with the one after them; by TCP when the sender has closed its side.
//
// # Bounds
//
// What is sent to a listener takes bounded memory and does not last for ever: so many
// connections are open at a time, and others wait until one closes; so many requests are read
// at a time, and others are told to come again; lines and requests have a longest length; and
// who begins a request, a line of HTTP or a handshake, or is sent an answer, has so long for it.
// A connection of lines may be silent for as long as it lives.
package receive
