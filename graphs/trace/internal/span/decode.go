package span

import (
	"context"
	"math"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
)

// A Sink takes the spans that a format has.
type Sink interface {
	Add(x *Span) error
	Origin(o *Origin) *Origin // an origin that equals o, which is complete
	Len() int                 // how many spans were added
}

// A Format reads spans from JSON.
type Format interface {
	// Read reads the spans of one input.
	Read(r *jsonstream.Reader) error
	// Complete returns how many spans hold where the input ends too soon: those after
	// them miss something.
	Complete() int
	// Found says what there is where there are no spans; "" for nothing.
	Found() string
}

// ReadAll reads all traces of a source and closes it. Errors are *trace.Error, or that
// of ctx. With AllowTruncated, what the end of a file cuts off is dropped.
func ReadAll(ctx context.Context, source *trace.Source, opts trace.Options, format func(to Sink) Format) ([]trace.Execution, error) {
	set := NewSet(opts)
	f := format(set)
	err := jsonstream.Each(ctx, source, func(r *jsonstream.Reader) error {
		err := f.Read(r)
		if opts.AllowTruncated && jsonstream.CutOff(err) {
			opts.CutOff(err)
			set.Truncate(f.Complete())
			return nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if set.Len() == 0 {
		msg := "no span"
		if why := f.Found(); why != "" {
			msg += ": " + why
		}
		return nil, &trace.Error{File: source.Path, Msg: msg}
	}
	return set.Executions(ctx)
}

// A Decoder is what formats are made of: an input and the span that is being read.
type Decoder struct {
	*jsonstream.Reader
	Sink
	X Span
}

// Complete implements Format: a span that was added misses nothing.
func (d *Decoder) Complete() int { return d.Len() }

// Found implements Format.
func (d *Decoder) Found() string { return "" }

// Elements reads a value with one or, of arrays within each other down to a depth, each
// element.
func (d *Decoder) Elements(depth int, one func() error) error {
	if depth > 0 && d.Kind() == '[' {
		return d.Array(func() error { return d.Elements(depth-1, one) })
	}
	return one()
}

// Span begins a new span, whose members member reads, and checks that it has ids; the
// names are those of their keys.
func (d *Decoder) Span(member func(key []byte) error, traceID, id string) error {
	d.X.Reset()
	d.X.Place = d.Next()
	if err := d.Object(member); err != nil {
		return err
	}
	switch {
	case d.X.Trace == TraceID{}:
		return d.X.Place.Errorf("a span whose %s is missing or zero", traceID)
	case d.X.ID == 0:
		return d.X.Place.Errorf("a span whose %s is missing or zero", id)
	}
	return nil
}

// Attributes reads an array and appends its elements, which one reads, to attrs.
func (d *Decoder) Attributes(attrs []Attribute, one func() (Attribute, error)) ([]Attribute, error) {
	err := d.Array(func() error {
		a, err := one()
		attrs = append(attrs, a)
		return err
	})
	return attrs, err
}

// The rest is what Jaeger and Zipkin write in the same form.

// TraceID reads the id of the trace: up to 32 hexadecimal digits.
func (d *Decoder) TraceID() (TraceID, string, error) {
	text, err := d.Bytes()
	if err != nil {
		return TraceID{}, "", err
	}
	id, ok := ParseID(text)
	if !ok {
		return id, "", d.Errorf("%s is not a trace id of up to 32 hexadecimal digits", trace.Quote(string(text)))
	}
	return id, string(text), nil
}

// ID reads a span id of up to 16 hexadecimal digits.
func (d *Decoder) ID() (ID, error) {
	text, err := d.Bytes()
	if err != nil {
		return 0, err
	}
	id, ok := ParseID(text)
	if !ok || len(text) > 16 {
		return 0, d.Errorf("%s is not a span id of up to 16 hexadecimal digits", trace.Quote(string(text)))
	}
	return ID(id.Low), nil
}

// Microseconds reads a time and returns it in nanoseconds.
func (d *Decoder) Microseconds() (uint64, error) {
	u, err := d.Uint(64)
	if err == nil && u > math.MaxUint64/1000 {
		err = d.Errorf("%d microseconds are beyond the last time", u)
	}
	return u * 1000, err
}

// EndAfter sets the end of the span by its duration, in nanoseconds.
func (d *Decoder) EndAfter(duration uint64) error {
	if duration > math.MaxUint64-d.X.Start {
		return d.X.Place.Errorf("a span whose duration is too long")
	}
	d.X.End = d.X.Start + duration
	return nil
}
