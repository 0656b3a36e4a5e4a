package jsonstream

// An interner makes strings of bytes, the same string for the same bytes: keys and names repeat. It
// starts anew when it is full.
type interner map[string]string

const (
	internMost    = 1 << 12
	internLongest = 96
)

// text returns a string. Equal short strings mostly share memory.
func (t interner) text(b []byte) string {
	s, known := t[string(b)]
	if !known {
		s = string(b)
		if len(t) == internMost {
			clear(t)
		}
		if len(b) <= internLongest {
			t[s] = s
		}
	}
	return s
}
