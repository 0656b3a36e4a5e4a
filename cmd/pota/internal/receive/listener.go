package receive

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// The connections of a server of HTTP beyond maxConnections are spare: accepted for spareTimeout, the
// latest maxSpare of them, so that a request that takes no time is answered however many
// connections are held.
type connections struct {
	open   atomic.Int64       // all of them
	spares [maxSpare]net.Conn // the latest, a ring; some may have been closed
	next   int
}

// spareKey is the key of a context of a spare connection.
type spareKey struct{}

// add counts a connection, and marks the context of a spare one. It is ConnContext of a server, which
// calls it for one connection after the other.
func (all *connections) add(ctx context.Context, c net.Conn) context.Context {
	if all.open.Add(1) <= maxConnections {
		return ctx
	}
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn() // closing the other would write to it first
	}
	time.AfterFunc(spareTimeout, func() { _ = c.Close() }) // closing it twice does no harm
	if oldest := all.spares[all.next]; oldest != nil {
		_ = oldest.Close()
	}
	all.spares[all.next] = c
	all.next = (all.next + 1) % maxSpare
	return context.WithValue(ctx, spareKey{}, true)
}

// changed is ConnState of a server.
func (all *connections) changed(_ net.Conn, state http.ConnState) {
	if state == http.StateClosed {
		all.open.Add(-1)
	}
}

// isSpare reports whether a request came on a spare connection.
func isSpare(ctx context.Context) bool { return ctx.Value(spareKey{}) != nil }
