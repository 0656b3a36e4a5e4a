package mapped

import (
	"slices"
	"strings"
)

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

// found reports whether one of the fields is there.
func (n *name) found(row []value) bool {
	return slices.ContainsFunc(n.slots, func(slot int32) bool { return row[slot].kind > nullKind })
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
