package draw

import (
	"strings"
	"unicode"

	"github.com/pota-project/pota/graphs"
)

// Sizes of text in pixels.
const (
	titleSize = 16.0 // of bold text, which is wider than its size says
	nameSize  = 13.0
	idSize    = 12.0
	noteSize  = 11.0
)

// A picture is laid out without knowing the reader's fonts, and without reading any here: the same
// trace has to give the same bytes on every machine.

// textWidth estimates how wide s is in a sans-serif font, rather too much than
// too little.
func textWidth(s string, size float64) float64 {
	em := 0.0
	for _, r := range s {
		em += charWidth(r)
	}
	return em * size
}

// charWidth is the width in em, a little more than in Helvetica.
func charWidth(r rune) float64 {
	switch {
	// Marks are drawn over the letter before them.
	case unicode.Is(unicode.Mn, r):
		return 0
	case strings.ContainsRune("ijl|'.,:;!I ", r):
		return 0.3
	case strings.ContainsRune("ftr()[]{}/\\-\"`*", r):
		return 0.38
	case strings.ContainsRune("mwMW@%", r):
		return 0.95
	// Letters of East Asia, emoji and arrows are about square.
	case r >= 0x1100 && unicode.IsLetter(r), r >= 0x1F000, r >= 0x2190 && r < 0x2300:
		return 1
	case unicode.IsUpper(r):
		return 0.74
	}
	return 0.6
}

// fit returns s made printable, and shortened to a width with an ellipsis at its
// end.
func fit(s string, size, width float64) string {
	s = graphs.Printable(s)
	if textWidth(s, size) <= width {
		return s
	}
	// The ellipsis takes an em.
	width -= size
	for i, r := range s {
		width -= charWidth(r) * size
		if width < 0 {
			return s[:i] + "…"
		}
	}
	return s
}

// wrap breaks s at spaces into lines of a width; a longer word is cut.
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
