package present

import (
	"bytes"
	"cmp"
	_ "embed" // the templates
	"fmt"
	htmltemplate "html/template"
	"io"
	"math/big"
	"net/url"
	"path/filepath"
	"reflect"
	"strings"
	"text/template"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/graphs"
)

// A digest is one document about all executions: totals, how much was covered, the failures of
// one shape together, and in HTML a line for each execution with links to the views.
type digest struct {
	output
	totals
	template interface{ Execute(io.Writer, any) error }
	maxBytes int               // of the document, 0 for any number
	limit    int               // of groups that are described, and of names in each
	short    map[string]string // names without what all have in common

	rows    []row
	unread  groups  // traces that cannot be read
	cuts    big.Int // of the executions of which they were counted
	counted int     // these
	orders  int     // events of these, and their initial cuts: the cuts in the recorded orders
}

// A row is an execution with its verdicts.
type row struct {
	Name  string
	Cells []cell
}

// A cell is what came of one property, with the file of its view, "" for none.
type cell struct{ Verdict, View string }

var (
	//go:embed digest.md.tmpl
	markdownText string
	//go:embed digest.html.tmpl
	htmlText string
)

// maxSummary is below the megabyte that GitHub takes of the summary of a step.
const maxSummary = 1000 << 10

// newMarkdown returns a summary that GitHub, GitLab and others show.
func newMarkdown(o output) format {
	d := &digest{output: o, maxBytes: maxSummary}
	d.template = template.Must(template.New("").Funcs(template.FuncMap(d.functions())).Parse(markdownText))
	return d
}

// newHTML returns a page without scripts.
func newHTML(o output) format {
	d := &digest{output: o}
	d.template = htmltemplate.Must(htmltemplate.New("").Funcs(d.functions()).Parse(htmlText))
	return d
}

// functions are those of the templates.
func (d *digest) functions() htmltemplate.FuncMap {
	return htmltemplate.FuncMap{
		"code":  code,
		"fence": fence,
		"link":  d.options.link,
		"short": func(name string) string { return graphs.Printable(cmp.Or(d.short[name], name)) },
		"first": func(list reflect.Value) reflect.Value { return list.Slice(0, min(list.Len(), d.limit)) },
		"rest":  func(list []*group) int { return max(len(list)-d.limit, 0) },
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

// link returns the address of a file as a page in the output has it.
func (o Options) link(path string) htmltemplate.URL {
	base, err := filepath.Abs(filepath.Dir(o.Output))
	target, wrong := filepath.Abs(path)
	if relative, none := filepath.Rel(base, target); err == nil && wrong == nil && none == nil {
		path = relative
	}
	// The point keeps a colon in the name from ending a scheme.
	return htmltemplate.URL((&url.URL{Path: "./" + filepath.ToSlash(path)}).String())
}

// refused counts a trace that cannot be read.
func (d *digest) refused(path string, err error) {
	d.unread.fail(path, err)
}

// verdict counts a record.
func (d *digest) verdict(r *Record) {
	_, g := d.add(r)
	if len(d.names) > len(d.rows) {
		d.rows = append(d.rows, row{Name: r.Subject.Trace})
		if r.Cuts != nil {
			d.cuts.Add(&d.cuts, r.Cuts)
			d.orders += int(r.Stats.Events) + 1
			d.counted++
		}
	}
	// Results that were read may lack some property of an execution.
	last := &d.rows[len(d.rows)-1]
	for len(last.Cells) <= r.Index {
		last.Cells = append(last.Cells, cell{})
	}
	last.Cells[r.Index] = cell{cmp.Or(r.Verdict, "error"), r.View}
	if g == nil || len(g.Members) > 1 {
		return
	}
	g.Account = r.account(d.options.Verbose)
	if len(r.Runs) == 0 {
		g.Account = r.headline() + "\n" + g.Account
	}
}

// covered says how much was looked at.
func (d *digest) covered() string {
	if d.counted == 0 {
		return d.totals.String() + "."
	}
	text := fmt.Sprintf("%s. Causality allows %s cuts (states that the whole system may have been in); the recorded orders pass %d of them",
		&d.totals, &d.cuts, d.orders)
	if d.counted < len(d.names) {
		text += fmt.Sprintf("; %d executions have more than are counted here", len(d.names)-d.counted)
	}
	return text + "."
}

// A digestProperty is what a document says of a property.
type digestProperty struct {
	Title, Formula string
	counts
	Groups []*group
	Notes  []string
}

// close writes the document.
func (d *digest) close(exit.Status) {
	var data struct {
		Heading, Covered string
		Properties       []digestProperty
		Unread           []*group
		Rows             []row
	}
	d.short = make(map[string]string)
	for i, name := range shortNames(d.names) {
		d.short[d.names[i]] = name
	}
	data.Heading = cmp.Or(d.all.String(), "nothing was decided")
	data.Covered = d.covered()
	data.Unread = d.unread.list
	data.Rows = d.rows
	for i := range d.tallies {
		of, p := &d.tallies[i], d.options.Properties[i]
		row := digestProperty{Title: title(p), Formula: OneLine(p.Source), counts: of.counts, Groups: of.groups.list}
		for _, n := range of.notes[:min(len(of.notes), maxNotes)] {
			row.Notes = append(row.Notes, n.String())
		}
		data.Properties = append(data.Properties, row)
	}

	// A document that would be too long says less of each property.
	var text bytes.Buffer
	for d.limit = 1024; d.limit > 0; d.limit /= 2 {
		text.Reset()
		if err := d.template.Execute(&text, data); err != nil {
			d.run.Fail(err)
			return
		}
		if d.maxBytes == 0 || text.Len() <= d.maxBytes {
			break
		}
	}
	_, _ = d.out.Out.Write(text.Bytes()) // Flush reports the error
}
