package receive

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"golang.org/x/net/netutil"
)

// The bounds of a listener.
const (
	mostConnections = 2048
	mostExports     = 16      // that are read at a time
	longestExport   = 8 << 20 // bytes, as sent and decompressed
	longestLine     = 256 << 10
	longestHeader   = 64 << 10

	timeToBegin  = 10 * time.Second // a request, a handshake
	timeToGoOn   = 30 * time.Second // with a request
	timeToAnswer = 10 * time.Second
	timeIdle     = time.Minute            // between requests
	timeToEnd    = 500 * time.Millisecond // requests that were begun, at the end
	comeAgain    = time.Second            // told to who is to send again
)

// Options say what is done with what comes.
type Options struct {
	// Lines takes the lines of a connection or request, which name tells from others, and
	// returns how many it took. The error is ErrBusy where some had to wait for longer than
	// patience, 0 for any time, or ErrEnding; else it says what is wrong with the line after those taken.
	Lines func(name string, in io.Reader, patience time.Duration) (taken int, err error)
	// Ends says that a part of a line may be a line, too, so that by TCP the last one needs an end: a connection
	// ends in the same way when the sender is killed.
	Ends bool
	// Spans takes spans. It returns how many it refused and why. An error is for all of
	// them, and its sender is to send them again.
	Spans   func(ptrace.Traces) (refused int, why string, err error)
	Metrics http.Handler

	TLS   *tls.Config // nil for none
	Token string      // "" for none
}

// ErrBusy and ErrEnding say why lines were not taken.
var (
	ErrBusy   = errors.New("too many lines are waiting to be decided; send these again later")
	ErrEnding = errors.New("pota is ending; send these lines again later")
)

// errLong says that a line is too long.
var errLong = fmt.Errorf("a line sent over the network must have at most %d KiB", longestLine>>10)

// errCut says that a line may be a part of one.
var errCut = errors.New("the last line of a connection must end with a newline, else it may be cut off")

// A Listener accepts connections.
type Listener struct {
	Options
	address Address
	net     net.Listener
	ctx     context.Context
	exports chan struct{} // holds those that are being read
	token   [sha256.Size]byte
}

// alive asks whether a machine still answers from which nothing comes: without an answer its connections end
// after a minute.
var alive = net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 9}

// Listen begins to listen at an address.
func Listen(ctx context.Context, a Address, o Options) (*Listener, error) {
	if !a.Loopback() && (o.TLS == nil || o.Token == "") {
		return nil, fmt.Errorf("others than this machine can reach %s: that needs TLS and a token", a)
	}
	config := net.ListenConfig{KeepAliveConfig: alive}
	at, err := config.Listen(ctx, "tcp", a.At)
	if err != nil {
		return nil, err
	}
	l := &Listener{Options: o, address: a, net: netutil.LimitListener(at, mostConnections), ctx: ctx, exports: make(chan struct{}, mostExports)}
	l.token = sha256.Sum256([]byte(o.Token))
	return l, nil
}

// Address returns where it listens.
func (l *Listener) Address() Address { return Address{l.address.Scheme, l.net.Addr().String()} }

// Serve takes what comes until the context of Listen is done, and returns when all that was
// begun has ended.
func (l *Listener) Serve() error {
	var err error
	switch l.address.Scheme {
	case "http":
		err = l.serveHTTP()
	case "grpc":
		err = l.serveGRPC()
	default:
		l.serveTCP()
	}
	if l.ctx.Err() != nil {
		return nil
	}
	return err
}

// trusted reports whether a token is the one that is asked for, in a time that does not
// depend on it.
func (l *Listener) trusted(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return l.Token == "" || subtle.ConstantTimeCompare(sum[:], l.token[:]) == 1
}

