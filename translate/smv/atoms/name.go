package atoms

import (
	"fmt"
	"strconv"
	"strings"
)

// Mangle makes an identifier of letters, digits and _ of a name: letters and digits
// of ASCII stand for themselves, __ for _, and _xx for any other byte, in
// hexadecimal. Different names give different identifiers.
func Mangle(name string) string {
	var b strings.Builder
	for i := range len(name) {
		switch x := name[i]; {
		case x == '_':
			b.WriteString("__")
		case x >= '0' && x <= '9', x >= 'a' && x <= 'z', x >= 'A' && x <= 'Z':
			b.WriteByte(x)
		default:
			fmt.Fprintf(&b, "_%02x", x)
		}
	}
	return b.String()
}

// Unmangle returns the name that Mangle made text of, and whether there is one.
func Unmangle(text string) (name string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] != '_':
			b.WriteByte(text[i])
		case strings.HasPrefix(text[i:], "__"):
			b.WriteByte('_')
			i++
		case i+2 < len(text):
			x, err := strconv.ParseUint(text[i+1:i+3], 16, 8)
			if err != nil {
				return "", false
			}
			b.WriteByte(byte(x))
			i += 2
		default:
			return "", false
		}
	}
	name = b.String()
	return name, Mangle(name) == text
}
