package receive

import (
	"context"
	"net"
	"sync"
	"time"
)

// A bounded listener has a number of connections at a time, as many as room holds. Further ones
// are spare: accepted for spareTimeout, the latest ones, so that a request that takes no time is
// answered however many connections are held.
type bounded struct {
	net.Listener
	room  chan struct{}
	spare int // how many are spare at a time

	mu     sync.Mutex
	spares []*conn // the latest, oldest first; some may have been closed
}

// newBounded bounds the connections of a listener.
func newBounded(l net.Listener, connections, spare int) *bounded {
	return &bounded{Listener: l, room: make(chan struct{}, connections), spare: spare}
}

// A conn is a connection of a bounded listener.
type conn struct {
	net.Conn
	spare bool
	once  sync.Once
	free  func()
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.once.Do(c.free)
	return c.Conn.Close()
}

// Accept implements net.Listener.
func (b *bounded) Accept() (net.Conn, error) {
	c, err := b.Listener.Accept()
	if err != nil {
		return nil, err
	}
	select {
	case b.room <- struct{}{}:
		return &conn{Conn: c, free: func() { <-b.room }}, nil
	default:
		return b.addSpare(c), nil
	}
}

// addSpare returns a spare connection, and closes the oldest one where there are too many.
func (b *bounded) addSpare(c net.Conn) *conn {
	s := &conn{Conn: c, spare: true, free: func() {}}
	time.AfterFunc(spareTimeout, func() { _ = s.Close() }) // closing it twice does no harm

	b.mu.Lock()
	defer b.mu.Unlock()
	b.spares = append(b.spares, s)
	if len(b.spares) > b.spare {
		_ = b.spares[0].Close()
		b.spares = append(b.spares[:0], b.spares[1:]...)
	}
	return s
}

// spareKey is the key of a context of a spare connection.
type spareKey struct{}

// withSpare marks the context of a spare connection, for http.Server.ConnContext.
func withSpare(ctx context.Context, c net.Conn) context.Context {
	if wrapped, ok := c.(interface{ NetConn() net.Conn }); ok { // it has TLS
		c = wrapped.NetConn()
	}
	if own, ok := c.(*conn); ok && own.spare {
		return context.WithValue(ctx, spareKey{}, struct{}{})
	}
	return ctx
}

// isSpare reports whether a request came on a spare connection.
func isSpare(ctx context.Context) bool { return ctx.Value(spareKey{}) != nil }
