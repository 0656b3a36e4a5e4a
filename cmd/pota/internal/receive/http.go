package receive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"mime"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzip"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

func (l *Listener) serveHTTP() error {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /lines", l.lines())
	mux.HandleFunc("POST /v1/traces", l.traces)
	mux.Handle("GET /metrics", l.Metrics)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") }) //nolint:errcheck // nobody is there to be told
	server := &http.Server{
		Handler:           l.guard(mux),
		ReadHeaderTimeout: timeToBegin, IdleTimeout: timeIdle, MaxHeaderBytes: longestHeader,
		TLSConfig: l.TLS.Clone(), // the server adds its protocols
		HTTP2:     &http.HTTP2Config{MaxConcurrentStreams: mostExports},
		ErrorLog:  log.New(io.Discard, "", 0), // of handshakes and headers that are none
	}
	down := make(chan struct{})
	stop := context.AfterFunc(l.ctx, func() {
		defer close(down)
		ctx, cancel := context.WithTimeout(context.Background(), timeToEnd)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			server.Close() //nolint:errcheck // nothing is left to do
		}
	})
	defer func() {
		if !stop() { // Serve does not wait for what is being answered
			<-down
		}
	}()
	if l.TLS != nil {
		return server.ServeTLS(l.net, "", "")
	}
	return server.Serve(l.net)
}

// guard refuses what does not have the token, or comes from the page of somebody else that a
// browser shows, and gives each request its time.
func (l *Listener) guard(to http.Handler) http.Handler {
	to = http.NewCrossOriginProtection().Handler(to)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		control.SetReadDeadline(time.Now().Add(timeToGoOn))                 //nolint:errcheck // connections have deadlines
		control.SetWriteDeadline(time.Now().Add(timeToGoOn + timeToAnswer)) //nolint:errcheck // likewise
		token, ok := tokenOf(r.Header.Get("Authorization"))
		switch {
		case l.Token == "" && !local(r.Host):
			http.Error(w, "without a token, this address is known as localhost or by its number", http.StatusForbidden)
		case l.Token != "" && !(ok && l.trusted(token)) && r.URL.Path != "/healthz":
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the header Authorization must be Bearer and the token that is asked for", http.StatusUnauthorized)
		default:
			to.ServeHTTP(w, r)
		}
	})
}

// local reports whether a host cannot be a name that somebody else gave to this machine. Browsers send one;
// "" is of a probe by HTTP/1.0.
func local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return host == "" || host == "localhost" || net.ParseIP(strings.Trim(host, "[]")) != nil
}

// lines returns what answers POST /lines: how many lines were taken, and what is wrong with the
// one after them.
func (l *Listener) lines() http.HandlerFunc {
	var number atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		body, err := decompressed(r)
		taken := 0
		if err == nil {
			taken, err = l.Lines(fmt.Sprintf("request %d", number.Add(1)), &lines{in: body, room: func() {
				control.SetReadDeadline(time.Now().Add(timeToGoOn)) //nolint:errcheck // connections have deadlines
			}}, timeToAnswer)
		}
		control.SetWriteDeadline(time.Now().Add(timeToAnswer)) //nolint:errcheck // likewise
		code := http.StatusOK
		if err != nil {
			code = http.StatusBadRequest
		}
		if err == ErrBusy || err == ErrEnding {
			code = http.StatusServiceUnavailable
			w.Header().Set("Retry-After", retryAfter)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		answerLines(w, taken, err)
	}
}

// retryAfter is comeAgain as a header has it.
var retryAfter = strconv.Itoa(int(comeAgain.Seconds()))

// decompressed returns the body of a request.
func decompressed(r *http.Request) (io.Reader, error) {
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
		return r.Body, nil
	case "gzip":
		body, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, fmt.Errorf("the body is not gzip, as its header says: %w", err)
		}
		return body, nil
	default:
		return nil, fmt.Errorf("the encoding of a body must be gzip or identity, not %q", encoding)
	}
}

// traces answers POST /v1/traces.
func (l *Listener) traces(w http.ResponseWriter, r *http.Request) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != protobuf && kind != inJSON {
		answer(w, protobuf, http.StatusUnsupportedMediaType, status.Newf(codes.InvalidArgument, "the type of a body must be %s or %s", protobuf, inJSON))
		return
	}
	read := l.exporting(func() {
		request := ptraceotlp.NewExportRequest()
		r.Body = http.MaxBytesReader(w, r.Body, longestExport)
		body, err := decompressed(r)
		var text []byte
		if err == nil {
			text, err = io.ReadAll(io.LimitReader(body, longestExport+1))
		}
		switch {
		case err == nil && len(text) > longestExport:
			err = &http.MaxBytesError{Limit: longestExport}
		case err == nil && kind == protobuf:
			err = request.UnmarshalProto(text)
		case err == nil:
			err = request.UnmarshalJSON(text)
		}
		var long *http.MaxBytesError
		switch {
		case errors.As(err, &long):
			answer(w, kind, http.StatusRequestEntityTooLarge, status.Newf(codes.InvalidArgument, "a request must have at most %d MiB", longestExport>>20))
			return
		case err != nil:
			answer(w, kind, http.StatusBadRequest, status.Newf(codes.InvalidArgument, "these are no spans: %v", err))
			return
		}
		response, err := l.export(request)
		if err != nil {
			answer(w, kind, http.StatusServiceUnavailable, status.New(codes.Unavailable, err.Error()))
			return
		}
		marshal := response.MarshalProto
		if kind == inJSON {
			marshal = response.MarshalJSON
		}
		if text, err = marshal(); err != nil {
			panic("this cannot happen, because responses have a text: " + err.Error())
		}
		send(w, kind, http.StatusOK, text)
	})
	if !read {
		answer(w, kind, http.StatusServiceUnavailable, status.New(codes.Unavailable, errExports.Error()))
	}
}

const protobuf, inJSON = "application/x-protobuf", "application/json"

var errExports = errors.New("too many requests are read at a time; send this one again later")

// export takes the spans of a request.
func (l *Listener) export(request ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	response := ptraceotlp.NewExportResponse()
	refused, why, err := l.Spans(request.Traces())
	if refused > 0 {
		response.PartialSuccess().SetRejectedSpans(int64(refused))
		response.PartialSuccess().SetErrorMessage(why)
	}
	return response, err
}

// answer tells what is wrong with a request.
func answer(w http.ResponseWriter, kind string, code int, s *status.Status) {
	marshal := proto.Marshal
	if kind == inJSON {
		marshal = protojson.Marshal
	}
	text, err := marshal(s.Proto())
	if err != nil {
		text = nil // the code says enough
	}
	if code == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", retryAfter)
	}
	send(w, cmp.Or(kind, protobuf), code, text)
}

func send(w http.ResponseWriter, kind string, code int, text []byte) {
	http.NewResponseController(w).SetWriteDeadline(time.Now().Add(timeToAnswer)) //nolint:errcheck // connections have deadlines
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(code)
	w.Write(text) //nolint:errcheck // nobody is there to be told
}
