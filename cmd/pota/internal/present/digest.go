package present

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math/big"
	"slices"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
)

// A digest is one document about all executions. It has totals, the extent of the coverage,
// failures grouped by shape, and in HTML a line for each execution with links to the views.
type digest struct {
	output
	totals
	template interface{ Execute(io.Writer, any) error } // converts a *document to text
	maxBytes int                                        // the bound on the text; 0 for none

	rows    []row
	unread  groups  // traces that cannot be read
	cuts    big.Int // the number of cuts in all executions whose cuts were counted
	counted int     // the number of these executions
	// the number of cuts in their recorded orders: the initial one, and one per event
	orders int
}

// A document is the data for a template. Its lists may be truncated.
type document struct {
	Heading, Covered string
	Properties       []documentProperty
	Unread           []documentGroup
	Rows             []row
}

// A documentProperty is the part of a document about a property.
type documentProperty struct {
	Title, Formula string
	Numbers        []int // the numbers in the order of the table of properties
	Groups         []documentGroup
	More           int // how many groups are left out
	Notes          []string
}

// Explained reports whether the document has more about the property than numbers.
func (p documentProperty) Explained() bool { return len(p.Groups)+len(p.Notes) > 0 }

// A documentGroup is a verdict on several executions. The first member represents the others.
type documentGroup struct {
	*group
	Name    string // the full name of the first member
	Members []link // links with short names
}

// A row is an execution with its verdicts.
type row struct {
	Name  string
	Cells []link
	holds int // 0 if one of the verdicts fails, so that the row comes first
}

// A link is a text with a link to the page of a view, if there is one.
type link struct{ Text, To string }

// maxSummary is below the limit of 1 MiB that GitHub sets for the summary of a step.
const maxSummary = 1000 << 10

// verdict counts a record.
func (d *digest) verdict(r *Record) {
	if r.unread() {
		d.unread.fail(r.Path, r.Err)
		return
	}
	_, g := d.add(r)
	if len(d.names) > len(d.rows) {
		d.rows = append(d.rows, row{Name: r.Subject.Trace, holds: 1})
		if r.Cuts != nil {
			d.cuts.Add(&d.cuts, r.Cuts)
			d.orders += int(r.Stats.Events) + 1
			d.counted++
		}
	}
	// Results that were read may lack a property of an execution.
	row := &d.rows[d.last[r.Subject.Trace].number]
	for len(row.Cells) <= r.Index {
		row.Cells = append(row.Cells, link{})
	}
	row.Cells[r.Index] = link{cmp.Or(r.Verdict, "error"), d.options.address(r.View)}
	if r.Verdict == rctl.Fails.String() {
		row.holds = 0
	}
	if g == nil || len(g.Members) > 1 {
		return
	}
	g.Account = r.account(d.options.Verbose)
	if len(r.Runs) == 0 {
		g.Account = r.headline() + "\n" + g.Account
	}
}

// close writes the document.
func (d *digest) close(exit.Status) {
	slices.SortStableFunc(d.rows, func(a, b row) int { return cmp.Compare(a.holds, b.holds) })
	// If the document is too long, write less about each property. Halving takes at most eleven
	// attempts, which cost less than the decisions did.
	var text bytes.Buffer
	for limit := 1024; limit > 0; limit /= 2 {
		text.Reset()
		if err := d.template.Execute(&text, d.document(limit)); err != nil {
			panic("this cannot happen, because the templates fit the document: " + err.Error())
		}
		if d.maxBytes == 0 || text.Len() <= d.maxBytes {
			break
		}
	}
	_, _ = d.out.Out.Write(text.Bytes()) // Flush reports the error
}

// document returns the contents, with at most limit groups of each kind and names in each group.
func (d *digest) document(limit int) *document {
	doc := &document{
		Heading: cmp.Or(d.counts(), "nothing was decided"),
		Covered: d.totals.String() + ".",
		Rows:    d.rows,
	}
	// Compared with the recorded orders, the number of cuts shows how much more the verdicts cover
	// than the logs themselves.
	if d.counted > 0 {
		text := fmt.Sprintf("%s. Causality allows %s cuts (states that the whole system may have been in); the recorded orders pass %d of them",
			&d.totals, &d.cuts, d.orders)
		if d.counted < len(d.names) {
			text += fmt.Sprintf("; %d executions have more than are counted here", len(d.names)-d.counted)
		}
		doc.Covered = text + "."
	}

	short := shortNames(d.names)
	groups := func(list []*group) (first []documentGroup) {
		for _, g := range list[:min(len(list), limit)] {
			of := documentGroup{group: g, Name: g.Members[0].Name}
			for _, m := range g.Members[:min(len(g.Members), 1+limit)] {
				name := graphs.Printable(cmp.Or(short[m.Name], m.Name))
				of.Members = append(of.Members, link{name, d.options.address(m.View)})
			}
			first = append(first, of)
		}
		return first
	}
	for i := range d.tallies {
		of, p := &d.tallies[i], d.options.Properties[i]
		about := documentProperty{
			Title:   title(p),
			Formula: OneLine(p.Source),
			Numbers: []int{len(of.named["holds"]), len(of.named["fails"]), len(of.named["unknown"]), len(of.named["error"]), of.vacuous},
			Groups:  groups(of.groups.list),
			More:    max(0, len(of.groups.list)-limit),
		}
		for _, n := range of.notes[:min(len(of.notes), maxNotes)] {
			about.Notes = append(about.Notes, n.String())
		}
		doc.Properties = append(doc.Properties, about)
	}
	doc.Unread = groups(d.unread.list)
	return doc
}