// tokenOf returns the token of credentials; not ok where they are not of the scheme Bearer, whose
// name may be written in any case (RFC 9110, section 11.1).
func tokenOf(credentials string) (token string, ok bool) {
	scheme, token, ok := strings.Cut(credentials, " ")
	return token, ok && strings.EqualFold(scheme, "Bearer")
}

// exporting calls read for a request, unless too many are read already.
func (l *Listener) exporting(read func()) bool {
	select {
	case l.exports <- struct{}{}:
		defer func() { <-l.exports }()
		read()
		return true
	case <-time.After(comeAgain):
		return false
	}
}

func (l *Listener) serveTCP() {
	at := l.net
	if l.TLS != nil {
		at = tls.NewListener(at, l.TLS)
	}
	defer context.AfterFunc(l.ctx, func() { at.Close() })() //nolint:errcheck // nobody listens
	var group sync.WaitGroup
	defer group.Wait()
	for number := 1; ; number++ {
		c, err := at.Accept()
		switch {
		case l.ctx.Err() != nil:
			return
		case err != nil: // too many files are open
			time.Sleep(comeAgain / 10)
			continue
		}
		group.Go(func() { l.connection(c, fmt.Sprintf("connection %d", number)) })
	}
}

// connection takes the lines of a connection, answers when all have been taken, or one is
// refused, and closes it.
func (l *Listener) connection(c net.Conn, name string) {
	defer c.Close() //nolint:errcheck // nobody is there to be told
	defer context.AfterFunc(l.ctx, func() {
		c.SetReadDeadline(time.Now())                   //nolint:errcheck // connections have deadlines
		time.AfterFunc(timeToEnd, func() { c.Close() }) //nolint:errcheck // what was taken has been told by then
	})()
	in := io.Reader(c)
	if l.TLS != nil || l.Token != "" {
		c.SetDeadline(time.Now().Add(timeToBegin)) //nolint:errcheck // connections have deadlines
		first := bufio.NewReaderSize(c, 4<<10)
		if l.Token != "" {
			line, err := first.ReadSlice('\n')
			if token, ok := tokenOf(strings.TrimRight(string(line), "\r\n")); err != nil || !ok || !l.trusted(token) {
				io.WriteString(c, "the first line must be Bearer and the token that is asked for\n") //nolint:errcheck // who does not listen is not told
				return
			}
		} else if _, err := first.Peek(1); err != nil {
			return
		}
		c.SetDeadline(time.Time{}) //nolint:errcheck // as above
		in = first
	}
	taken, err := l.Lines(name, &lines{in: in, ends: l.Ends}, 0)
	c.SetWriteDeadline(time.Now().Add(timeToAnswer)) //nolint:errcheck // as above
	answerLines(c, taken, err)
}

// answerLines tells who sent lines how many were taken, and what is wrong with the one after
// them. That a connection ends would not: it also does when the program is killed.
func answerLines(to io.Writer, taken int, err error) {
	answer := struct {
		Lines int    `json:"lines"`
		Error string `json:"error,omitempty"`
	}{Lines: taken}
	if err != nil {
		answer.Error = err.Error()
	}
	json.NewEncoder(to).Encode(answer) //nolint:errcheck // who does not listen is not told
}

// lines reads lines that are not too long.
type lines struct {
	in   io.Reader
	room func() // is called before each Read, nil for nothing
	last int    // bytes since the last line ended
	ends bool   // the last one must end
}

func (r *lines) Read(p []byte) (int, error) {
	if r.room != nil {
		r.room()
	}
	n, err := r.in.Read(p[:min(len(p), longestLine)]) // so that only the first line in it can be too long
	first := bytes.IndexByte(p[:n], '\n')
	if first < 0 {
		first = n
	}
	if r.last+first > longestLine {
		return 0, errLong
	}
	if i := bytes.LastIndexByte(p[:n], '\n'); i >= 0 {
		r.last = n - i - 1
	} else {
		r.last += n
	}
	if err == io.EOF && r.ends && r.last > 0 {
		err = errCut
	}
	return n, err
}
