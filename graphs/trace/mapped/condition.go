package mapped

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pota-project/pota/graphs/trace"
)

// A condition holds if all tests of one of its alternatives do. Without alternatives it always
// holds.
type condition [][]test

// test looks at a slot; it succeeds where one of its wants does.
type test struct {
	slot  int32
	wants []want
}

// want is what a value may be.
type want struct {
	kind kind   // null for a value that is null or absent
	text []byte // a string, a boolean, or a number in canonical form
	glob bool   // text is a pattern
	any  bool   // a value of any type instead
	not  []want // none of these instead, if there are any
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

// is reports whether a value is as w wants it.
func (w *want) is(v value, line []byte) bool {
	// The negation comes first: it holds for absent values, too, and has no type of its own.
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
	// 1, 1.0 and 1e0 are one number; equal texts need no conversion.
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
	parts []string // around the fields: one more than these
}

// render appends the name, without the fields that are not there; it returns the first slot that
// holds an array or an object, or else the first that holds nothing, or -1.
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

// isPattern reports whether * is in the format.
func (n *name) isPattern() bool {
	return slices.ContainsFunc(n.parts, func(s string) bool { return strings.Contains(s, "*") })
}

// splitFormat returns the texts around each %s of a format; %% is a percent sign.
func splitFormat(format string) (parts []string, ok bool) {
	// In the meantime a byte stands for it that no text of JSON has.
	parts = strings.Split(strings.ReplaceAll(format, "%%", "\xff"), "%s")
	for i, part := range parts {
		if strings.Contains(part, "%") {
			return nil, false
		}
		parts[i] = strings.ReplaceAll(part, "\xff", "%")
	}
	return parts, true
}
