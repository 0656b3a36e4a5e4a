package present

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fatih/color"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/report"
)

// A textReport prints verdicts for people. For one execution, it prints all verdicts. For several,
// it prints the first few verdicts on each property that fail or are undecided, and at the end a
// line for each property and one for all: nobody reads a thousand lines that say "holds".
type textReport struct {
	output
	totals
	sweeps []swept // sweeps by property, instead of totals
}

// totals are the results for properties on several executions.
type totals struct {
	names   []string              // the names of the executions
	last    map[string]*execution // the last execution with each name
	tallies []tally               // the tally of each property, by index
	events  int                   // how many events the executions have, as far as is known
}

// An execution is an execution with records. Several may share a name: a second record on the same
// property is then about another execution. Merged results may be ordered by property.
type execution struct {
	number int
	seen   []bool // which properties have a record, by index
	sized  bool   // whether its events were counted
}

// A tally has the results for one property on several executions.
type tally struct {
	named   map[string][]string // the names of executions by verdict, or "error"
	vacuous int                 // how many verdicts are vacuous
	listed  int
	notes   []report.Note
	noted   []int // how many times each note was given
	groups  groups
}

// decided returns the number of verdicts.
func (t *tally) decided() int {
	return len(t.named["holds"]) + len(t.named["fails"]) + len(t.named["unknown"])
}

// maxNotes bounds how many different notes are printed below the line of a property.
const maxNotes = 3

// verdict prints a record, or counts it if there are several executions.
func (t *textReport) verdict(r *Record) {
	switch {
	case r.unread():
		// The error is on standard error.
	case r.Sweep != nil && r.Several:
		t.listSweep(r)
	case r.Sweep != nil:
		if r.Err == nil {
			printSweep(t.out, r)
		}
	case r.Several:
		t.list(r)
	case r.Verdict != "":
		t.print(r)
	}
}

// list counts a record, and prints it if the list has room. It only counts a record whose run is
// like that of an earlier one.
func (t *textReport) list(r *Record) {
	of, g := t.add(r)
	// with --witness, all runs are shown
	holds := g == nil && !(t.options.Witness && len(r.Runs) > 0)
	known := g != nil && g.alike() && len(g.Members) > 1
	// The error was printed, and the summary has the number of errors.
	if r.Verdict == "" || (holds || known) && !t.options.All {
		return
	}
	// Keep counting, to report how many are left out.
	if of.listed++; of.listed <= maxListed || t.options.All {
		t.print(r)
	}
}

// add adds a record to the tally of its property and, unless it holds, to a group. For an error
// without a verdict, it returns no group: the account of that group is the error.
func (t *totals) add(r *Record) (of *tally, g *group) {
	name := r.Subject.Trace
	e := t.execution(r)
	for len(t.tallies) <= r.Index {
		t.tallies = append(t.tallies, tally{named: make(map[string][]string)})
	}
	of = &t.tallies[r.Index]
	word := cmp.Or(r.Verdict, "error")
	of.named[word] = append(of.named[word], name)
	if r.Err != nil {
		of.groups.fail(name, r.Err)
	}
	if r.Verdict == "" {
		return of, nil
	}

	for _, n := range r.Notes {
		of.note(n)
	}
	if slices.ContainsFunc(r.Notes, func(n report.Note) bool { return n.Kind == report.Vacuous }) {
		of.vacuous++
	}
	if !e.sized && r.Stats.Events >= 0 {
		t.events += int(r.Stats.Events)
		e.sized = true
	}
	if r.Outcome() != rctl.Holds {
		g = of.groups.add(r.Verdict, r.shape(), member{name, r.View})
	}
	return of, g
}

// execution returns the execution that a record is about. It creates a new one if the last one with
// that name already has a record on the property.
func (t *totals) execution(r *Record) *execution {
	name := r.Subject.Trace
	e := t.last[name]
	if e == nil || r.Index < len(e.seen) && e.seen[r.Index] {
		e = &execution{number: len(t.names)}
		t.names = append(t.names, name)
		if t.last == nil {
			t.last = make(map[string]*execution)
		}
		t.last[name] = e
	}
	for len(e.seen) <= r.Index {
		e.seen = append(e.seen, false)
	}
	e.seen[r.Index] = true
	return e
}

// String returns the totals in one line, the worst verdicts first.
func (t *totals) String() string {
	decided := 0
	for i := range t.tallies {
		decided += t.tallies[i].decided()
	}
	text := graphs.Plural(decided, "verdict") + " on " + graphs.Plural(len(t.names), "execution")
	// Results that were read, or a stream, may not have the sizes of executions.
	if t.events > 0 {
		text += " with " + graphs.Plural(t.events, "event")
	}
	return text + ": " + t.counts()
}

// counts lists the nonzero numbers of verdicts. Vacuous verdicts are also counted among the others.
func (t *totals) counts() string {
	n, vacuous := make(map[string]int), 0
	for _, of := range t.tallies {
		for word, names := range of.named {
			n[word] += len(names)
		}
		vacuous += of.vacuous
	}
	var parts []string
	for _, word := range []string{"error", "unknown", "fails", "holds"} {
		if n[word] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n[word], verb(word, n[word])))
		}
	}
	text := strings.Join(parts, ", ")
	if vacuous > 0 {
		text += fmt.Sprintf("; %d vacuous", vacuous)
	}
	return text
}

