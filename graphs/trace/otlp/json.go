package otlp

import (
	"encoding/base64"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/internal/jsonstream"
	"github.com/pota-project/pota/graphs/trace/internal/span"
)

// documents reads documents into spans. It is the JSON encoding of their messages, and a
// span.Format.
type documents struct {
	span.Decoder
	messages *messages
	other    map[string]bool // the keys of other signals that documents had
}

// newDecoder returns a format that passes its spans to a sink.
func newDecoder(to span.Sink) span.Format {
	d := &documents{Decoder: span.Decoder{Sink: to}, other: make(map[string]bool)}
	d.messages = newMessages(d, to)
	return d
}

// signals maps the keys of documents to their contents.
var signals = map[string]string{
	"resourceSpans": "spans", "resourceMetrics": "metrics",
	"resourceLogs": "logs", "resourceProfiles": "profiles",
}

// Read implements span.Format. Jaeger puts the document in result, and Tempo in trace, where
// resourceSpans are called batches.
func (d *documents) Read(r *jsonstream.Reader) error {
	spans := d.messages.each(d.messages.resourceSpans)
	known := []member{{"resourceSpans", 0, spans}, {"batches", 0, spans}}
	for key := range signals {
		if key != "resourceSpans" {
			known = append(known, member{key, 0, func() {
				d.other[key] = true
				d.Skip()
			}})
		}
	}
	document := func() { d.message(known) }
	answer := append(slices.Clone(known), member{"result", 0, document}, member{"trace", 0, document})
	return d.Each(r, nil, func() {
		d.Elements(1, func() { d.message(answer) })
	})
}

// Found implements span.Format.
func (d *documents) Found() string {
	var names []string
	for _, key := range slices.Sorted(maps.Keys(d.other)) {
		names = append(names, fmt.Sprintf("%s (%s)", signals[key], key))
	}
	if names == nil {
		return ""
	}
	return "there are only " + strings.Join(names, ", ")
}

// message reads an object. It refuses known keys in snake_case and skips all other unknown keys.
func (d *documents) message(known []member) {
	d.Object(func(key []byte) {
		for i := range known {
			if known[i].key == string(key) {
				known[i].read()
				return
			}
		}
		for _, m := range known {
			// Documents of other signals are skipped, no matter how their keys are written.
			other := signals[m.key] != "" && m.key != "resourceSpans"
			if !other && string(key) == snake(m.key) {
				d.Fail("%s is not OTLP in JSON, which has %s", trace.Quote(key), trace.Quote(m.key))
			}
		}
		d.Skip()
	})
}

// snake returns a name in snake_case.
func snake(name string) string {
	var b strings.Builder
	for _, r := range name {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func (d *documents) array(element func()) { d.Array(element) }

func (d *documents) number() (text []byte, quoted bool) { return d.Number() }

func (d *documents) second(what string) { d.Fail("a second value of one %s", what) }

// id reads an id in hexadecimal digits, or in base64 as protojson writes it.
func (d *documents) id(what string, size int) span.TraceID {
	text := d.Bytes()
	if id, ok := span.ParseID(text); ok && len(text) == 2*size {
		return id
	}
	raw := Base64(text, size)
	if raw == nil && len(text) > 0 {
		const msg = "%s is not a %s id, which is %d hexadecimal digits, or %d bytes in base64"
		d.Fail(msg, trace.Quote(text), what, 2*size, size)
	}
	return number(raw)
}

// base64s are both alphabets; Strict rejects nonzero padding bits, so that each id has one
// spelling.
var base64s = []*base64.Encoding{base64.StdEncoding.Strict(), base64.URLEncoding.Strict()}

// Base64 decodes an id of size bytes, which protojson may write in base64; it returns nil for any
// other text. The base64 form of an id is always shorter than its hexadecimal form.
func Base64(text []byte, size int) []byte {
	for _, encoding := range base64s {
		if raw, err := encoding.AppendDecode(nil, text); err == nil && len(raw) == size {
			return raw
		}
	}
	return nil
}

// double reads a number, or the name of an infinity or NaN.
func (d *documents) double() float64 {
	text, quoted := d.Number()
	s := string(text)
	switch s {
	case "NaN":
		return math.NaN()
	case "Infinity":
		return math.Inf(1)
	case "-Infinity":
		return math.Inf(-1)
	}
	f, err := strconv.ParseFloat(s, 64)
	if quoted && !jsontext.Value(text).IsValid() || err != nil && !math.IsInf(f, 0) {
		d.Fail("%s is not a number", trace.Quote(s))
	}
	if math.IsInf(f, 0) {
		d.Fail("%s is beyond the greatest number", s)
	}
	return f
}

// raw reads bytes in base64.
func (d *documents) raw() []byte {
	text := d.Bytes()
	raw, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil {
		d.Fail("%s is not base64", trace.Quote(text))
	}
	return raw
}
