package receive

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs/trace/otlp"
)

// The bounds of a listener; sizes are in bytes.
const (
	maxConnections = 2048
	maxSpare       = 64      // spare connections
	maxExports     = 16      // at a time
	maxExportSize  = 8 << 20 // as sent and decompressed
	maxLinesSize   = 256 << 20
	maxLineSize    = 256 << 10
	maxHeaderSize  = 64 << 10

	headerTimeout = 10 * time.Second // for a handshake or the header of a request
	exportTimeout = 30 * time.Second // for any request except POST /lines
	linesTimeout  = 2 * time.Minute
	answerTimeout = 10 * time.Second
	idleTimeout   = time.Minute
	spareTimeout  = 2 * time.Second
	endTimeout    = 500 * time.Millisecond // for requests that have begun when the listener ends
	retryDelay    = time.Second            // after which a sender should try again
)

// Options are the handlers and the secrets of a listener.
type Options struct {
	// Lines reads the lines of the connection or request with the given name, and returns how many
	// it accepted. The error is ErrBusy if lines had to wait for longer than patience (0 means no
	// limit), or ErrEnding; otherwise it says why the line after the accepted ones was refused.
	Lines func(name string, in io.Reader, patience time.Duration) (accepted int, err error)
	// Ends requires a newline at the end of a TCP connection, for formats in which a part of a
	// line may also be a line: a connection ends in the same way if its sender is killed.
	Ends bool
	// Spans accepts the spans of a request. It returns how many it refused and why. After an
	// error the sender is asked to send all of them again.
	Spans   func(*Export) (refused int, why string, err error)
	Metrics http.Handler

	TLS   *tls.Config // nil means no TLS
	Token string      // "" means no token
}

// ErrBusy and ErrEnding say why lines were not accepted.
var (
	ErrBusy   = errors.New("too many lines are waiting to be decided; send these again later")
	ErrEnding = errors.New("pota is ending; send these lines again later")
)

// Reasons why a request is refused, or ends before its lines do.
var (
	errConnections = errors.New("too many connections are open; come again later")
	errEncoding    = errors.New("the encoding of a body must be gzip or identity")
	errExports     = errors.New("too many requests are read at a time; send this one again later")
	errExportSize  = statusf(resourceExhausted, "a request must have at most %d MiB", maxExportSize>>20)
	errLinesSize   = fmt.Errorf("the lines of a request must have at most %d MiB", maxLinesSize>>20)
	errLineSize    = fmt.Errorf("a line sent over the network must have at most %d KiB", maxLineSize>>10)
	errSlow        = fmt.Errorf("a request must end within %s", linesTimeout)
	errCut         = errors.New("the last line of a connection must end with a newline, else it may be cut off")
)

// A Listener accepts connections.
type Listener struct {
	Options
	address Address
	net     net.Listener
	ctx     context.Context
	exports chan struct{} // has one element for each export that is being read
	token   [sha256.Size]byte
}

// alive configures probes of silent connections. If the other machine does not answer, its
// connections end after a minute.
var alive = net.KeepAliveConfig{
	Enable:   true,
	Idle:     15 * time.Second,
	Interval: 5 * time.Second,
	Count:    9,
}

// Listen starts to listen at an address. An address other than a loopback one requires TLS and a
// token.
func Listen(ctx context.Context, a Address, o Options) (*Listener, error) {
	if err := a.Permits(o); err != nil {
		return nil, err
	}
	config := net.ListenConfig{KeepAliveConfig: alive}
	at, err := config.Listen(ctx, "tcp", a.At)
	if err != nil {
		return nil, err
	}
	return newListener(ctx, a, at, o), nil
}

// newListener returns a listener that accepts from at.
func newListener(ctx context.Context, a Address, at net.Listener, o Options) *Listener {
	return &Listener{
		Options: o,
		address: a,
		net:     at,
		ctx:     ctx,
		exports: make(chan struct{}, maxExports),
		token:   sha256.Sum256([]byte(o.Token)),
	}
}

// Address returns the address with the port that the system chose for port 0.
func (l *Listener) Address() Address { return Address{l.address.Scheme, l.net.Addr().String()} }

// Serve receives until the context of Listen is done, and returns when all requests in progress
// have ended.
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

// serve runs an HTTP server.
func (l *Listener) serve(server *http.Server) error {
	server.ReadHeaderTimeout = headerTimeout
	server.MaxHeaderBytes = maxHeaderSize
	server.TLSConfig = l.TLS.Clone() // the server adds its protocols
	server.ErrorLog = log.New(io.Discard, "", 0)
	all := new(connections)
	server.ConnContext = all.add
	server.ConnState = all.changed

	down := make(chan struct{})
	stop := context.AfterFunc(l.ctx, func() {
		defer close(down)
		ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			_ = server.Close()
		}
	})
	defer func() {
		if !stop() { // Serve does not wait for answers in progress
			<-down
		}
	}()
	if l.TLS != nil {
		return server.ServeTLS(l.net, "", "")
	}
	return server.Serve(l.net)
}

// trusts reports whether the credentials of a request, the values of one header, are the token. The
// time of the comparison does not depend on the token. The scheme name Bearer may be written in any
// case (RFC 9110, section 11.1).
func (l *Listener) trusts(credentials ...string) bool {
	if l.Token == "" {
		return true
	}
	if len(credentials) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(credentials[0], " ")
	sum := sha256.Sum256([]byte(token))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], l.token[:]) == 1
}

// ParseToken returns the token in the text of a file, which must be one word. Surrounding white space
// and a byte order mark are removed.
func ParseToken(text string) (string, error) {
	token := strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if token == "" {
		return "", errors.New("a token must be one word, the file is empty")
	}
	for _, c := range token {
		if c <= ' ' || c > '~' {
			return "", fmt.Errorf("a token must be one word of printable ASCII, not one with %q", c)
		}
	}
	return token, nil
}

// An Export has the spans of a request, and the body that they were read from.
type Export struct {
	Spans []*otlp.Span
	Body  []byte // decompressed
	JSON  bool   // whether the body is JSON rather than protobuf
}

// ReadExport reads the spans in a body.
func ReadExport(body []byte, json bool) (*Export, error) {
	unmarshal := otlp.UnmarshalProto
	if json {
		unmarshal = otlp.UnmarshalJSON
	}
	spans, err := unmarshal(body)
	if err != nil {
		return nil, err
	}
	return &Export{Spans: spans, Body: body, JSON: json}, nil
}

// readExport reads a whole export. The error is errExportSize if it is too large.
func readExport(body io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(body, maxExportSize+1))
	if err == nil && len(text) > maxExportSize {
		err = errExportSize
	}
	return text, err
}

// noSpans returns the refusal of a body that cannot be decoded. Its sender must not send it again.
func noSpans(err error) *refusal {
	return statusf(invalidArgument, "these are no spans: %v", err)
}

// export hands over the spans of a request.
func (l *Listener) export(body []byte, json bool) (*response, *refusal) {
	all, err := ReadExport(body, json)
	if err != nil {
		return nil, noSpans(err)
	}
	r := new(response)
	refused, why, err := l.Spans(all)
	if err != nil {
		return nil, busy(err)
	}
	r.PartialSuccess.RejectedSpans = int64(refused)
	r.PartialSuccess.ErrorMessage = why
	return r, nil
}
