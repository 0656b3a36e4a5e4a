package graphs

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// names is an array of strings, one for each event, most of them perhaps empty,
// in one block of bytes.
type names struct {
	off  []uint32 // nil when all are empty
	text []byte
}

func (n names) at(e Event) []byte {
	if n.off == nil {
		return nil
	}
	return n.text[n.off[e]:n.off[e+1]]
}

// Plural returns a number of things as text: "1 event", "2 events", "3 processes".
func Plural[N ~int | ~int32 | ~int64](n N, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "s"):
		thing += "e"
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// List joins names with commas; those beyond the first most of them are counted.
func List(names []string, most int) string {
	if n := len(names) - most; n > 0 {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ")
}

// Shorten returns a text of at most limit characters and, where there were more, an ellipsis.
func Shorten(text string, limit int) string {
	// Runes and not bytes are counted, so that no character is cut in two.
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit]) + "…"
}

// Unsafe reports whether r is a control character, changes the direction of text, or
// separates lines or paragraphs: in a text that is shown, it may hide or move others.
func Unsafe(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' ||
		r == '\u2029'
}

// Printable returns text with escapes for what does not show, or moves what does, and U+FFFD for
// bytes that are no UTF-8: names of a trace may hold any character. It is one line.
func Printable(text string) string {
	hidden := func(r rune) bool { return !unicode.IsPrint(r) }
	text = strings.ToValidUTF8(text, "\uFFFD")
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
