package record

import (
	"net/url"
	"strconv"
	"strings"
)

// A Token stands for a message: Send returns it, it travels with the message, and
// Receive takes it. It is text of letters, digits and -._~ only, so that it fits
// unchanged in a header, a URL, a file name, a struct field or bytes. "" stands for
// no message.
//
// A token is the id of the message: the escaped name of the sending process, a dot and a number;
// with WithClocks the clock of the sending event follows. Tokens of one execution differ, whichever
// processes and recorders made them, because a process has one recorder.
type Token string

// Header is a name for the header that carries a token.
const Header = "Pota-Token"

// escape is what begins an escaped byte, ~ and two hexadecimal digits, and, with
// a dot, an entry of the clock.
const escape = '~'

const entry = "~."

// appendEscaped appends the name with all but letters, digits and -._ escaped.
func appendEscaped(b []byte, name string) []byte {
	const hex = "0123456789ABCDEF"
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' ||
			c == '.' || c == '_':
			b = append(b, c)
		default:
			b = append(b, escape, hex[c>>4], hex[c&15])
		}
	}
	return b
}

// unescape is the inverse of appendEscaped; ok is false for what that does not
// make.
func unescape(text string) (name string, ok bool) {
	// Escapes are those of a URL with another sign.
	name, err := url.PathUnescape(strings.ReplaceAll(text, string(escape), "%"))
	return name, err == nil && !strings.Contains(text, "%")
}

// id returns the id of the message.
func (t Token) id() string {
	id, _, _ := strings.Cut(string(t), entry)
	return id
}

// appendClock appends the entries of a clock to a token.
func appendClock(b []byte, c clock) []byte {
	for _, e := range c {
		b = appendEscaped(append(b, entry...), e.process)
		b = strconv.AppendInt(append(b, '.'), int64(e.count), 10)
	}
	return b
}

// clock returns the clock in a token. Entries that no token has are skipped. It copies the token,
// so that without clocks nothing is allocated.
func (t Token) clock() clock {
	var c clock
	_, rest, more := strings.Cut(strings.Clone(string(t)), entry)
	for more {
		var text string
		text, rest, more = strings.Cut(rest, entry)
		dot := strings.LastIndexByte(text, '.')
		if dot < 0 {
			continue
		}
		name, ok := unescape(text[:dot])
		count, err := strconv.Atoi(text[dot+1:])
		if ok && err == nil && count > 0 {
			c = c.with(name, count)
		}
	}
	return c
}
