package mapped

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace"
)

// decode appends the text of a string. Bytes that are not UTF-8, and halves of
// surrogate pairs, become U+FFFD.
func (v value) decode(dst, line []byte) []byte {
	raw := v.raw(line)
	// A bare text has no quotes and no escapes, but may have any bytes.
	if v.style == bare && !utf8.Valid(raw) {
		return append(dst, bytes.ToValidUTF8(raw, []byte("\uFFFD"))...)
	}
	if v.style == escapes || !utf8.Valid(raw) {
		// an error only reports invalid bytes
		dst, _ = jsontext.AppendUnquote(dst, line[v.from-1:v.to+1])
		return dst
	}
	return append(dst, raw...)
}

// decoded returns the text that decode appends; it does not copy text that needs no decoding.
func (v value) decoded(line []byte) []byte {
	if raw := v.raw(line); v.style != escapes && utf8.Valid(raw) {
		return raw
	}
	return v.decode(nil, line)
}

// canonical appends the canonical form of a JSON value: without space, with names
// in order, numbers in their shortest form, and only necessary escapes.
func (v value) canonical(dst, line []byte) []byte {
	switch v.kind {
	case stringKind:
		return v.quote(dst, line)
	case numberKind:
		return append(dst, canonicalNumber(v.raw(line))...)
	case arrayKind:
		dst = append(dst, '[')
		// The walk of the line has scanned the value, so this scan cannot fail.
		s := v.inside(line)
		s.Array(func(i int) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = s.value().canonical(dst, line)
		})
		return append(dst, ']')
	case objectKind:
		return v.canonicalObject(dst, line)
	}
	return append(dst, v.raw(line)...)
}

// canonicalObject is canonical for an object. Names are sorted by their decoded bytes, so that "a"
// and "\u0061" are the same name.
func (v value) canonicalObject(dst, line []byte) []byte {
	type pair struct{ name, value value }
	// The array is on the stack, so a small object costs no allocation.
	var room [16]pair // most objects need no more
	pairs := room[:0]
	s := v.inside(line)
	s.object(func(name value) { pairs = append(pairs, pair{name, s.value()}) })
	slices.SortStableFunc(pairs, func(a, b pair) int {
		return bytes.Compare(a.name.decoded(line), b.name.decoded(line))
	})
	dst = append(dst, '{')
	for i, p := range pairs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(p.name.quote(dst, line), ':')
		dst = p.value.canonical(dst, line)
	}
	return append(dst, '}')
}

// quote appends a string in quotes, with as few escapes as possible.
func (v value) quote(dst, line []byte) []byte {
	raw := v.raw(line)
	// A bare text may need escapes in JSON; a JSON string without escapes does not.
	if v.style == escapes || !utf8.Valid(raw) || v.style == bare && bytes.ContainsFunc(raw, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' }) {
		dst, _ = jsontext.AppendQuote(dst, v.decode(nil, line))
		return dst
	}
	dst = append(dst, '"')
	dst = append(dst, raw...)
	return append(dst, '"')
}

// canonicalNumber returns a number in its shortest form. Beyond 64 bits or float64 it stays
// unchanged.
func canonicalNumber(raw []byte) []byte {
	// The usual number, an integer, is its own shortest form; -0 is 0.
	if _, err := strconv.ParseInt(string(raw), 10, 64); err == nil && string(raw) != "-0" {
		return raw
	}
	if v, ok := trace.NumberOf(string(raw)); ok {
		return []byte(v.String())
	}
	return raw
}

// parseTLA returns the value of a TLA+ expression: a number, TRUE, FALSE, a string,
// or the text itself. It returns false for defaultInitValue, which PGo assigns to
// variables without a value.
func parseTLA(expression []byte) (v graphs.Value, ok bool) {
	switch string(expression) {
	case "TRUE":
		return graphs.Boolean(true), true
	case "FALSE":
		return graphs.Boolean(false), true
	case "defaultInitValue":
		return graphs.Value{}, false
	}
	// Numbers must have the grammar of JSON; other texts that begin with a digit remain strings.
	if n := len(expression); n > 0 && (expression[0] == '-' || expression[0]-'0' <= 9) {
		if v, ok := trace.ParseNumber(string(expression)); ok {
			return v, true
		}
	} else if n >= 2 && expression[0] == '"' {
		// The quotes at both ends may belong to two strings, as in "a" \o "b". Escapes are those of Go.
		if text, err := strconv.Unquote(string(expression)); err == nil {
			return graphs.Str(text), true
		}
	}
	return graphs.Str(string(expression)), true
}
