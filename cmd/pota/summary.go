package main

import (
	"bufio"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fatih/color"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
)

// A textReport prints verdicts for people. Of one execution it prints all. Of several
// it prints what fails or is undecided, the first few of each property, as it comes, and in
// the end a line for each property; with --verbose it prints all verdicts, too.
type textReport struct {
	names   []string // of the executions
	tallies []tally  // of the properties
	forked  bool
	held    []listing // what a fork would print
}

// A tally counts what came of one property on several executions.
type tally struct {
	decided, errors, listed int
	fails, unknown          []int // executions, as indices into names
	notes                   []note
	noted                   []int // how often each of the notes was given
}

// A listing is the text of one verdict.
type listing struct {
	property int
	text     string
}

// mostListed bounds the verdicts that are listed for each property, and the executions
// that its line names.
const mostListed = 10

func (*textReport) fork() presentation { return &textReport{forked: true} }

func (*textReport) forPeople(d *detection) bool { return d.cli.Bool("witness") || d.person }

func (*textReport) refusal(*detection, string, error) {}

func (r *textReport) decision(v *decision) {
	if !v.several {
		if v.result != nil {
			v.print()
		}
		return
	}
	for len(r.tallies) < len(v.properties) {
		r.tallies = append(r.tallies, tally{})
	}
	if v.index == 0 || len(r.names) == 0 || r.names[len(r.names)-1] != v.execution.Name {
		r.names = append(r.names, v.execution.Name)
	}
	t := &r.tallies[v.index]
	if v.result == nil {
		t.errors++
		return
	}
	t.decided++
	switch v.result.Verdict {
	case rctl.Fails:
		t.fails = append(t.fails, len(r.names)-1)
	case rctl.Unknown:
		t.unknown = append(t.unknown, len(r.names)-1)
	}
	for _, n := range v.notes {
		t.note(n, 1)
	}
	if v.result.Verdict != rctl.Holds || v.all() || v.cli.Bool("witness") && v.result.Evidence != nil {
		r.list(v.detection, listing{v.index, v.text()})
	}
}

// all reports whether all verdicts are to be listed.
func (d *detection) all() bool { return d.cli.Bool("verbose") || d.cli.Bool("cross-check") }

// list prints a verdict, or in a fork holds it.
func (r *textReport) list(d *detection, of listing) {
	if r.forked {
		r.held = append(r.held, of)
		return
	}
	t := &r.tallies[of.property]
	if t.listed++; t.listed <= mostListed || d.all() {
		d.out.WriteString(of.text) //nolint:errcheck // Flush tells
	}
}

// text is what print prints.
func (v *decision) text() string {
	var b strings.Builder
	s, d, w := *v.session, *v.detection, *v
	s.out = bufio.NewWriter(&b)
	d.session, w.detection = &s, &d
	w.print()
	s.out.Flush() //nolint:errcheck // a strings.Builder takes everything
	return b.String()
}

// note counts a note, given n times. Remedies for several are one, with the bounds of clock
// skew that help them all.
func (t *tally) note(of note, n int) {
	i := slices.IndexFunc(t.notes, func(known note) bool {
		_, ok := known.within.and(of.within)
		return ok || known == of
	})
	if i >= 0 {
		if both, ok := t.notes[i].within.and(of.within); ok {
			t.notes[i] = clocksHelp(both.verdict, both.from, both.to)
		}
	}
	if i < 0 {
		i = len(t.notes)
		t.notes, t.noted = append(t.notes, of), append(t.noted, 0)
	}
	t.noted[i] += n
}

func (r *textReport) join(d *detection, p presentation) {
	other := p.(*textReport)
	first := len(r.names)
	r.names = append(r.names, other.names...)
	for len(r.tallies) < len(other.tallies) {
		r.tallies = append(r.tallies, tally{})
	}
	for i, o := range other.tallies {
		t := &r.tallies[i]
		t.decided, t.errors = t.decided+o.decided, t.errors+o.errors
		for _, at := range o.fails {
			t.fails = append(t.fails, first+at)
		}
		for _, at := range o.unknown {
			t.unknown = append(t.unknown, first+at)
		}
		for k, n := range o.notes {
			t.note(n, o.noted[k])
		}
	}
	for _, l := range other.held {
		r.list(d, l)
	}
}

