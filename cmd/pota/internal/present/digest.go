package present

import (
	"bytes"
	"cmp"
	"fmt"
	"math/big"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/graphs"
)

// A digest is one document about all executions: totals, how much was covered, the failures of
// one shape together, and in HTML a line for each execution with links to the views.
type digest struct {
	output
	totals
	write    func(*digest, *bytes.Buffer, *document) // in the format
	maxBytes int                                     // of the document, 0 for any number
	limit    int                                     // of groups that are described, and of names in each
	short    map[string]string                       // names without what all have in common

	rows    []row
	unread  groups  // traces that cannot be read
	cuts    big.Int // in all executions with a count of cuts
	counted int     // the number of these executions
	orders  int     // cuts in their recorded orders: the initial one, and one for each event
}

// A row is an execution with its verdicts.
type row struct {
	Name  string
	Cells []cell
}

// A cell is what came of one property, with the file of its view, "" for none.
type cell struct{ Verdict, View string }

// maxSummary is below the megabyte that GitHub takes of the summary of a step.
const maxSummary = 1000 << 10

// newMarkdown returns a summary that GitHub, GitLab and others show.
func newMarkdown(o output) format {
	return &digest{output: o, maxBytes: maxSummary, write: (*digest).markdown}
}

// newHTML returns a page without scripts.
func newHTML(o output) format {
	return &digest{output: o, write: (*digest).page}
}

// shortened returns the name of an execution without the part that all have in common.
func (d *digest) shortened(name string) string {
	return graphs.Printable(cmp.Or(d.short[name], name))
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

// covered says how much was looked at. The number of cuts beside that of the recorded orders shows
// how much more the verdicts cover than a look at the logs does.
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
	title, formula string
	counts
	groups []*group
	notes  []string
}

// explained reports whether there is more to say of it than numbers.
func (p *digestProperty) explained() bool { return len(p.groups)+len(p.notes) > 0 }

// A document is what both formats say.
type document struct {
	heading, covered string
	properties       []digestProperty
}

// close writes the document.
func (d *digest) close(exit.Status) {
	d.short = make(map[string]string)
	for i, name := range shortNames(d.names) {
		d.short[d.names[i]] = name
	}
	doc := &document{
		heading: cmp.Or(d.all.String(), "nothing was decided"),
		covered: d.covered(),
	}
	for i := range d.tallies {
		of, p := &d.tallies[i], d.options.Properties[i]
		row := digestProperty{
			title:   title(p),
			formula: OneLine(p.Source),
			counts:  of.counts,
			groups:  of.groups.list,
		}
		for _, n := range of.notes[:min(len(of.notes), maxNotes)] {
			row.notes = append(row.notes, n.String())
		}
		doc.properties = append(doc.properties, row)
	}

	// A document that would be too long says less of each property. Halving takes at most ten tries,
	// and they cost less than the decisions did.
	var text bytes.Buffer
	for d.limit = 1024; d.limit > 0; d.limit /= 2 {
		text.Reset()
		d.write(d, &text, doc)
		if d.maxBytes == 0 || text.Len() <= d.maxBytes {
			break
		}
	}
	_, _ = d.out.Out.Write(text.Bytes()) // Flush reports the error
}

// first returns the part of a list that is described.
func first[T any](list []T, limit int) []T { return list[:min(len(list), limit)] }
