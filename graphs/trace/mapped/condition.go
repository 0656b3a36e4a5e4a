package mapped

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs/trace"
)

// A condition holds if all tests of one of its alternatives succeed. Without alternatives it
// always holds.
type condition [][]test

// test checks the value in a slot; it succeeds if the value is one of those wanted.
type test struct {
	slot  int32
	wants []want
}

// want describes wanted values.
type want struct {
	kind kind   // null for a value that is null or absent
	text []byte // a string, a boolean, or a number in canonical form
	glob bool   // text is a pattern
	any  bool   // whether a value of any type is wanted instead
	not  []want // if not nil, a value that is none of these is wanted instead
}

// holds evaluates c on a row of a line.
func (c condition) holds(row []value, line []byte) bool {
next:
	for _, all := range c {
		for _, t := range all {
			if !anyOf(t.wants, row[t.slot], line) {
				continue next
			}
		}
		return true
	}
	return len(c) == 0
}

// anyOf reports whether a value is one of those wanted.
func anyOf(wants []want, v value, line []byte) bool {
	for i := range wants {
		if wants[i].is(v, line) {
			return true
		}
	}
	return false
}

// is reports whether a value is one of those that w wants.
func (w *want) is(v value, line []byte) bool {
	// The negation comes first: it also holds for absent values, and has no type.
	if w.not != nil {
		return !anyOf(w.not, v, line)
	}
	if w.any {
		return v.kind > nullKind
	}
	// null and no value are the same in a mapping, as in most loggers.
	if w.kind == nullKind {
		return v.kind == nullKind || v.kind == absentKind
	}
	if w.kind != v.kind {
		return false
	}
	raw := v.raw(line)
	switch {
	// 1, 1.0 and 1e0 are the same number; equal texts need no conversion.
	case w.kind == numberKind && !bytes.Equal(raw, w.text):
		raw = canonicalNumber(raw)
	case w.kind == stringKind && v.style == escapes:
		raw = v.decode(nil, line)
	}
	if w.glob {
		return trace.Match(w.text, raw, false)
	}
	return bytes.Equal(raw, w.text)
}

// A name is text made from fields of a line.
type name struct {
	slots []int32
	parts []string // the texts around the fields: one more than slots
}

// render appends the name, without missing fields. bad is the first slot with an array or an
// object, or else the first without a value, or -1.
func (n *name) render(dst []byte, row []value, line []byte) (text []byte, bad int32) {
	bad = -1
	for i, slot := range n.slots {
		v := row[slot]
		dst = append(dst, n.parts[i]...)
		switch v.kind {
		case stringKind:
			dst = v.decode(dst, line)
		case numberKind, boolKind:
			dst = append(dst, v.raw(line)...)
		default:
			if bad < 0 || v.kind > nullKind && row[bad].kind <= nullKind {
				bad = slot
			}
		}
	}
	return append(dst, n.parts[len(n.slots)]...), bad
}

// isPattern reports whether the format has a *.
func (n *name) isPattern() bool {
	return slices.ContainsFunc(n.parts, func(s string) bool { return strings.Contains(s, "*") })
}

// splitFormat returns the texts around each %s of a format; %% is a percent sign.
func splitFormat(format string) (parts []string, ok bool) {
	// \xff, which no JSON text has, temporarily stands for a percent sign.
	parts = strings.Split(strings.ReplaceAll(format, "%%", "\xff"), "%s")
	for i, part := range parts {
		if strings.Contains(part, "%") {
			return nil, false
		}
		parts[i] = strings.ReplaceAll(part, "\xff", "%")
	}
	return parts, true
}
