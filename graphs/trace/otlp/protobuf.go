package otlp

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
	"github.com/pota-project/pota/graphs/trace/internal/span"
)

// The types of fields, in the lower three bits of a tag. The other bits are the number of the field
// in opentelemetry/proto/trace/v1/trace.proto and its imports.
const (
	varint    = uint64(protowire.VarintType)
	fixed64   = uint64(protowire.Fixed64Type)
	delimited = uint64(protowire.BytesType) // a string, bytes or a message
)

// A wire is the protobuf encoding. Its methods read the field at which message arrived last, a
// number or a text.
type wire struct {
	bits uint64
	text []byte
	err  error
}

// message ignores unknown tags: fields of a later version, or known fields with a wrong type.
func (w *wire) message(known []member) {
	for left := w.text; len(left) > 0 && w.err == nil; {
		tag, n := protowire.ConsumeVarint(left)
		if n < 0 {
			w.Stop(protowire.ParseError(n))
			return
		}
		field, kind := protowire.DecodeTag(tag)
		if !field.IsValid() {
			w.Fail("invalid field number")
			return
		}
		left = left[n:]
		switch kind {
		case protowire.VarintType:
			w.bits, n = protowire.ConsumeVarint(left)
		case protowire.Fixed64Type:
			w.bits, n = protowire.ConsumeFixed64(left)
		case protowire.BytesType:
			w.text, n = protowire.ConsumeBytes(left)
		default:
			n = protowire.ConsumeFieldValue(field, kind, left)
		}
		if n < 0 {
			w.Stop(protowire.ParseError(n))
			return
		}
		left = left[n:]
		for i := range known {
			if known[i].tag == tag {
				known[i].read()
				break
			}
		}
	}
}

func (w *wire) array(element func()) { element() }

func (w *wire) id(what string, size int) span.TraceID {
	if n := len(w.text); n > 0 && n != size {
		w.Fail("a %s id has %d bytes, not %d", what, size, n)
		return span.TraceID{}
	}
	return number(w.text)
}

// String returns a text as a string; bytes that are not UTF-8 become U+FFFD.
func (w *wire) String() string { return strings.ToValidUTF8(string(w.text), "\ufffd") }

func (w *wire) number() (text []byte, quoted bool) { return strconv.AppendInt(nil, w.Int(), 10), false }
func (w *wire) double() float64                    { return math.Float64frombits(w.bits) }
func (w *wire) raw() []byte                        { return w.text }
func (w *wire) Bool() bool                         { return w.bits != 0 }
func (w *wire) Int() int64                         { return int64(w.bits) }
func (w *wire) Uint(int) uint64                    { return w.bits }
func (w *wire) Next() jsonstream.Place             { return jsonstream.Place{} }
func (w *wire) Err() error                         { return w.err }

// second allows another value: the last one counts.
func (w *wire) second(string) {}

func (w *wire) Fail(format string, args ...any) { w.Stop(fmt.Errorf(format, args...)) }

func (w *wire) Stop(err error) {
	if at, ok := errors.AsType[*trace.Error](err); ok {
		err = errors.New(at.Msg) // a message has no lines
	}
	if w.err == nil {
		w.err = err
	}
}
