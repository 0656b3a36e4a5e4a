package receive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzip"
)

// serveHTTP serves lines and spans, metrics and health.
func (l *Listener) serveHTTP() error {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /lines", l.lines())
	mux.HandleFunc("POST /v1/traces", l.traces)
	mux.Handle("GET /metrics", l.Metrics)
	health := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	mux.Handle("GET /healthz", health)
	return l.serve(&http.Server{
		Handler:     l.guard(mux, health),
		IdleTimeout: idleTimeout,
		HTTP2:       &http.HTTP2Config{MaxConcurrentStreams: maxExports},
	})
}

// guard refuses requests without the token, and those that a browser sends for the page of
// another site. It bounds the time of each request. On a spare connection only health answers.
func (l *Listener) guard(to, health http.Handler) http.Handler {
	to = http.NewCrossOriginProtection().Handler(to)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		timeout := exportTimeout
		if r.URL.Path == "/lines" {
			timeout = linesTimeout
		}
		ctx, cancel := context.WithTimeout(r.Context(), timeout)
		defer cancel()
		r = r.WithContext(ctx)
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(time.Now().Add(timeout))
		_ = control.SetWriteDeadline(time.Now().Add(timeout + answerTimeout))
		spare := isSpare(ctx)
		if spare {
			w.Header().Set("Connection", "close")
		}

		// Without a token, the page of another site could send requests under a name that its
		// owner gives to this machine (DNS rebinding).
		switch {
		case l.Token == "" && !local(r.Host):
			http.Error(w, "without a token, this address is known as localhost or by its number", http.StatusForbidden)
		case r.URL.Path == "/healthz" && spare:
			health.ServeHTTP(w, r)
		case r.URL.Path != "/healthz" && !l.trusts(r.Header.Values("Authorization")...):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the header Authorization must be Bearer and the token", http.StatusUnauthorized)
		case spare:
			w.Header().Set("Retry-After", retryAfter)
			http.Error(w, errConnections.Error(), http.StatusServiceUnavailable)
		default:
			to.ServeHTTP(w, r)
		}
	})
}

// local reports whether a host cannot be a name that another party gave to this machine.
// Browsers always send a host; a probe by HTTP/1.0 may send none.
func local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return host == "" || host == "localhost" || net.ParseIP(strings.Trim(host, "[]")) != nil
}

// lines returns the handler of POST /lines. It answers with the number of accepted lines, and the
// reason why the next one was refused.
func (l *Listener) lines() http.HandlerFunc {
	var number atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) {
		in := &lines{ctx: r.Context(), slow: errSlow, most: maxLinesSize}
		accepted := 0
		var err error
		if in.in, err = decompressed(r.Body, r.Header.Get("Content-Encoding")); err == nil {
			accepted, err = l.Lines(fmt.Sprintf("request %d", number.Add(1)), in, answerTimeout)
		}

		status := http.StatusOK
		switch {
		case err == ErrBusy || err == ErrEnding:
			status = http.StatusServiceUnavailable
			w.Header().Set("Retry-After", retryAfter)
		case in.failed == errSlow:
			status = http.StatusRequestTimeout
		case in.failed == errLinesSize:
			status = http.StatusRequestEntityTooLarge
		case err != nil:
			status = http.StatusBadRequest
		}
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTimeout))
		w.Header().Set("Content-Type", jsonType)
		w.WriteHeader(status)
		answerLines(w, accepted, err)
	}
}

// retryAfter is retryDelay in the form of the header Retry-After.
var retryAfter = strconv.Itoa(int(retryDelay.Seconds()))

// decompressed returns the text of a body in an encoding of HTTP.
func decompressed(body io.Reader, encoding string) (io.Reader, error) {
	switch encoding {
	case "", "identity":
		return body, nil
	case "gzip":
		text, err := gzip.NewReader(body)
		if err != nil {
			return nil, fmt.Errorf("the body is not gzip, as its header says: %w", err)
		}
		return text, nil
	}
	return nil, fmt.Errorf("%w, not %q", errEncoding, encoding)
}

// The media types of OTLP.
const (
	protobuf = "application/x-protobuf"
	jsonType = "application/json"
)

// traces answers POST /v1/traces.
func (l *Listener) traces(w http.ResponseWriter, r *http.Request) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != protobuf && kind != jsonType {
		refused := statusf(invalidArgument, "the type of a body must be %s or %s", protobuf, jsonType)
		refused.http = http.StatusUnsupportedMediaType
		answer(w, protobuf, refused.http, refused)
		return
	}
	response, refused := l.request(w, r, kind == jsonType)
	switch {
	case refused == nil:
		answer(w, kind, http.StatusOK, response)
	case refused.http == http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", retryAfter)
		fallthrough
	default:
		answer(w, kind, refused.http, refused)
	}
}

// request exports the spans in the body of a request. If too many others are being read, it waits for
// up to retryDelay.
func (l *Listener) request(w http.ResponseWriter, r *http.Request, json bool) (*response, *refusal) {
	select {
	case l.exports <- struct{}{}:
		defer func() { <-l.exports }()
	case <-time.After(retryDelay):
		return nil, busy(errExports)
	}

	// The bound applies to the bytes that are sent and, in readExport, to the decompressed ones.
	limited := http.MaxBytesReader(w, r.Body, maxExportSize)
	body, err := decompressed(limited, r.Header.Get("Content-Encoding"))
	var text []byte
	if err == nil {
		text, err = readExport(body)
	}
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case tooLarge || err == errExportSize:
		refused := statusf(invalidArgument, "%v", errExportSize)
		refused.http = http.StatusRequestEntityTooLarge
		return nil, refused
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, statusf(deadlineExceeded, "a request must end within %s", exportTimeout)
	case err != nil:
		return nil, noSpans(err)
	}
	return l.export(text, json)
}

// answer writes the answer to an export in a media type.
func answer(w http.ResponseWriter, kind string, status int, m message) {
	text := m.proto()
	if kind == jsonType {
		text, _ = json.Marshal(m) // numbers and strings can always be encoded in JSON
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTimeout))
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write(text)
}
