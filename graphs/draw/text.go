package draw

import (
	"strings"
	"unicode"

	"github.com/pota-project/pota/graphs"
)

// Sizes of text in pixels.
const (
	titleSize = 16.0 // for bold text, which is wider than other text of its size
	nameSize  = 13.0
	idSize    = 12.0
	noteSize  = 11.0
)

// A picture is laid out without the metrics of any font, since the reader's fonts are unknown, and
// the same trace must give the same bytes on every machine.

// textWidth estimates the width of s in a sans-serif font. It errs on the wide side.
func textWidth(s string, size float64) float64 {
	em := 0.0
	for _, r := range s {
		em += charWidth(r)
	}
	return em * size
}

// charWidth returns the width of a character in em, a little more than in Helvetica.
func charWidth(r rune) float64 {
	switch {
	// Marks are drawn over the preceding letter.
	case unicode.Is(unicode.Mn, r):
		return 0
	case strings.ContainsRune("ijl|'.,:;!I ", r):
		return 0.3
	case strings.ContainsRune("ftr()[]{}/\\-\"`*", r):
		return 0.38
	case strings.ContainsRune("mwMW@%", r):
		return 0.95
	// East Asian letters, emoji and arrows are about square.
	case r >= 0x1100 && unicode.IsLetter(r), r >= 0x1F000, r >= 0x2190 && r < 0x2300:
		return 1
	case unicode.IsUpper(r):
		return 0.74
	}
	return 0.6
}

// fit makes s printable, and shortens it to a width, with an ellipsis at the end.
func fit(s string, size, width float64) string {
	s = graphs.Printable(s)
	if textWidth(s, size) <= width {
		return s
	}
	// The ellipsis is one em wide.
	width -= size
	for i, r := range s {
		width -= charWidth(r) * size
		if width < 0 {
			return s[:i] + "…"
		}
	}
	return s
}

// wrap breaks s at spaces into lines of at most a width. It shortens longer words.
func wrap(s string, size, width float64) []string {
	var lines []string
	for _, word := range strings.Fields(s) {
		word = fit(word, size, width)
		last := len(lines) - 1
		if last >= 0 && textWidth(lines[last]+" "+word, size) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
