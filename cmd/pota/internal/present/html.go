package present

import (
	"bytes"
	_ "embed" // the style sheet
	"fmt"
	"html"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
)

//go:embed digest.css
var style string

// A page is HTML that is written piece by piece.
type page struct{ *bytes.Buffer }

// A markup is text of a page that is not escaped.
type markup string

// add adds markup by a format. Strings among the values are escaped, so that no name, label or error
// becomes markup: add("<td>%s</td>", "a<b") adds <td>a&lt;b</td>.
func (p page) add(format string, values ...any) {
	for i, v := range values {
		if text, ok := v.(string); ok {
			values[i] = html.EscapeString(text)
		}
	}
	fmt.Fprintf(p, format, values...)
}

// page writes the document as a page that needs no other file.
func (d *digest) page(out *bytes.Buffer, doc *document) {
	p := page{out}
	p.head(doc.heading)
	p.add("<p>%s</p>\n", doc.covered)
	if len(doc.properties) > 0 {
		p.numbers(doc.properties)
	}
	for i, of := range doc.properties {
		if !of.explained() {
			continue
		}
		p.add("<h2 id=\"p%d\">%s</h2>\n<p><code>%s</code></p>\n", i, of.title, of.formula)
		d.groupsOn(p, of.groups)
		if more := len(of.groups) - d.limit; more > 0 {
			p.add("<p>and %d other groups</p>\n", more)
		}
		for _, note := range of.notes {
			p.add("<p>%s</p>\n", note)
		}
	}
	if len(d.unread.list) > 0 {
		p.add("<h2>Traces that cannot be read</h2>\n")
		d.groupsOn(p, d.unread.list)
	}
	if len(d.rows) > 0 {
		d.executionsOn(p, doc.properties)
	}
	p.add("</body>\n</html>\n")
}

// An IndexLine is a verdict with a link to its page, and what it says.
type IndexLine struct{ Verdict, Subject, Text, Link string }

// Index returns a page with a line for each verdict.
func Index(lines []IndexLine) []byte {
	p := page{new(bytes.Buffer)}
	p.head(graphs.Plural(len(lines), "verdict"))
	p.add("<table>\n<tr><th>verdict</th><th>execution</th><th>why</th></tr>\n")
	for _, l := range lines {
		p.add(`<tr><td class="%s">%[1]s</td><td>%s</td><td><a href="%s">%s</a></td></tr>`+"\n",
			l.Verdict, l.Subject, l.Link, l.Text)
	}
	p.add("</table>\n</body>\n</html>\n")
	return p.Bytes()
}

// head begins a page.
func (p page) head(heading string) {
	p.add(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%[3]s">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>pota: %[1]s</title>
<style>
%[2]s</style>
</head>
<body>
<h1>pota: %[1]s</h1>
`, heading, markup(style), PagePolicy)
}

// PagePolicy is the content security policy of a page without scripts.
const PagePolicy = "default-src 'none'; style-src 'unsafe-inline'"

// numbers adds the table of the properties.
func (p page) numbers(properties []digestProperty) {
	p.add("<table>\n<tr><th>property</th><th>formula</th><th>holds</th><th>fails</th>" +
		"<th>unknown</th><th>errors</th><th>vacuous</th></tr>\n")
	for i, of := range properties {
		if of.explained() {
			p.add(`<tr><td><a href="#p%d">%s</a></td>`, i, of.title)
		} else {
			p.add("<tr><td>%s</td>", of.title)
		}
		p.add("<td><code>%s</code></td>", of.formula)
		for _, n := range []int{of.Holds, of.Fails, of.Unknown, of.Errors, of.Vacuous} {
			p.add(`<td class="number">%d</td>`, n)
		}
		p.add("</tr>\n")
	}
	p.add("</table>\n")
}

// groupsOn adds the first of some groups, the members after the first folded away.
func (d *digest) groupsOn(p page, groups []*group) {
	for _, g := range first(groups, d.limit) {
		p.add(`<h3><span class="%s">%[1]s</span> `, g.Verdict)
		d.linked(p, g.Members[0].View, d.shortened(g.Members[0].Name))
		if others := g.Others(); others != "" {
			p.add(" and %s", others)
		}
		p.add("</h3>\n<pre>%s</pre>\n", g.Account)
		if len(g.Members) == 1 {
			continue
		}
		p.add("<details><summary>the %s</summary>\n<p>", g.Others())
		for i, m := range first(g.Members[1:], d.limit) {
			if i > 0 {
				p.add(", ")
			}
			d.linked(p, m.View, d.shortened(m.Name))
		}
		p.add("</p></details>\n")
	}
}

// executionsOn adds the table of all executions.
func (d *digest) executionsOn(p page, properties []digestProperty) {
	p.add("<h2>All executions</h2>\n<table>\n<tr><th>execution</th>")
	for _, of := range properties {
		p.add("<th>%s</th>", of.title)
	}
	p.add("</tr>\n")
	// What fails comes first.
	fails := func(r row) bool {
		return slices.ContainsFunc(r.Cells, func(c cell) bool { return c.Verdict == rctl.Fails.String() })
	}
	held := slices.DeleteFunc(slices.Clone(d.rows), fails)
	failed := slices.DeleteFunc(slices.Clone(d.rows), func(r row) bool { return !fails(r) })
	for _, r := range slices.Concat(failed, held) {
		p.add("<tr><td>%s</td>", r.Name)
		for _, c := range r.Cells {
			p.add(`<td class="%s">`, c.Verdict)
			d.linked(p, c.View, c.Verdict)
			p.add("</td>")
		}
		p.add("</tr>\n")
	}
	p.add("</table>\n")
}

// linked adds a text that links the file of a view, if there is one.
func (d *digest) linked(p page, view, text string) {
	if view == "" {
		p.add("%s", text)
		return
	}
	p.add(`<a href="%s">%s</a>`, d.options.link(view), text)
}

// link returns the address of a file as a page in the output has it.
func (o Options) link(path string) string {
	base, err := filepath.Abs(filepath.Dir(o.Output))
	target, wrong := filepath.Abs(path)
	if relative, none := filepath.Rel(base, target); err == nil && wrong == nil && none == nil {
		path = relative
	}
	// The point keeps a colon in the name from ending a scheme.
	return (&url.URL{Path: "./" + filepath.ToSlash(path)}).String()
}
