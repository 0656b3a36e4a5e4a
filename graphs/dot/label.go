package dot

import (
	"strings"

	"github.com/emicklei/dot"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/draw"
)

// quote returns a label of several lines as a quoted string of Graphviz. There, a backslash begins
// an escape sequence and an ampersand an HTML entity.
func quote(lines ...string) dot.Literal {
	var b strings.Builder
	b.WriteByte('"')
	for i, line := range lines {
		if i > 0 {
			b.WriteString(`\n`)
		}
		// Control characters become visible, so that no name can change the picture.
		b.WriteString(escapeQuoted.Replace(graphs.Printable(line)))
	}
	b.WriteByte('"')
	return dot.Literal(b.String())
}

var (
	escapeQuoted = strings.NewReplacer(`"`, `\"`, `\`, `\\`, "&", "&amp;")
	escapeHTML   = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")
)

// sample shows a mark by three characters of one width.
type sample struct{ colour, text string }

var samples = [...]sample{
	draw.EventMark:    {"#1f2328", " ▢ "},
	draw.ForcedMark:   {"#9aa3ad", " ■ "},
	draw.ExcludedMark: {"#8a929c", " ▢ "},
	draw.MessageMark:  {"#0b5cad", "──▶"},
	draw.TransitMark:  {"#0b5cad", "··┤"},
	draw.CausalMark:   {"#8a929c", "──▶"},
	draw.SyncMark:     {"#7a3fc0", "═══"},
	draw.GeneralMark:  {"#0a7068", "──▶"},
	draw.AddedMark:    {"#c9420b", "╌╌▶"},
	draw.MissingMark:  {"#cf222e", "╌╌▶"},
	draw.MetaMark:     {"#b7791f", " ▭ "},
	draw.BottomMark:   {"#1f2328", " ⊥ "},
	draw.TopMark:      {"#1f2328", " ⊤ "},
	draw.CutMark:      {"#1a7f37", " ■ "},
	draw.RunMark:      {"#1f2328", "1. "},
	draw.HiddenMark:   {"#1f2328", " … "},
}

// caption returns the label of the graph: the title, what goes with it, and the
// legend, a line each.
func caption(s *draw.Scene) any {
	var rows strings.Builder
	row := func(html string) { rows.WriteString(`<TR><TD ALIGN="LEFT">` + html + `</TD></TR>`) }
	for i, text := range s.Caption() {
		text = escape(text)
		if i == 0 && s.Title != "" {
			text = `<FONT POINT-SIZE="15">` + text + `</FONT>`
		}
		row(text)
	}
	// Samples are characters of a font of one width, so that the texts are aligned.
	for _, e := range s.Legend() {
		m := samples[e.Mark]
		row(`<FONT FACE="Courier" COLOR="` + m.colour + `">` + m.text + `</FONT>  ` + e.Text)
	}
	if rows.Len() == 0 {
		return quote("")
	}
	return dot.HTML(`<TABLE BORDER="0" CELLSPACING="0" CELLPADDING="2">` + rows.String() +
		`</TABLE>`)
}

// escape returns a text for a label of the HTML kind.
func escape(text string) string {
	text = graphs.Printable(strings.Join(strings.Fields(text), " "))
	return escapeHTML.Replace(text)
}
