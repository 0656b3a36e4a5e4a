package span

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
)

// A Sink receives the spans that a format reads.
type Sink interface {
	Add(x *Span) error
	Origin(o *Origin) *Origin // an origin that equals o; o must be complete
	Len() int                 // how many spans were added
}

// A Format reads spans from JSON.
type Format interface {
	// Read reads the spans of one input. It returns the error of the reader.
	Read(r *jsonstream.Reader) error
	// Found describes what the inputs contain if they contain no spans; "" if nothing is known.
	Found() string
	// Shared returns the decoder that the format embeds.
	Shared() *Decoder
}

// ReadAll reads all traces of a source and closes it. Its errors are *trace.Error, or the error of
// ctx. With AllowTruncated, it drops a document that the end of a file cuts off. It calls the
// functions in more after the source, for spans from elsewhere.
func ReadAll(
	ctx context.Context, source *trace.Source, opts trace.Options,
	format func(to Sink) Format, more ...func(to Sink) error,
) ([]trace.Execution, error) {
	set := NewSet(opts)
	f := format(set)
	d := f.Shared()
	set.odd = &d.odd
	var cut error
	err := jsonstream.Each(ctx, source, &opts, func(r *jsonstream.Reader) error {
		err := f.Read(r)
		if opts.AllowTruncated && jsonstream.CutOff(err) {
			opts.CutOff(err)
			set.Truncate(d.complete)
			cut, err = err, nil
		}
		return err
	})
	for _, add := range more {
		if err == nil {
			err = add(set)
		}
	}
	if err != nil {
		return nil, err
	}
	for _, n := range d.notes {
		e := n.first
		if n.more > 0 {
			e.Msg += fmt.Sprintf("; %d more of these", n.more)
		}
		opts.Noted(e)
	}
	switch {
	case set.Len() > 0:
		return set.Executions(ctx)
	// Nothing is left of the input, because it was cut off.
	case cut != nil:
		return nil, cut
	}
	msg := "no span"
	if why := f.Found(); why != "" {
		msg += ": " + why
	}
	return nil, &trace.Error{File: source.Path, Msg: msg}
}

// A Decoder is the part that formats share: the input and the current span.
type Decoder struct {
	*jsonstream.Reader
	Sink

	X        Span
	keys     Members // the members of a span; their functions store values in X
	complete int     // how many spans belong to complete documents
	odd      oddIDs
	notes    []*note
	known    map[string]*note // the notes by what they are about
}

// Shared returns d itself.
func (d *Decoder) Shared() *Decoder { return d }

// A note reports a part of an input that the format does not define, and how often it recurs.
type note struct {
	first *trace.Error
	more  int
}

// note records the first occurrence of what, and counts the others.
func (d *Decoder) note(what string, first func() *trace.Error) {
	if n := d.known[what]; n != nil {
		n.more++
		return
	}
	if d.known == nil {
		d.known = make(map[string]*note)
	}
	n := &note{first: first()}
	d.known[what] = n
	d.notes = append(d.notes, n)
}

// Pass skips a member with an unknown key and notes it, with the known key that it resembles. An
// unknown key may come from a later version, such as span instead of spanID in a reference of
// Jaeger.
func (d *Decoder) Pass(key []byte, known ...string) {
	d.note("key "+string(key), func() *trace.Error {
		e := d.Unknown(key, known...)
		e.Msg += ", which is passed over"
		return e
	})
	d.Skip()
}

// Members are the known keys of an object, with functions that read their values.
type Members []struct {
	Key  string
	Read func()
}

// Into returns a function that reads a value and stores it in *to.
func Into[T any](to *T, read func() T) func() { return func() { *to = read() } }

// Members reads an object. It skips unknown keys, as Pass does.
func (d *Decoder) Members(known Members) {
	d.Object(func(key []byte) {
		// Objects have so few members that a linear search is faster than a map.
		for i := range known {
			if known[i].Key == string(key) {
				known[i].Read()
				return
			}
		}
		var keys []string
		for _, m := range known {
			keys = append(keys, m.Key)
		}
		d.Pass(key, keys...)
	})
}

// Each calls one for each value of an input. Keys returns the members of a span, for Span. Each
// returns the error of the reader.
func (d *Decoder) Each(r *jsonstream.Reader, keys func() Members, one func()) error {
	// The functions in the table use the reader, so set it first. All spans are read into X, so one
	// table is enough.
	d.Reader = r
	if keys != nil {
		d.keys = keys()
	}
	for d.complete = d.Len(); d.More(); {
		if one(); d.Err() == nil {
			d.complete = d.Len()
		}
	}
	return d.Err()
}

// Count reads a number of 32 bits that is not needed, such as that of dropped attributes.
func (d *Decoder) Count() { d.Uint(32) }

// Ignore reads true or false and drops it.
func (d *Decoder) Ignore() { d.Bool() }

// ArrayOf returns a function that reads an array, calling one for each element.
func (d *Decoder) ArrayOf(one func()) func() { return func() { d.Array(one) } }

// Found implements Format.
func (d *Decoder) Found() string { return "" }

// Elements calls one for a value. If the value is an array, it calls one for each element instead,
// also in nested arrays, down to the given depth.
func (d *Decoder) Elements(depth int, one func()) {
	if depth > 0 && d.Kind() == '[' {
		d.Array(func() { d.Elements(depth-1, one) })
	} else {
		one()
	}
}

