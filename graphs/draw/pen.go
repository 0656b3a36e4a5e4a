package draw

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pota-project/pota/graphs"
)

// A pen writes XML. It escapes texts and attribute values, and replaces characters that XML does
// not allow by U+FFFD.
type pen struct {
	buf  bytes.Buffer
	open []string
}

// begin opens an element. Attributes are pairs of a name and a value; a float64 is in pixels.
func (p *pen) begin(name string, attributes ...any) {
	p.tag(name, attributes)
	p.buf.WriteString(">")
	p.open = append(p.open, name)
}

// end closes the element opened last.
func (p *pen) end() {
	last := len(p.open) - 1
	p.buf.WriteString("</" + p.open[last] + ">\n")
	p.open = p.open[:last]
}

// empty writes an element without content.
func (p *pen) empty(name string, attributes ...any) {
	p.tag(name, attributes)
	p.buf.WriteString("/>\n")
}

// text writes an element that contains a text.
func (p *pen) text(content, name string, attributes ...any) {
	p.begin(name, attributes...)
	p.escape(content)
	p.end()
}

// title writes the tooltip of an element, made printable.
func (p *pen) title(lines ...string) {
	var shown []string
	for _, line := range lines {
		if line != "" {
			shown = append(shown, graphs.Printable(line))
		}
	}
	p.text(strings.Join(shown, "\n"), "title")
}

// tag writes the beginning of a tag, up to the closing bracket.
func (p *pen) tag(name string, attributes []any) {
	p.buf.WriteString("<" + name)
	// Attributes keep the order of the caller, so that the output is deterministic.
	for pair := range slices.Chunk(attributes, 2) {
		value := fmt.Sprint(pair[1])
		if pixels, ok := pair[1].(float64); ok {
			value = num(pixels)
		}
		fmt.Fprintf(&p.buf, ` %s="`, pair[0])
		p.escape(value)
		p.buf.WriteString(`"`)
	}
}

// escape writes a text with markup escaped.
func (p *pen) escape(s string) {
	if err := xml.EscapeText(&p.buf, []byte(s)); err != nil {
		panic("this cannot happen, because a buffer takes everything: " + err.Error())
	}
}

// num formats a number of pixels, rounded to a tenth. Smaller differences are invisible, and
// rounding hides differences between processors in the last digits.
func num(v float64) string {
	r := math.Round(v*10) / 10
	if r == 0 {
		r = 0 // not -0
	}
	return strconv.FormatFloat(r, 'f', -1, 64)
}

// xy formats a point for the data of a path.
func xy(p point) string { return num(p.x) + " " + num(p.y) }

// pathData returns v as the data of a path. It is a line if the control points lie on it up to
// rounding errors.
func (v curve) pathData() string {
	off := func(p point) float64 {
		return math.Abs((v.d.x-v.a.x)*(p.y-v.a.y) - (v.d.y-v.a.y)*(p.x-v.a.x))
	}
	if off(v.b)+off(v.c) < 1e-6*(1+math.Hypot(v.d.x-v.a.x, v.d.y-v.a.y)) {
		return "M" + xy(v.a) + "L" + xy(v.d)
	}
	return "M" + xy(v.a) + "C" + xy(v.b) + " " + xy(v.c) + " " + xy(v.d)
}

// tipData returns the arrowhead at the end of v.
func (v curve) tipData() string {
	const long, wide = 8, 3.2
	base := toward(v.d, v.c, long)
	dx, dy := (v.d.x-base.x)/long*wide, (v.d.y-base.y)/long*wide
	return "M" + xy(v.d) + "L" + xy(point{base.x - dy, base.y + dx}) + "L" +
		xy(point{base.x + dy, base.y - dx}) + "Z"
}
