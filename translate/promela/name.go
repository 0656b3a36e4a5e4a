package promela

import (
	"fmt"
	"strconv"
	"strings"
)

// Mangle makes an identifier of a name, or rather what may follow the first
// letters of one: letters and digits stay, _ is doubled, and any other byte
// becomes _ and two hexadecimal digits. Unmangle takes it back.
func Mangle(name string) string {
	var b strings.Builder
	for i := range len(name) {
		switch c := name[i]; {
		case isPlain(c):
			b.WriteByte(c)
		case c == '_':
			b.WriteString("__")
		default:
			fmt.Fprintf(&b, "_%02X", c)
		}
	}
	return b.String()
}

func isPlain(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// Unmangle returns the name of which Mangle makes id, and whether there is one.
func Unmangle(id string) (string, bool) {
	var b []byte
	for i := 0; i < len(id); i++ {
		switch {
		case isPlain(id[i]):
			b = append(b, id[i])
		case id[i] != '_':
			return "", false
		case strings.HasPrefix(id[i:], "__"):
			b = append(b, '_')
			i++
		case i+2 < len(id):
			c, err := strconv.ParseUint(id[i+1:i+3], 16, 8)
			if err != nil {
				return "", false
			}
			b = append(b, byte(c))
			i += 2
		default:
			return "", false
		}
	}
	return string(b), Mangle(string(b)) == id
}

// remark makes text fit for a comment.
func remark(text string) string {
	for _, c := range text {
		if c < ' ' || c > '~' {
			text = strings.Trim(strconv.QuoteToASCII(text), `"`)
			break
		}
	}
	return strings.NewReplacer("*/", `*\/`, "/*", `/\*`).Replace(text)
}
