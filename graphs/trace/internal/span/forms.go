package span

import (
	"math"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
)

// This file reads what Jaeger and Zipkin write in the same form.

// ReadTraceID reads a trace id of up to 32 hexadecimal digits and returns it as it is
// written, too.
func ReadTraceID(r *jsonstream.Reader) (TraceID, string, error) {
	text, err := r.Bytes()
	if err != nil {
		return TraceID{}, "", err
	}
	id, ok := ParseID(text)
	if !ok {
		return id, "", r.Errorf("%s is not a trace id of up to 32 hexadecimal digits", trace.Quote(string(text)))
	}
	return id, string(text), nil
}

// ReadID reads a span id of up to 16 hexadecimal digits.
func ReadID(r *jsonstream.Reader) (ID, error) {
	text, err := r.Bytes()
	if err != nil {
		return 0, err
	}
	id, ok := ParseID(text)
	if !ok || len(text) > 16 {
		return 0, r.Errorf("%s is not a span id of up to 16 hexadecimal digits", trace.Quote(string(text)))
	}
	return ID(id.Low), nil
}

// ReadMicroseconds reads a time and returns it in nanoseconds.
func ReadMicroseconds(r *jsonstream.Reader) (uint64, error) {
	u, err := r.Uint(64)
	if err == nil && u > math.MaxUint64/1000 {
		err = r.Errorf("%d microseconds are beyond the last time", u)
	}
	return u * 1000, err
}
