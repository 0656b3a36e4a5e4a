package jaeger

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
	"github.com/pota-project/pota/graphs/trace/internal/span"
)

// Detect reports whether text that begins with head looks like traces of Jaeger.
func Detect(head []byte) bool {
	if !bytes.Contains(head, []byte("ID\"")) && !bytes.Contains(head, []byte("errors")) {
		return false
	}
	paths := jsonstream.Paths(head, 5)
	for _, at := range []string{"data[].", "", "[]."} {
		parts := paths[at+"spans"] || paths[at+"processes"]
		if paths[at+"spans[].spanID"] || paths[at+"traceID"] && parts {
			return true
		}
	}
	return paths["data"] && paths["errors"] && paths["total"]
}

// Read reads all traces of a source and closes it. Errors are *trace.Error, or the error of
// ctx. With AllowTruncated, a document that the end of a file cuts off is dropped.
func Read(ctx context.Context, in *trace.Source, opts trace.Options) ([]trace.Execution, error) {
	return span.ReadAll(ctx, in, opts, newDecoder)
}

// decoder reads documents into spans.
type decoder struct {
	span.Decoder
	processes map[string]*process
	waiting   []string // processes that have been named and not yet declared, in order
	s         spanParts
}

// newDecoder returns a decoder that hands its spans to a sink.
func newDecoder(to span.Sink) span.Format { return &decoder{Decoder: span.Decoder{Sink: to}} }

// process is a process of a trace: a resource.
type process struct {
	span.Origin
	declared bool
	named    jsonstream.Place // the first span that names it
}

// Read implements span.Format: a document is an answer, a trace, or an array of traces.
func (d *decoder) Read(r *jsonstream.Reader) error {
	return d.Each(r, d.spanMembers, func() {
		if d.Kind() == '[' {
			d.Array(d.trace)
		} else {
			d.document()
		}
	})
}

// document reads an answer or a trace. Its keys tell one from the other.
func (d *decoder) document() {
	d.begin()
	answer := span.Members{
		{"data", d.ArrayOf(d.trace)},
		{"total", d.Skip},
		{"limit", d.Skip},
		{"offset", d.Skip},
		{"errors", d.ArrayOf(d.failure)},
	}
	d.Members(append(answer, d.traceMembers()...))
	d.Stop(d.finish())
}

// failure reads what went wrong with a query.
func (d *decoder) failure() {
	place, msg := d.Next(), ""
	d.Object(func(key []byte) {
		if string(key) == "msg" {
			msg = d.String()
		} else {
			d.Skip()
		}
	})
	d.Stop(place.Errorf("the query service answered with an error: %s", trace.Quote(msg)))
}

// trace reads a trace.
func (d *decoder) trace() {
	d.begin()
	d.Members(d.traceMembers())
	d.Stop(d.finish())
}

// begin begins a trace: processes have their keys in one trace only.
func (d *decoder) begin() {
	d.processes = make(map[string]*process)
	d.waiting = d.waiting[:0]
}

// finish checks that all processes were declared.
func (d *decoder) finish() error {
	for _, id := range d.waiting {
		if p := d.processes[id]; !p.declared {
			return p.named.Errorf("the process %s of the span is not declared", trace.Quote(id))
		}
	}
	return nil
}

// traceMembers returns the members of a trace.
func (d *decoder) traceMembers() span.Members {
	return span.Members{
		{"traceID", func() { d.TraceID() }},
		{"spans", d.ArrayOf(d.span)},
		{"processes", func() { d.Object(d.declare) }},
		{"warnings", d.Skip},
	}
}

// declare reads the process of the trace that has an id.
func (d *decoder) declare(id []byte) {
	p := d.process(string(id))
	d.readProcess(&p.Origin)
	p.declared = d.Err() == nil
}

// process returns the process of the trace that has an id.
func (d *decoder) process(id string) *process {
	p, ok := d.processes[id]
	if !ok {
		p = new(process)
		d.processes[id] = p
	}
	return p
}

// readProcess reads a process: a service and its tags.
func (d *decoder) readProcess(o *span.Origin) {
	d.Members(span.Members{
		{"serviceName", span.Into(&o.Service, d.String)},
		{"tags", d.Attributes(&o.Attributes, d.tag)},
	})
	if o.Service == "OTLPResourceNoServiceName" {
		o.Service = ""
	}
}

// span reads a span and adds it. Its process may be given by a key, before or after it.
func (d *decoder) span() {
	x, s := &d.X, &d.s
	*s = spanParts{refs: s.refs[:0]}
	if !d.Span(d.Pass, "traceID", "spanID") {
		return
	}
	if s.process == "" && x.Resource == nil {
		d.Stop(x.Place.Errorf("a span without processID"))
	}
	if d.EndAfter(s.duration); d.Err() != nil {
		return
	}
	if x.Start == 0 {
		x.End = 0
	}
	if x.Resource == nil {
		p := d.process(s.process)
		if !p.declared && p.named.Line == 0 {
			p.named = x.Place
			d.waiting = append(d.waiting, s.process)
		}
		x.Resource = &p.Origin
	}
	x.Parent = s.parent
	refer(x, s.refs)
	translate(x)
	d.Stop(d.Add(x))
}

