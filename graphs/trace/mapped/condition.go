package mapped

import "bytes"

// A condition holds where all tests of one of its alternatives do.
type condition [][]test

// test looks at a slot; it succeeds where one of its wants does.
type test struct {
	slot  int32
	wants []want
}

// want is what a value may be.
type want struct {
	kind kind   // null for a value that is null or absent
	text []byte // of a string or boolean, or a number in canonical form
	glob bool   // text is a pattern
	not  []want // none of these instead, if there are any
}

// holds evaluates c on a row of a line.
func (c condition) holds(row []value, line []byte) bool {
	for _, all := range c {
		if holdAll(all, row, line) {
			return true
		}
	}
	return false
}

func holdAll(all []test, row []value, line []byte) bool {
	for _, t := range all {
		if !anyOf(t.wants, row[t.slot], line) {
			return false
		}
	}
	return true
}

func anyOf(wants []want, v value, line []byte) bool {
	for i := range wants {
		if wants[i].is(v, line) {
			return true
		}
	}
	return false
}

func (w *want) is(v value, line []byte) bool {
	if w.not != nil {
		return !anyOf(w.not, v, line)
	}
	if w.kind == null {
		return v.kind == null || v.kind == absent
	}
	if w.kind != v.kind {
		return false
	}
	raw := v.raw(line)
	switch {
	case w.kind == number && !bytes.Equal(raw, w.text):
		raw = canonicalNumber(raw)
	case w.kind == text && v.escaped:
		raw = unquote(nil, raw)
	}
	if w.glob {
		return matches(w.text, raw)
	}
	return bytes.Equal(raw, w.text)
}

// matches reports whether a pattern, in which * stands for any text, is text.
//
// The time complexity of matches is O(len(pattern)·len(text)).
func matches(pattern, text []byte) bool {
	star, mark := -1, 0
	p, t := 0, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, t
			p++
		case p < len(pattern) && pattern[p] == text[t]:
			p++
			t++
		case star >= 0:
			mark++
			p, t = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
