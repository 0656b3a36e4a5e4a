package trace

import "bytes"

// Detect reports whether text begins with a line of the native format, blank lines
// aside: a whole line without a mistake.
func Detect(text []byte) bool {
	text = bytes.TrimLeft(bytes.TrimPrefix(text, byteOrderMark), " \t\r\n")
	end := bytes.IndexByte(text, '\n')
	if end < 0 {
		return false
	}
	var c chunk
	c.scan(&Piece{Text: text[:end+1]})
	return c.err == nil && len(c.lines) == 1
}
