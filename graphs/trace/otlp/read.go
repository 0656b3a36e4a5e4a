package otlp

import (
	"bytes"
	"context"
	"io"
	"sync"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
	"github.com/pota-project/pota/graphs/trace/internal/span"
)

// A Span is a span of the model that all formats of spans share, with its ids, and its origins:
// its resource and its scope.
type (
	Span    = span.Span
	TraceID = span.TraceID
	SpanID  = span.ID
	Origin  = span.Origin
)

// ParseID reads the id of a trace: at most 32 hexadecimal digits in either case.
func ParseID(text []byte) (TraceID, bool) { return span.ParseID(text) }

// Detect reports whether text that begins with head is OTLP in JSON, of whatever
// signal.
func Detect(head []byte) bool {
	if !bytes.Contains(head, []byte("esource")) {
		return false
	}
	paths := jsonstream.Paths(head, 2)
	for _, at := range []string{"", "[].", "result.", "trace."} {
		if paths[at+"batches"] {
			return true
		}
		for key := range signals {
			if paths[at+key] || paths[at+snake(key)] {
				return true
			}
		}
	}
	return false
}

// Read reads all traces of a source and closes it. Errors are *trace.Error, or the error of
// ctx. With AllowTruncated, a document that the end of a file cuts off is dropped.
func Read(ctx context.Context, in *trace.Source, opts trace.Options) ([]trace.Execution, error) {
	return span.ReadAll(ctx, in, opts, newDecoder)
}

// UnmarshalJSON returns the spans of a request in JSON. A span may lack its trace id or its
// span id. The other cases that the package documentation refuses are a *trace.Error.
//
// The time complexity of UnmarshalJSON is O(bytes).
func UnmarshalJSON(text []byte) ([]*Span, error) {
	to := new(span.List)
	d := newDecoder(to).(*documents)
	d.messages.anonymous = true
	err := jsonstream.One(context.Background(), "body", bytes.NewReader(text), new(trace.Options), d.Read)
	return to.Spans, err
}

// UnmarshalProto returns the spans of a message TracesData, or of ExportTraceServiceRequest,
// its twin on the wire. A span may lack its trace id or its span id. The other cases that the
// package documentation refuses are errors.
//
// The time complexity of UnmarshalProto is O(bytes).
func UnmarshalProto(message []byte) ([]*Span, error) {
	to := new(span.List)
	m := protoReaders.Get().(*messages)
	w := m.encoding.(*wire)
	m.to, m.anonymous = to, true
	w.text = message

	w.message([]member{{"resourceSpans", 1<<3 | delimited, m.resourceSpans}})
	err := w.err

	*w = wire{}
	m.to = nil
	m.resource, m.scope = nil, nil
	protoReaders.Put(m)
	return to.Spans, err
}

// protoReaders keeps readers of protobuf: making their tables takes longer than reading a small
// request.
var protoReaders = sync.Pool{New: func() any { return newMessages(new(wire), nil) }}

// ReadParts reads the spans of one source that come in parts: documents in JSON, and then spans that
// UnmarshalProto or UnmarshalJSON returned. Errors are those of Read, which name the source.
func ReadParts(
	ctx context.Context, name string, documents io.Reader, spans []*Span, opts trace.Options,
) ([]trace.Execution, error) {
	source := trace.From(name, documents)
	return span.ReadAll(ctx, source, opts, newDecoder, func(to span.Sink) error {
		own := make(map[*Origin]*Origin)
		// Spans of several sources may share an origin, and each source notes its own facts there.
		origin := func(o *Origin) *Origin {
			if own[o] == nil {
				own[o] = to.Origin(&Origin{Service: o.Service, Attributes: o.Attributes})
			}
			return own[o]
		}
		for _, shared := range spans {
			x := *shared
			x.Place = jsonstream.Place{File: name}
			x.Resource, x.Scope = origin(x.Resource), origin(x.Scope)
			if err := to.Add(&x); err != nil {
				return err
			}
		}
		return nil
	})
}
