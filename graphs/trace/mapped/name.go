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
	part := ""
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			part += format[i : i+1]
			continue
		}
		i++
		switch {
		case i < len(format) && format[i] == 's':
			parts = append(parts, part)
			part = ""
		case i < len(format) && format[i] == '%':
			part += "%"
		default:
			return nil, false
		}
	}
	return append(parts, part), true
}
