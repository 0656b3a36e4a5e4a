package receive

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

// exportMethod is the path of the only method of the trace service.
const exportMethod = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

// serveGRPC serves only HTTP/2; without TLS, from the first byte (prior knowledge), because clients of
// gRPC do not use an upgrade. Pings find connections whose other side is gone.
func (l *Listener) serveGRPC() error {
	server := &http.Server{
		Handler:   http.HandlerFunc(l.unary),
		Protocols: new(http.Protocols),
		HTTP2: &http.HTTP2Config{
			MaxConcurrentStreams: maxExports,
			SendPingTimeout:      exportTimeout,
			PingTimeout:          answerTimeout,
		},
	}
	server.Protocols.SetHTTP2(l.TLS != nil)
	server.Protocols.SetUnencryptedHTTP2(l.TLS == nil)
	return l.serve(server)
}

// unary answers a call of the method Export.
func (l *Listener) unary(w http.ResponseWriter, r *http.Request) {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if r.Method != http.MethodPost || kind != "application/grpc" && kind != "application/grpc+proto" {
		http.Error(w, "the type of a body must be application/grpc", http.StatusUnsupportedMediaType)
		return
	}
	w.Header().Set("Content-Type", "application/grpc")
	w.Header().Set("Grpc-Accept-Encoding", "gzip")
	answer, refused := l.call(w, r)
	if refused != nil {
		refused.trailers(w.Header())
		return
	}
	text := answer.proto()
	frame := make([]byte, frameHeader, frameHeader+len(text))
	binary.BigEndian.PutUint32(frame[1:], uint32(len(text)))
	_, _ = w.Write(append(frame, text...))
	w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
}

// call reads the message of a call and exports its spans.
func (l *Listener) call(w http.ResponseWriter, r *http.Request) (*response, *refusal) {
	switch {
	case r.URL.Path != exportMethod:
		return nil, statusf(unimplemented, "%s is not a method here: there is %s", r.URL.Path, exportMethod)
	case !l.trusts(r.Header.Values("Authorization")...):
		return nil, statusf(unauthenticated, "the header authorization must be Bearer and the token")
	case isSpare(r.Context()):
		return nil, busy(errConnections)
	}
	// Unlike over HTTP, no call waits here: exporters of gRPC retry by themselves, as RetryInfo
	// requests.
	select {
	case l.exports <- struct{}{}:
		defer func() { <-l.exports }()
	default:
		return nil, busy(errExports)
	}

	// The deadline ends reading. The answer has its own deadline, otherwise the client would never get it.
	// A client that has less time, according to grpc-timeout, ends the call itself.
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(exportTimeout))
	_ = control.SetWriteDeadline(time.Now().Add(exportTimeout + answerTimeout))
	text, err := readMessage(r)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, statusf(deadlineExceeded, "the call has taken longer than %s", exportTimeout)
	}
	if refused, ok := errors.AsType[*refusal](err); ok {
		return nil, refused
	}
	if err != nil {
		return nil, statusf(internal, "the call ends too soon: %v", err)
	}
	return l.export(text, false)
}

// frameHeader is how many bytes precede a message: a flag and a length.
const frameHeader = 5

// readMessage reads the only message of a call, and checks that none follows.
func readMessage(r *http.Request) ([]byte, error) {
	var header [frameHeader]byte
	if _, err := io.ReadFull(r.Body, header[:]); err != nil {
		return nil, err
	}
	length := binary.BigEndian.Uint32(header[1:])
	encoding := r.Header.Get("Grpc-Encoding")
	switch {
	case length > maxExportSize:
		return nil, errExportSize
	case header[0] > 1:
		return nil, statusf(internal, "the flag of a message must be 0 or 1, not %d", header[0])
	case header[0] == 1 && encoding == "":
		return nil, statusf(internal, "a message is compressed without a header grpc-encoding")
	}
	text, err := io.ReadAll(io.LimitReader(r.Body, int64(length)))
	if err == nil && len(text) < int(length) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	switch n, err := r.Body.Read(header[:1]); {
	case n > 0:
		return nil, statusf(unimplemented, "a call must have one message")
	case err != io.EOF:
		return nil, err
	}

	if header[0] == 0 {
		return text, nil
	}
	body, err := decompressed(bytes.NewReader(text), encoding)
	if errors.Is(err, errEncoding) {
		return nil, statusf(unimplemented, "%v", err)
	}
	if err == nil {
		text, err = readExport(body)
	}
	if err != nil && err != errExportSize {
		err = statusf(internal, "a message cannot be decompressed: %v", err)
	}
	return text, err
}
