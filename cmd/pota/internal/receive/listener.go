package receive

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// connections counts the connections of an HTTP server. Those in excess of maxConnections are spare: the
// latest maxSpare of them are accepted for spareTimeout, so that a quick request is answered however many
// connections are open.
type connections struct {
	open   atomic.Int64       // how many are open, including spare ones
	spares [maxSpare]net.Conn // the latest spare ones, as a ring; some may have been closed
	next   int
}

// spareKey is the key of a context of a spare connection.
type spareKey struct{}

// add counts a connection, and marks the context of a spare one. It is used as http.Server.ConnContext; the
// server calls it for one connection at a time.
func (all *connections) add(ctx context.Context, c net.Conn) context.Context {
	if all.open.Add(1) <= maxConnections {
		return ctx
	}
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn() // closing the TLS connection would first write to it
	}
	// closing a connection twice does no harm
	time.AfterFunc(spareTimeout, func() { _ = c.Close() })
	if oldest := all.spares[all.next]; oldest != nil {
		_ = oldest.Close()
	}
	all.spares[all.next] = c
	all.next = (all.next + 1) % maxSpare
	return context.WithValue(ctx, spareKey{}, true)
}

// changed is used as http.Server.ConnState.
func (all *connections) changed(_ net.Conn, state http.ConnState) {
	if state == http.StateClosed {
		all.open.Add(-1)
	}
}

// isSpare reports whether a request came on a spare connection.
func isSpare(ctx context.Context) bool { return ctx.Value(spareKey{}) != nil }