// spanParts is what a span has that is not in the model.
type spanParts struct {
	parent   span.ID
	process  string
	duration uint64 // nanoseconds
	refs     []reference
}

type reference struct {
	span.Link
	child bool
}

// spanMembers returns the members of all spans: they are read into the same one.
func (d *decoder) spanMembers() span.Members {
	x, s := &d.X, &d.s
	return span.Members{
		{"traceID", d.TraceOfSpan},
		{"spanID", span.Into(&x.ID, d.ID)},
		{"parentSpanID", span.Into(&s.parent, d.ID)},
		{"operationName", span.Into(&x.Name, d.String)},
		{"references", d.ArrayOf(d.reference)},
		{"startTime", span.Into(&x.Start, d.Microseconds)},
		{"duration", span.Into(&s.duration, d.Microseconds)},
		{"tags", d.Attributes(&x.Attributes, d.tag)},
		{"logs", d.ArrayOf(d.log)},
		{"processID", span.Into(&s.process, d.String)},
		{"process", d.ownProcess},
		{"flags", d.Count},
		{"warnings", d.Skip},
	}
}

// ownProcess reads the process within a span.
func (d *decoder) ownProcess() {
	o := new(span.Origin)
	d.readProcess(o)
	d.X.Resource = d.Origin(o)
}

// reference reads a reference: the parent, or a link.
func (d *decoder) reference() {
	var ref reference
	place := d.Next()
	kind := ""
	d.Members(span.Members{
		{"refType", func() {
			if kind = d.String(); kind != "CHILD_OF" && kind != "FOLLOWS_FROM" {
				const msg = "%s is not a type of reference (known are CHILD_OF, FOLLOWS_FROM)"
				d.Fail(msg, trace.Quote(kind))
			}
		}},
		{"traceID", func() { ref.Trace, _ = d.TraceID() }},
		{"spanID", span.Into(&ref.ID, d.ID)},
	})
	if kind == "" {
		d.Stop(place.Errorf("a reference without refType"))
	}
	ref.child = kind == "CHILD_OF"
	d.s.refs = append(d.s.refs, ref)
}

// refer makes a parent and links of the references.
func refer(x *span.Span, refs []reference) {
	found := false
	for _, ref := range refs {
		if ref.Trace == (span.TraceID{}) {
			ref.Trace = x.Trace
		}
		if ref.child && !found && ref.Trace == x.Trace {
			x.Parent, found = ref.ID, true
			continue
		}
		x.Links = append(x.Links, ref.Link)
	}
}

// log reads a log as a span event, with a name in the field event.
func (d *decoder) log() {
	e := d.X.AddEvent()
	d.Members(span.Members{
		{"timestamp", span.Into(&e.Time, d.Microseconds)},
		{"fields", d.Attributes(&e.Attributes, d.tag)},
	})
	name := slices.IndexFunc(e.Attributes, func(a span.Attribute) bool {
		return a.Key == "event" && a.Value.Kind == graphs.String
	})
	if name >= 0 {
		e.Name = e.Attributes[name].Value.Text()
		e.Attributes = slices.Delete(e.Attributes, name, name+1)
	}
}

// translate takes tags that stand for something else out of the attributes.
func translate(x *span.Span) {
	kept := x.Attributes[:0]
	for _, a := range x.Attributes {
		text := a.Value.Text() // "" for what is not a string
		switch a.Key {
		case "span.kind":
			if kind := kindOf(text); kind != span.Unspecified {
				x.Kind = kind
				continue
			}
		case "otel.status_code":
			if status, ok := statusOf(text); ok {
				x.Status = status
				continue
			}
		case "otel.status_description":
			if a.Value.Kind == graphs.String {
				x.Message = text
				continue
			}
		case "otel.library.name":
			a.Key = "otel.scope.name"
		case "otel.library.version":
			a.Key = "otel.scope.version"
		}
		kept = append(kept, a)
	}
	x.Attributes = kept
}

// statusOf returns the status in a tag otel.status_code.
func statusOf(text string) (span.Status, bool) {
	for s := span.Unset; s <= span.Error; s++ {
		if strings.EqualFold(s.String(), text) {
			return s, true
		}
	}
	return 0, false
}

// kindOf returns the kind in a tag span.kind, Unspecified for another text.
func kindOf(text string) span.Kind {
	for k := span.Internal; k <= span.Consumer; k++ {
		if k.String() == text {
			return k
		}
	}
	return span.Unspecified
}
