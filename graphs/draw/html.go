package draw

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"io"
)

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// HTML writes the space-time diagram of p as a page that needs nothing else: to
// scroll, to zoom, and to see the past and the future of an event by a click on
// it. Its policy lets it run its own script and fetch nothing. The page is XML
// beside its first line. Errors are those of Scene and of w.
func HTML(w io.Writer, p Picture) error {
	s, err := p.Scene()
	if err != nil {
		return err
	}
	d := newDiagram(s)
	css := "\n" + style + pageStyle
	script := "\n//<![CDATA[\n" + pageScript + "//]]>\n"

	var out pen
	out.raw("<!DOCTYPE html>\n")
	out.begin("html", "lang", "en", "xmlns", "http://www.w3.org/1999/xhtml")
	out.begin("head")
	out.empty("meta", "charset", "UTF-8")
	out.empty("meta", "http-equiv", "Content-Security-Policy", "content",
		"default-src 'none'; base-uri 'none'; form-action 'none'; style-src "+hash(css)+"; script-src "+hash(script))
	title := s.Title
	if title == "" {
		title = "Space-time diagram"
	}
	out.text(Visible(title), "title")
	out.begin("style")
	out.raw(css)
	out.end()
	out.end()
	out.begin("body")
	d.header(&out, Visible(title))
	out.begin("main")
	d.inline(&out)
	out.end()
	out.begin("script")
	out.raw(script)
	out.end()
	out.end()
	out.end()
	_, err = w.Write(out.buf.Bytes())
	return err
}

// header writes the title, the legend and the controls.
func (d *diagram) header(out *pen, title string) {
	out.begin("header")
	out.text(title, "h1")
	for i, text := range d.s.Caption() {
		if i > 0 || d.s.Title == "" {
			out.text(Visible(text), "p")
		}
	}
	out.begin("div", "class", "legend")
	for _, e := range d.s.Legend() {
		out.begin("svg", "xmlns", "http://www.w3.org/2000/svg", "width", num(entryWidth(e)), "height", "18", "viewBox", "0 -1 "+num(entryWidth(e))+" 18")
		d.drawEntry(out, e)
		out.end()
	}
	out.end()
	out.begin("p")
	for _, b := range [][2]string{{"out", "−"}, {"in", "+"}, {"fit", "fit"}, {"one", "1:1"}} {
		out.text(b[1], "button", "id", b[0], "type", "button")
	}
	out.raw(` Click an event to see its <span class="pastword">past</span>, its <span class="futureword">future</span>` +
		` and what <span class="bothword">happens with it</span>; Escape to see all. Drag to move, Ctrl and the wheel to zoom.`)
	out.end()
	out.end()
}

// inline writes the diagram as an element of the page.
func (d *diagram) inline(out *pen) {
	width, height := d.right+margin, d.height+2*margin
	out.begin("svg", "xmlns", "http://www.w3.org/2000/svg", "width", num(width), "height", num(height), "viewBox", "0 -"+num(margin)+" "+num(width)+" "+num(height))
	out.raw("\n")
	d.draw(out)
	out.end()
}

// hash returns the source expression that allows a text in a content security
// policy.
func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
