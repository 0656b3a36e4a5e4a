// Package ident makes identifiers of names, for languages with identifiers of letters,
// digits and _.
package ident

import (
	"fmt"
	"strings"
)

// Mangle makes of a name what may follow the first letter of an identifier: letters
// and digits of ASCII stand for themselves, __ for _, and _ with two hexadecimal
// digits for any other byte. Different names give different identifiers. The time
// complexity of Mangle is O(|name|).
func Mangle(name string) string {
	var b strings.Builder
	for i := range len(name) {
		switch x := name[i]; {
		case x == '_':
			b.WriteString("__")
		case '0' <= x && x <= '9', 'a' <= x && x <= 'z', 'A' <= x && x <= 'Z':
			b.WriteByte(x)
		default:
			fmt.Fprintf(&b, "_%02x", x)
		}
	}
	return b.String()
}