// Span starts a new span, reads it, and checks that it has ids; traceID and id are the names of
// their keys, for the error. It reports whether there was no error.
func (d *Decoder) Span(traceID, id string) bool {
	d.X.Reset()
	d.X.Place = d.Next()
	if d.Members(d.keys); d.Err() == nil {
		d.Stop(d.X.CheckIDs(traceID, id))
	}
	return d.Err() == nil
}

// CheckIDs returns an error if the span has no trace id or no span id. The error names the missing
// key.
func (x *Span) CheckIDs(traceID, id string) error {
	switch {
	case x.Trace == TraceID{}:
		return x.Place.Errorf("a span whose %s is missing or zero", traceID)
	case x.ID == 0:
		return x.Place.Errorf("a span whose %s is missing or zero", id)
	}
	return nil
}

// Attributes returns a function that reads an array, calling one for each element, and appends the
// results to *attrs.
func (d *Decoder) Attributes(attrs *[]Attribute, one func() Attribute) func() {
	return d.ArrayOf(func() { *attrs = append(*attrs, one()) })
}

// ServiceName is the key of the attribute that names the service of a resource.
const ServiceName = "service.name"

// Describe fills in a resource from its attributes: the service is one of them.
func (o *Origin) Describe(attrs []Attribute) {
	for _, a := range attrs {
		if a.Key == ServiceName && a.Value.Kind == graphs.String {
			o.Service = a.Value.Text()
		} else {
			o.Attributes = append(o.Attributes, a)
		}
	}
}

// TraceState is the key of the attribute for vendor data that travels with a trace.
const TraceState = "w3c.tracestate"

// Scope is the prefix of the keys of attributes that describe the scope of a span.
const Scope = "otel.scope."

// AddText appends an attribute for a text, unless the text is empty.
func AddText(to *[]Attribute, key, text string) {
	if text != "" {
		*to = append(*to, Attribute{Key: key, Value: graphs.Str(text)})
	}
}

// The rest is for JSON that Jaeger and Zipkin write in the same form.

// TraceOfSpan reads the trace id of the span.
func (d *Decoder) TraceOfSpan() { d.X.Trace, d.X.TraceText = d.TraceID() }

// TraceID reads a trace id: up to 32 hexadecimal digits, "" if there is none, or any other text,
// which it notes.
func (d *Decoder) TraceID() (TraceID, string) {
	text := d.Bytes()
	if len(text) == 0 {
		return TraceID{}, ""
	}
	id, ok := ParseID(text)
	if !ok || id.High >= odd {
		d.noteID(ok, text, "trace", 32)
		id = TraceID{High: math.MaxUint64, Low: d.odd.number(text)}
	}
	return id, string(text)
}

// ID reads a span id: up to 16 hexadecimal digits, "" if there is none, or any other text, which it
// notes.
func (d *Decoder) ID() ID {
	text := d.Bytes()
	if len(text) == 0 {
		return 0
	}
	id, ok := ParseID(text)
	ok = ok && id.High == 0
	if !ok || id.Low >= odd {
		d.noteID(ok, text, "span", 16)
		return ID(d.odd.number(text))
	}
	return ID(id.Low)
}

// noteID notes an id that is not hexadecimal; ok says whether it is.
func (d *Decoder) noteID(ok bool, text []byte, what string, digits int) {
	if !ok {
		d.note(what, func() *trace.Error {
			return d.Errorf("%s is not a %s id of up to %d hexadecimal digits: it is taken as it is",
				trace.Quote(text), what, digits)
		})
	}
}

// odd is the smallest number that stands for an id given as text.
const odd = math.MaxUint32 << 32

// oddIDs numbers the ids that are not hexadecimal, and the few hexadecimal ones of at least odd.
type oddIDs struct {
	texts   []string
	numbers map[string]uint64
}

// number returns the number of a text. All spellings of a hexadecimal id share one number.
func (o *oddIDs) number(text []byte) uint64 {
	key := string(text)
	if _, ok := ParseID(text); ok {
		key = strings.ToLower(strings.TrimLeft(key, "0"))
	}
	n, ok := o.numbers[key]
	if !ok {
		if o.numbers == nil {
			o.numbers = make(map[string]uint64)
		}
		n = odd + uint64(len(o.texts))
		o.numbers[key] = n
		o.texts = append(o.texts, string(text))
	}
	return n
}

// text returns an id as the input writes it, or as hexadecimal digits.
func (o *oddIDs) text(id ID) string {
	if i := uint64(id) - odd; o != nil && i < uint64(len(o.texts)) {
		return o.texts[i]
	}
	return id.String()
}

// trace returns a trace id as the input writes it, or as hexadecimal digits.
func (o *oddIDs) trace(id TraceID) string {
	if i := id.Low - odd; id.High == math.MaxUint64 && o != nil && i < uint64(len(o.texts)) {
		return o.texts[i]
	}
	return id.String()
}

// Microseconds reads a time and returns it in nanoseconds.
func (d *Decoder) Microseconds() uint64 {
	u := d.Uint(64)
	if u > math.MaxUint64/1000 {
		d.Fail("%d microseconds are beyond the last time", u)
	}
	return u * 1000
}

// EndAfter sets the end of the span by its duration, in nanoseconds.
func (d *Decoder) EndAfter(duration uint64) {
	if duration > math.MaxUint64-d.X.Start {
		d.Stop(d.X.Place.Errorf("a span whose duration is too long"))
	}
	d.X.End = d.X.Start + duration
}
