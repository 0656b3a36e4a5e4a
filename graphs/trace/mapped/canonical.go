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

// decode appends the text of a string. What is not UTF-8 and half a surrogate pair
// become U+FFFD.
func (v value) decode(dst, line []byte) []byte {
	raw := v.raw(line)
	// A bare text has no quotes and no escapes, but logs hold any bytes.
	if v.style == bare && !utf8.Valid(raw) {
		return append(dst, bytes.ToValidUTF8(raw, []byte("\uFFFD"))...)
	}
	if v.style == escapes || !utf8.Valid(raw) {
		dst, _ = jsontext.AppendUnquote(dst, line[v.from-1:v.to+1]) // an error tells of such bytes
		return dst
	}
	return append(dst, raw...)
}

// decoded returns what decode appends, without a copy of a text that means itself.
func (v value) decoded(line []byte) []byte {
	if raw := v.raw(line); v.style != escapes && utf8.Valid(raw) {
		return raw
	}
	return v.decode(nil, line)
}

// canonical appends the one form that all texts of a JSON value have: no space,
// names in order, numbers as JSON numbers of least length, no escape that is not
// needed.
func (v value) canonical(dst, line []byte) []byte {
	switch v.kind {
	case stringKind:
		return v.quote(dst, line)
	case numberKind:
		return append(dst, canonicalNumber(v.raw(line))...)
	case arrayKind:
		dst = append(dst, '[')
		// The value was scanned when the line was walked, so a scan of its inside cannot fail.
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

// canonicalObject is canonical for an object. Names are sorted by their decoded bytes: sorting
// what is written would tell "a" and "\u0061" apart.
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

// quote appends a string in quotes, with as few escapes as can be.
func (v value) quote(dst, line []byte) []byte {
	raw := v.raw(line)
	// A raw text may hold what JSON must escape; a string of JSON is in order as it stands.
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

// parseTLA returns the value of a TLA+ expression as text: a number, TRUE, FALSE, a
// string, or the text itself. The model value that PGo gives variables without a
// value is not a value.
func parseTLA(expression []byte) (v graphs.Value, ok bool) {
	switch string(expression) {
	case "TRUE":
		return graphs.Boolean(true), true
	case "FALSE":
		return graphs.Boolean(false), true
	case "defaultInitValue":
		return graphs.Value{}, false
	}
	// A TLA+ number has the grammar of JSON, so that other texts with a digit in front stay
	// strings.
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
