package record

import "unicode/utf8"

// plain tells the bytes that stand for themselves in a string of JSON.
var plain = func() (t [256]bool) {
	for b := 0x20; b < utf8.RuneSelf; b++ {
		t[b] = b != '"' && b != '\\'
	}
	return t
}()

// appendString appends s as JSON; bytes that are not UTF-8 become U+FFFD.
func appendString(b []byte, s string) []byte {
	return append(appendOpen(b, s), '"')
}

// appendOpen appends s as JSON but for the quote at its end.
func appendOpen(b []byte, s string) []byte {
	b = append(b, '"')
	i := 0
	for i < len(s) && plain[s[i]] {
		i++
	}
	if i == len(s) {
		return append(b, s...)
	}
	const hex = "0123456789abcdef"
	b = append(b, s[:i]...)
	for _, r := range s[i:] { // what is not UTF-8 is U+FFFD here
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < 0x20:
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

// list is a key with a string as its value, or an array once a second one comes.
type list struct {
	key   string
	first int  // where the first value begins, 0 before there is one
	many  bool // the array is open
}

// next prepares for another value.
func (l *list) next(b []byte) []byte {
	switch {
	case l.first == 0:
		b = append(append(append(b, `,"`...), l.key...), `":`...)
		l.first = len(b)
		return b
	case !l.many:
		l.many = true
		b = append(b, 0)
		copy(b[l.first+1:], b[l.first:])
		b[l.first] = '['
	}
	return append(b, ',')
}

// end closes the array, if there is one.
func (l *list) end(b []byte) []byte {
	if l.many {
		return append(b, ']')
	}
	return b
}
