package graphs

import (
	"strconv"
	"strings"
	"unicode"
)

// Printable returns text with escapes for what does not show, or moves what does:
// names of a trace may hold any character. It is one line.
func Printable(text string) string {
	hidden := func(r rune) bool { return !unicode.IsPrint(r) }
	if !strings.ContainsFunc(text, hidden) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if !hidden(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}
