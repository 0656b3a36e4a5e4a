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

// These are the types of the model that all formats of spans share: a span, its ids, and its
// origins, the resource and the scope.
type (
	Span    = span.Span
	TraceID = span.TraceID
	SpanID  = span.ID
	Origin  = span.Origin
)

// ParseID reads a trace id: at most 32 hexadecimal digits in either case.
func ParseID(text []byte) (TraceID, bool) { return span.ParseID(text) }

// Detect reports whether text that begins with head is OTLP in JSON, of any signal.
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

// Read reads all traces of a source and closes it. Its errors are *trace.Error, or the error of
// ctx. With AllowTruncated, it drops a document that the end of a file cuts off.
func Read(ctx context.Context, in *trace.Source, opts trace.Options) ([]trace.Execution, error) {
	return span.ReadAll(ctx, in, opts, newDecoder)
}

// UnmarshalJSON returns the spans of a request in JSON. A span may lack its trace id or its span
// id. For the other inputs that the package documentation refuses, the error is a *trace.Error.
//
// The time complexity of UnmarshalJSON is O(bytes).
func UnmarshalJSON(text []byte) ([]*Span, error) {
	to := new(span.List)
	d := newDecoder(to).(*documents)
	d.messages.anonymous = true
	err := jsonstream.One(context.Background(), "body", bytes.NewReader(text), new(trace.Options), d.Read)
	return to.Spans, err
}

// UnmarshalProto returns the spans of a message TracesData, or of ExportTraceServiceRequest, which
// has the same encoding. A span may lack its trace id or its span id. The other inputs that the
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

// protoReaders reuses protobuf readers: building their tables takes longer than reading a small
// request.
var protoReaders = sync.Pool{New: func() any { return newMessages(new(wire), nil) }}

// ReadParts reads the spans of one source in parts: first JSON documents, then spans that
// UnmarshalProto or UnmarshalJSON returned. Its errors are those of Read, and name the source.
func ReadParts(
	ctx context.Context, name string, documents io.Reader, spans []*Span, opts trace.Options,
) ([]trace.Execution, error) {
	source := trace.From(name, documents)
	return span.ReadAll(ctx, source, opts, newDecoder, func(to span.Sink) error {
		own := make(map[*Origin]*Origin)
		// Several sources may share an origin, and each records its own facts in it.
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
