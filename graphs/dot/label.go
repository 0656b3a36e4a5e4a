package dot

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/emicklei/dot"

	"github.com/pota-project/pota/graphs/draw"
)

// quote returns a label of several lines as a quoted string of Graphviz, in which
// a backslash begins an escape sequence and an ampersand an HTML entity.
func quote(lines ...string) dot.Literal {
	var b strings.Builder
	b.WriteByte('"')
	for i, line := range lines {
		if i > 0 {
			b.WriteString(`\n`)
		}
		for _, r := range line {
			switch r {
			case '"', '\\':
				b.WriteByte('\\')
				b.WriteRune(r)
			case '&':
				b.WriteString("&amp;")
			default:
				b.WriteRune(visible(r))
			}
		}
	}
	b.WriteByte('"')
	return dot.Literal(b.String())
}

// visible replaces invalid bytes, control characters, and characters that change
// the direction of text.
func visible(r rune) rune {
	switch {
	case r < 0x20:
		return 0x2400 + r // the control pictures
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
		return utf8.RuneError
	}
	return r
}

type sample struct{ colour, text string }

var samples = [...]sample{
	draw.EventMark:    {"#1f2328", "▢"},
	draw.ForcedMark:   {"#9aa3ad", "■"},
	draw.ExcludedMark: {"#8a929c", "▢"},
	draw.MessageMark:  {"#0b5cad", "──▶"},
	draw.TransitMark:  {"#0b5cad", "····┤"},
	draw.CausalMark:   {"#8a929c", "──▶"},
	draw.TogetherMark: {"#7a3fc0", "═══"},
	draw.GeneralMark:  {"#0a7068", "──▶"},
	draw.AddedMark:    {"#c9420b", "╌╌▶"},
	draw.MetaMark:     {"#b7791f", "▭"},
	draw.BottomMark:   {"#1f2328", "⊥"},
	draw.TopMark:      {"#1f2328", "⊤"},
	draw.CutMark:      {"#1a7f37", "■"},
	draw.RunMark:      {"#1f2328", "1."},
	draw.HiddenMark:   {"#1f2328", "…"},
}

// legend returns the legend as a table. Its texts are ours and need no escaping.
func legend(s *draw.Scene) any {
	entries := s.Legend()
	if len(entries) == 0 {
		return quote("")
	}
	var b strings.Builder
	b.WriteString(`<TABLE BORDER="0" CELLSPACING="0" CELLPADDING="2">`)
	for _, e := range entries {
		m := samples[e.Mark]
		b.WriteString(`<TR><TD ALIGN="LEFT"><FONT COLOR="` + m.colour + `">` + m.text + `</FONT></TD><TD ALIGN="LEFT">` + e.Text + `</TD></TR>`)
	}
	b.WriteString(`</TABLE>`)
	return dot.HTML(b.String())
}