// note counts a note. It merges remedies for several executions into one, with the bounds of clock
// skew that help all of them.
func (t *tally) note(n report.Note) {
	i := slices.IndexFunc(t.notes, func(known report.Note) bool {
		_, ok := and(known.Within, n.Within)
		return ok || known == n
	})
	if i < 0 {
		t.notes = append(t.notes, n)
		t.noted = append(t.noted, 1)
		return
	}
	if both, ok := and(t.notes[i].Within, n.Within); ok {
		// The bounds that help all executions are the intersection.
		t.notes[i] = Remedy(both)
	}
	t.noted[i]++
}

// close prints a line for each property with its notes, and then the totals.
func (t *textReport) close(status exit.Status) {
	for i := range t.sweeps {
		of := &t.sweeps[i]
		parts := of.parts(t.out)
		if of.errors > 0 {
			parts = append(parts, graphs.Plural(of.errors, "error"))
		}
		t.sum(i, parts, of.listed)
	}
	short := shortNames(t.names)
	for i := range t.tallies {
		of := &t.tallies[i]
		// No trace could be read, and errors have been reported.
		if len(of.named) == 0 {
			continue
		}
		t.sum(i, t.results(of, short, status), of.listed)
		for i, g := range of.groups.list {
			if n := len(g.Members) - 1; n > 0 && g.alike() && i < maxListed {
				Detail(t.out, fmt.Sprintf("and %d like %s; -v lists all", n, g.Members[0].Name))
			}
		}
		t.printNotes(of)
	}
	// With one property, its line has the totals.
	if len(t.tallies) > 1 {
		fmt.Fprintln(t.out.Out, &t.totals)
	}
}

// sum prints the line of a property, and how many of its verdicts are not listed.
func (t *textReport) sum(property int, parts []string, listed int) {
	head := t.out.Paint(graphs.Printable(title(t.options.Properties[property])), color.Bold)
	fmt.Fprintf(t.out.Out, "%s: %s\n", head, strings.Join(parts, "; "))
	if n := listed - maxListed; n > 0 && !t.options.All {
		Detail(t.out, fmt.Sprintf("%d more are not listed above; -v lists all", n))
	}
}

// results states on how many executions a property fails, is unknown or holds.
func (t *textReport) results(of *tally, short map[string]string, status exit.Status) []string {
	var parts []string
	for _, word := range []string{"fails", "unknown"} {
		if names := of.named[word]; names != nil {
			count := fmt.Sprintf("%d of %d %s", len(names), of.decided(), verb(word, len(names)))
			parts = append(parts, t.out.Paint(count, shades[word])+": "+listNames(names, short))
		}
	}

	if n := len(of.named["holds"]); n > 0 && parts == nil {
		all := fmt.Sprintf("holds on all %d", n)
		// "holds on all" must not hide missing traces.
		if status == exit.BadInput {
			all += " that could be read"
		}
		parts = append(parts, t.out.Paint(all, color.FgGreen))
	}
	if n := len(of.named["error"]); n > 0 {
		parts = append(parts, graphs.Plural(n, "error"))
	}
	return parts
}

// printNotes prints the first few notes of a property, and how many executions have them.
func (t *textReport) printNotes(of *tally) {
	for i, n := range of.notes {
		if i == maxNotes {
			rest := graphs.Plural(len(of.notes)-i, "other note")
			Detail(t.out, fmt.Sprintf("and %s; -v lists all", rest), color.FgYellow)
			return
		}
		where := ""
		if n := of.decided(); of.noted[i] < n {
			where = fmt.Sprintf(" on %d of %d", of.noted[i], n)
		}
		Detail(t.out, n.Label()+where+": "+n.Text, color.FgYellow)
	}
}

// listNames lists the first names, in their short form if there is one.
func listNames(names []string, short map[string]string) string {
	var list []string
	for _, name := range names[:min(len(names), maxListed)] {
		list = append(list, graphs.Printable(cmp.Or(short[name], name)))
	}
	if len(names) > maxListed {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}

// shortNames maps names to their forms without the common part: the file of several executions, or
// the folder and the extension. Ten names then fit on a line.
func shortNames(names []string) map[string]string {
	short := make(map[string]string)
	if len(names) == 0 {
		return short
	}
	// Shrink both until all names have them.
	common := names[0]
	extension := extensionOf(common)
	for _, name := range names {
		for !strings.HasPrefix(name, common) {
			common = common[:len(common)-1]
		}
		if extensionOf(name) != extension {
			extension = ""
		}
	}

	// Names of files differ after their folder, and those of executions after their file.
	from := strings.LastIndexByte(common, '/') + 1
	if file, _, ok := strings.Cut(common, "#"); ok {
		// A dot in the name of an execution does not begin an extension.
		from = len(file) + 1
		extension = ""
	}
	for _, name := range names {
		short[name] = strings.TrimSuffix(name[from:], extension)
	}
	return short
}

// extensionOf returns the part of the last element of a path from its first dot on. A dot at the
// beginning does not count.
func extensionOf(name string) string {
	base := path.Base(name)
	if i := strings.IndexByte(base, '.'); i > 0 {
		return base[i:]
	}
	return ""
}