// end prints a line for each property.
func (r *textReport) end(d *detection) {
	names := shortNames(r.names)
	some := func(at []int) string {
		var list []string
		for _, i := range at[:min(len(at), mostListed)] {
			list = append(list, graphs.Printable(names[i]))
		}
		if len(at) > mostListed {
			list = append(list, "…")
		}
		return strings.Join(list, ", ")
	}
	for i, t := range r.tallies {
		if t.decided+t.errors == 0 {
			continue
		}
		v := decision{detection: d, property: d.properties[i]}
		var parts []string
		part := func(one, several string, at []int, shade color.Attribute) {
			verb := several
			if len(at) == 1 {
				verb = one
			}
			if len(at) > 0 {
				parts = append(parts, d.paint(fmt.Sprintf("%d of %d %s", len(at), t.decided, verb), shade)+": "+some(at))
			}
		}
		part("fails", "fail", t.fails, color.FgRed)
		part("is unknown", "are unknown", t.unknown, color.FgYellow)
		if parts == nil && t.decided > 0 {
			all := fmt.Sprintf("holds on all %d", t.decided)
			if d.status == badInput {
				all += " that could be read"
			}
			parts = []string{d.paint(all, color.FgGreen)}
		}
		if t.errors > 0 {
			parts = append(parts, graphs.Plural(t.errors, "error"))
		}
		fmt.Fprintf(d.out, "%s: %s\n", d.paint(graphs.Printable(v.title()), color.Bold), strings.Join(parts, "; "))
		if n := t.listed - mostListed; n > 0 && !d.all() {
			d.detail(fmt.Sprintf("%d more are not listed above; -v lists all", n))
		}
		for k, n := range t.notes {
			if k == mostNotes {
				d.detail(fmt.Sprintf("and %s; -v lists all", graphs.Plural(len(t.notes)-k, "other note")), color.FgYellow)
				break
			}
			where := ""
			if t.noted[k] < t.decided {
				where = fmt.Sprintf(" on %d of %d", t.noted[k], t.decided)
			}
			d.detail(n.label()+where+": "+n.Text, color.FgYellow)
		}
	}
}

// An errorReport prints what is wrong with traces and executions. What is wrong with many
// in the same way is printed of the first, and of the others in the end, in a line with their
// names; with --verbose it is printed of each.
type errorReport struct {
	texts  []string            // without the name, in the order in which they came
	names  map[string][]string // of what each of them is about
	forked bool
	held   []mishap // what a fork would print
}

// A mishap is an error about a trace or an execution.
type mishap struct {
	name string
	err  error
}

// wrong reports an error about a trace or an execution.
func (d *detection) wrong(name string, err error) {
	r := d.errors
	if r.forked {
		r.held = append(r.held, mishap{name, err})
		return
	}
	if r.names == nil {
		r.names = make(map[string][]string)
	}
	text := strings.TrimPrefix(errorText(err), graphs.Printable(name))
	all := r.names[text]
	if len(all) == 0 || d.all() {
		r.texts = append(r.texts, text)
		d.fail(err)
	}
	if len(all) == 0 || all[len(all)-1] != name {
		r.names[text] = append(all, name)
	}
}

func (r *errorReport) join(d *detection, other *errorReport) {
	for _, h := range other.held {
		d.wrong(h.name, h.err)
	}
}

// end prints a line for each error that several traces or executions have.
func (r *errorReport) end(d *detection) {
	for _, text := range r.texts {
		names := r.names[text][1:]
		if len(names) == 0 || d.all() {
			continue
		}
		first, _, _ := strings.Cut(strings.TrimLeft(text, ": "), "\n")
		fmt.Fprintf(d.err, "pota: %d more with the same error (%s): %s\n", len(names), first, strings.Join(mapOf(names, graphs.Printable), ", "))
	}
}

// mostNotes bounds the different notes that follow the line of a property.
const mostNotes = 3

// shortNames returns names without the file, or the folder and the extension, that all
// of them have.
func shortNames(names []string) []string {
	if len(names) == 0 {
		return nil
	}
	if file, _, ok := strings.Cut(names[0], "#"); ok && !slices.ContainsFunc(names, func(name string) bool { return !strings.HasPrefix(name, file+"#") }) {
		return mapOf(names, func(name string) string { return name[len(file)+1:] })
	}
	folder, extension := path.Dir(names[0])+"/", extensionOf(names[0])
	if folder == "./" {
		folder = ""
	}
	for _, name := range names {
		for !strings.HasPrefix(name, folder) {
			folder = folder[:strings.LastIndexByte(strings.TrimSuffix(folder, "/"), '/')+1]
		}
		if extensionOf(name) != extension {
			extension = ""
		}
	}
	return mapOf(names, func(name string) string { return strings.TrimSuffix(name[len(folder):], extension) })
}

// extensionOf returns what follows the first point in the last part of a path.
func extensionOf(name string) string {
	base := path.Base(name)
	if i := strings.IndexByte(base, '.'); i > 0 {
		return base[i:]
	}
	return ""
}
