package zipkin

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/nearmiss"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
	"github.com/pota-project/pota/graphs/trace/internal/span"
)

// telling are keys, other than ids, that identify a single object as a span.
var telling = strings.Fields(
	"name kind timestamp duration localEndpoint annotations binaryAnnotations tags")

// Detect reports whether text that begins with head looks like spans of Zipkin, including version
// 1.
func Detect(head []byte) bool {
	if !bytes.Contains(head, []byte(`"traceId"`)) {
		return false
	}
	paths := jsonstream.Paths(head, 3)
	for _, at := range []string{"[].", "", "[][]."} {
		if !paths[at+"traceId"] || !paths[at+"id"] {
			continue
		}
		if at != "" {
			return true
		}
		if paths["process"] { // an event of the native format, with a wrong key
			return false
		}
		return slices.ContainsFunc(telling, func(key string) bool { return paths[key] })
	}
	return false
}

// Read reads all traces of a source and closes it. Its errors are *trace.Error, or the error of
// ctx. With AllowTruncated, it drops a document that the end of a file cuts off.
func Read(ctx context.Context, in *trace.Source, opts trace.Options) ([]trace.Execution, error) {
	return span.ReadAll(ctx, in, opts, newDecoder)
}

// A decoder reads documents into spans.
type decoder struct {
	span.Decoder
	local, remote endpoint
	duration      uint64 // nanoseconds
}

func newDecoder(to span.Sink) span.Format { return &decoder{Decoder: span.Decoder{Sink: to}} }

type endpoint struct {
	service, ipv4, ipv6 string
	port                uint64
}

// Read implements span.Format: a document is a span, or an array of them, or an array of
// arrays.
func (d *decoder) Read(r *jsonstream.Reader) error {
	return d.Each(r, d.spanMembers, func() { d.Elements(2, d.span) })
}

// span reads a span and adds it, with a resource and attributes from its endpoints.
func (d *decoder) span() {
	d.local, d.remote = endpoint{}, endpoint{}
	d.duration = 0
	if !d.Span("traceId", "id") {
		return
	}
	x := &d.X
	d.EndAfter(d.duration)
	if x.Start == 0 || d.duration == 0 {
		x.End = 0
	}
	o := &span.Origin{Service: d.local.service}
	span.AddText(&o.Attributes, "net.host.ip", d.local.ipv4)
	span.AddText(&o.Attributes, "net.host.ip6", d.local.ipv6)
	x.Resource = d.Origin(o)
	addPort(&x.Attributes, "net.host.port", d.local.port)
	span.AddText(&x.Attributes, "peer.service", d.remote.service)
	span.AddText(&x.Attributes, "net.peer.ip", d.remote.ipv4)
	span.AddText(&x.Attributes, "net.peer.ip6", d.remote.ipv6)
	addPort(&x.Attributes, "net.peer.port", d.remote.port)
	for _, a := range x.Attributes {
		if a.Key == "error" {
			x.Status = span.Error
		}
	}
	if d.Err() == nil {
		d.Stop(d.Add(x))
	}
}

// addPort adds an attribute for the port of an endpoint, if it has one.
func addPort(to *[]span.Attribute, key string, port uint64) {
	if port != 0 {
		*to = append(*to, span.Attribute{Key: key, Value: graphs.Int(int64(port))})
	}
}

// spanMembers returns the members of a span: all spans are read into d.X.
func (d *decoder) spanMembers() span.Members {
	x := &d.X
	return span.Members{
		{"traceId", d.TraceOfSpan},
		{"id", span.Into(&x.ID, d.ID)},
		{"parentId", span.Into(&x.Parent, d.ID)},
		{"kind", span.Into(&x.Kind, d.kind)},
		{"name", span.Into(&x.Name, d.String)},
		{"timestamp", span.Into(&x.Start, d.Microseconds)},
		{"duration", span.Into(&d.duration, d.Microseconds)},
		{"localEndpoint", func() { d.endpoint(&d.local) }},
		{"remoteEndpoint", func() { d.endpoint(&d.remote) }},
		{"annotations", d.ArrayOf(d.annotation)},
		{"tags", func() { d.Object(d.tag) }},
		{"shared", d.Ignore},
		{"debug", d.Ignore},
		{"binaryAnnotations", d.version1("binaryAnnotations")},
	}
}

// tag reads the value of a tag, which is always a text.
func (d *decoder) tag(key []byte) {
	a := span.Attribute{Key: string(key)}
	if a.Key == "" {
		d.Fail("a tag without a key")
	}
	a.Value = graphs.Str(d.String())
	d.X.Attributes = append(d.X.Attributes, a)
}

// version1 returns a function that refuses a member of version 1.
func (d *decoder) version1(key string) func() {
	return func() { d.Fail("%s belongs to version 1 of the format; only version 2 is read", key) }
}

// The kinds that Zipkin defines.
var (
	kinds     = []span.Kind{span.Client, span.Server, span.Producer, span.Consumer}
	kindNames = []string{"CLIENT", "SERVER", "PRODUCER", "CONSUMER"}
)

// kind reads a kind by its name.
func (d *decoder) kind() span.Kind {
	text := d.String()
	i := slices.Index(kindNames, text)
	if i < 0 {
		d.Fail("%s is not a kind of span%s", trace.Quote(text), nearmiss.Hint(text, kindNames))
		return 0
	}
	return kinds[i]
}

// endpoint reads an endpoint.
func (d *decoder) endpoint(e *endpoint) {
	d.Members(span.Members{
		{"serviceName", span.Into(&e.service, d.String)},
		{"ipv4", span.Into(&e.ipv4, d.String)},
		{"ipv6", span.Into(&e.ipv6, d.String)},
		{"port", func() { e.port = d.Uint(16) }},
	})
}

// annotation reads an annotation as a span event.
func (d *decoder) annotation() {
	e := d.X.AddEvent()
	d.Members(span.Members{
		{"timestamp", span.Into(&e.Time, d.Microseconds)},
		{"value", span.Into(&e.Name, d.String)},
		{"endpoint", d.version1("endpoint")},
	})
}
