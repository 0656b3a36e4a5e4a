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

// A textReport prints verdicts for people. On one execution it prints all. On several it prints
// the first few of each property that fail or are undecided, and in the end a line for each
// property and one for all: nobody reads a thousand lines that say "holds".
type textReport struct {
	output
	totals
	sweeps []swept // by property, instead of totals
}

// totals are what came of properties on several executions.
type totals struct {
	names   []string              // of the executions
	last    map[string]*execution // of each name
	tallies []tally               // of the properties, by index
	events  int                   // of the executions, as far as is known
}

// An execution is one with records. Several may share a name: they have records of the same
// properties. Results that were merged may come property by property.
type execution struct {
	number int
	seen   []bool // by index of a property
	sized  bool   // its events were added
}

// A tally is what came of one property on several executions.
type tally struct {
	named   map[string][]string // executions by verdict, or "error"
	vacuous int                 // verdicts
	listed  int
	notes   []report.Note
	noted   []int // how often each of the notes was given
	groups  groups
}

// decided is the number of all verdicts.
func (t *tally) decided() int {
	return len(t.named["holds"]) + len(t.named["fails"]) + len(t.named["unknown"])
}

// maxNotes bounds the different notes below the line of a property.
const maxNotes = 3

// verdict prints a record, or counts it if there are several executions.
func (t *textReport) verdict(r *Record) {
	switch {
	case r.unread():
		// Standard error has it.
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

// list counts a record, and prints it if the list has room. One with the run of another is only
// counted.
func (t *textReport) list(r *Record) {
	of, g := t.add(r)
	holds := g == nil && !(t.options.Witness && len(r.Runs) > 0) // who asks for witnesses sees them all
	known := g != nil && g.alike() && len(g.Members) > 1
	// An error was printed, and the sum says how many there are.
	if r.Verdict == "" || (holds || known) && !t.options.All {
		return
	}
	// The count goes on, to say how many are left out.
	if of.listed++; of.listed <= maxListed || t.options.All {
		t.print(r)
	}
}

// add adds a record to the tally of its property and, if it does not hold, to a group. It returns
// no group for an error without a verdict: the group of that has the error as its account.
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

// execution returns the execution that a record is about, a new one if another record of the
// property was about the last one of that name.
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

// String returns the totals in one line, the worst first.
func (t *totals) String() string {
	decided := 0
	for i := range t.tallies {
		decided += t.tallies[i].decided()
	}
	text := graphs.Plural(decided, "verdict") + " on " + graphs.Plural(len(t.names), "execution")
	// Results that were read, or a stream, may not say how large executions are.
	if t.events > 0 {
		text += " with " + graphs.Plural(t.events, "event")
	}
	return text + ": " + t.counts()
}

// counts lists the numbers of verdicts that are not 0. Vacuous ones are among the others.
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

// note counts a note. Remedies for several executions are one, with the bounds of clock skew
// that help them all.
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
		// The bounds that help all executions are at most those of one.
		t.notes[i] = Remedy(both)
	}
	t.noted[i]++
}

// close prints a line for each property, and its notes, and then the totals.
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
		// No trace could be read, and each has said so.
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
	// The line of one property has its totals.
	if len(t.tallies) > 1 {
		fmt.Fprintln(t.out.Out, &t.totals)
	}
}

// sum prints the line of a property, and how many of its verdicts were too many to be listed.
func (t *textReport) sum(property int, parts []string, listed int) {
	head := t.out.Paint(graphs.Printable(title(t.options.Properties[property])), color.Bold)
	fmt.Fprintf(t.out.Out, "%s: %s\n", head, strings.Join(parts, "; "))
	if n := listed - maxListed; n > 0 && !t.options.All {
		Detail(t.out, fmt.Sprintf("%d more are not listed above; -v lists all", n))
	}
}

// results says of how many executions a property fails, is unknown or holds.
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
		// "holds on all" must not hide the traces that are missing.
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

// printNotes prints the first few notes of a property, and on how many executions they were given.
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

// listNames lists the first names, in short if that is known.
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

// shortNames returns names without their common part: the file of several executions, or the
// folder and the extension. Ten names then fit in a line.
func shortNames(names []string) map[string]string {
	short := make(map[string]string)
	if len(names) == 0 {
		return short
	}
	// Both shrink until all names have them.
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
		// A point in the name of an execution begins no extension.
		from = len(file) + 1
		extension = ""
	}
	for _, name := range names {
		short[name] = strings.TrimSuffix(name[from:], extension)
	}
	return short
}

// extensionOf returns what follows the first point in the last part of a path.
func extensionOf(name string) string {
	base := path.Base(name)
	if i := strings.IndexByte(base, '.'); i > 0 {
		return base[i:]
	}
	return ""
}
