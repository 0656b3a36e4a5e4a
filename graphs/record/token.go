package record

// A Token stands for a message: Send returns it, it travels with the message, and
// Receive takes it. It is text of letters, digits and -._~ only, so that it fits
// unchanged in a header, a URL, a file name, a struct field or bytes. "" stands for
// no message.
//
// A token is the id of the message: the escaped name of the sending process, a dot and a number.
// Tokens of one execution differ, whichever processes and recorders made them, because a process has
// one recorder.
type Token string

// Header is a name for the header that carries a token.
const Header = "Pota-Token"

// appendEscaped appends the name with all but letters, digits and -._ escaped: a byte is ~ and two
// hexadecimal digits.
func appendEscaped(b []byte, name string) []byte {
	const hex = "0123456789ABCDEF"
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' ||
			c == '.' || c == '_':
			b = append(b, c)
		default:
			b = append(b, '~', hex[c>>4], hex[c&15])
		}
	}
	return b
}
