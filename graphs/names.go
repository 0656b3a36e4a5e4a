package graphs

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// names holds a string, possibly empty, for each event, all in one block of bytes.
type names struct {
	off  []uint32 // the string of event e is text[off[e]:off[e+1]]; nil if all strings are empty
	text []byte
}

func (n names) at(e Event) []byte {
	if n.off == nil {
		return nil
	}
	return n.text[n.off[e]:n.off[e+1]]
}

// Plural returns a count with its noun: "1 event", "2 events", "3 processes".
func Plural[N ~int | ~int32 | ~int64](n N, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "s"):
		thing += "e"
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// List joins the first most names with commas, and says how many more there are.
func List(names []string, most int) string {
	if n := len(names) - most; n > 0 {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ")
}

// Shorten returns text unchanged if it has at most limit characters, else its first limit
// characters and an ellipsis.
func Shorten(text string, limit int) string {
	// It counts runes, not bytes, so that no character is cut in two.
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit]) + "…"
}

// Unsafe reports whether r is a control character, changes the direction of text, or separates
// lines or paragraphs: in displayed text, such a character may hide or move others.
func Unsafe(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' ||
		r == '\u2029'
}

// Printable returns text in one line, with escapes for characters that are invisible or move
// others, and U+FFFD for invalid UTF-8: names in a trace may contain any character.
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
