package receive

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// A code is a status code of gRPC. The answers of OTLP over HTTP use these codes as well.
type code int

const (
	invalidArgument   code = 3
	deadlineExceeded  code = 4
	resourceExhausted code = 8
	unimplemented     code = 12
	internal          code = 13
	unavailable       code = 14
	unauthenticated   code = 16
)

// A refusal says why a request was refused: it is a google.rpc.Status with the corresponding HTTP
// status.
type refusal struct {
	Code    code   `json:"code"`
	Message string `json:"message"`
	http    int    // follows from the code, except for bodies that are too large or of another type
}

// Error implements error.
func (s *refusal) Error() string { return s.Message }

// httpStatus maps the codes that OTLP over HTTP uses to HTTP statuses. A gRPC call always has
// status 200.
var httpStatus = map[code]int{
	invalidArgument:  http.StatusBadRequest,
	deadlineExceeded: http.StatusRequestTimeout,
	unavailable:      http.StatusServiceUnavailable,
}

// statusf returns a refusal.
func statusf(c code, format string, args ...any) *refusal {
	return &refusal{Code: c, Message: fmt.Sprintf(format, args...), http: httpStatus[c]}
}

// busy returns the refusal of a request that should be sent again.
func busy(err error) *refusal {
	return statusf(unavailable, "%v", err)
}

// proto returns the status in protobuf. If the request should be sent again, its details include a
// RetryInfo.
func (s *refusal) proto() []byte {
	text := appendInt(nil, 1, int64(s.Code))
	text = appendBytes(text, 2, []byte(s.Message))
	if s.Code == unavailable {
		delay := appendInt(nil, 1, int64(retryDelay/time.Second))
		detail := appendBytes(nil, 1, []byte("type.googleapis.com/google.rpc.RetryInfo"))
		detail = appendBytes(detail, 2, appendBytes(nil, 1, delay))
		text = appendBytes(text, 3, detail)
	}
	return text
}

// trailers sets the trailers of gRPC. No message follows, so the headers are the trailers.
func (s *refusal) trailers(h http.Header) {
	h.Set("Grpc-Status", strconv.Itoa(int(s.Code)))
	h.Set("Grpc-Message", url.PathEscape(s.Message)) // printable ASCII without %
	h.Set("Grpc-Status-Details-Bin", base64.RawStdEncoding.EncodeToString(s.proto()))
}

// A response is the answer to an export: an ExportTraceServiceResponse with the partial success.
type response struct {
	PartialSuccess struct {
		RejectedSpans int64  `json:"rejectedSpans,omitempty,string"`
		ErrorMessage  string `json:"errorMessage,omitempty"`
	} `json:"partialSuccess"`
}

// proto implements message. It writes the partial success even if it is empty, as the collector
// does.
func (r *response) proto() []byte {
	var text []byte
	if n := r.PartialSuccess.RejectedSpans; n != 0 {
		text = appendInt(text, 1, n)
	}
	if why := r.PartialSuccess.ErrorMessage; why != "" {
		text = appendBytes(text, 2, []byte(why))
	}
	return appendBytes(nil, 1, text)
}

// A message is an answer of OTLP.
type message interface{ proto() []byte }

// appendInt appends a number, and appendBytes a text, as a field of a message in protobuf.
func appendInt(to []byte, field int, n int64) []byte {
	to = binary.AppendUvarint(to, uint64(field)<<3)
	return binary.AppendUvarint(to, uint64(n))
}

func appendBytes(to []byte, field int, text []byte) []byte {
	to = binary.AppendUvarint(to, uint64(field)<<3|2)
	to = binary.AppendUvarint(to, uint64(len(text)))
	return append(to, text...)
}
