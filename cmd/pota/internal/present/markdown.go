package present

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/pota-project/pota/graphs"
)

// markdown writes the document for GitHub and the like. Names, formulas and accounts of failures
// stand in code, so that nothing in them is markup.
func (d *digest) markdown(out *bytes.Buffer, doc *document) {
	fmt.Fprintf(out, "## pota: %s\n\n%s\n", doc.heading, doc.covered)
	if len(doc.properties) > 0 {
		fmt.Fprintln(out, "\n| property | holds | fails | unknown | errors | vacuous |\n|---|--:|--:|--:|--:|--:|")
	}
	for _, p := range doc.properties {
		fmt.Fprintf(out, "| %s | %d | %d | %d | %d | %d |\n",
			code(p.title), p.Holds, p.Fails, p.Unknown, p.Errors, p.Vacuous)
	}
	for _, p := range doc.properties {
		if !p.explained() {
			continue
		}
		fmt.Fprintf(out, "\n### %s\n\n%s\n", code(p.title), code(p.formula))
		d.markdownGroups(out, p.groups)

		if more := len(p.groups) - d.limit; more > 0 {
			fmt.Fprintf(out, "\nand %d other groups\n", more)
		}
		for _, note := range p.notes {
			fmt.Fprintf(out, "\n- %s\n", code(note))
		}
	}
	if len(d.unread.list) > 0 {
		fmt.Fprintln(out, "\n### Traces that cannot be read")
		d.markdownGroups(out, d.unread.list)
	}
}

// markdownGroups writes the first groups of a list. The first member of each stands for the rest:
// these are folded away.
func (d *digest) markdownGroups(out *bytes.Buffer, groups []*group) {
	for _, g := range first(groups, d.limit) {
		fmt.Fprintf(out, "\n**%s** %s", g.Verdict, code(g.Members[0].Name))
		if others := g.Others(); others != "" {
			fmt.Fprintf(out, " and %s", others)
		}
		fmt.Fprintf(out, "\n\n%s\n", fence(g.Account))
		if len(g.Members) == 1 {
			continue
		}
		var names []string
		for _, m := range first(g.Members[1:], d.limit) {
			names = append(names, code(d.shortened(m.Name)))
		}
		fmt.Fprintf(out, "\n<details><summary>the %s</summary>\n\n%s\n\n</details>\n",
			g.Others(), strings.Join(names, ", "))
	}
}

// code returns text as Markdown that stands for itself, also in a table.
func code(text string) string {
	text = graphs.Printable(text)
	if text != "" && !strings.ContainsAny(text, "`|") {
		return "`" + text + "`"
	}
	var b strings.Builder
	// References to characters are never markup.
	for _, r := range text {
		fmt.Fprintf(&b, "&#%d;", r)
	}
	return "<code>" + b.String() + "</code>"
}

// fence returns a block of Markdown with a fence longer than any in the text, or the text could
// end it.
func fence(text string) string {
	mark := "```"
	for strings.Contains(text, mark) {
		mark += "`"
	}
	return mark + "\n" + strings.TrimRight(text, "\n") + "\n" + mark
}
