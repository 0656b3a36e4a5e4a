package explain

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Teller tells the evidence of one verdict.
type Teller struct {
	Of       *graphs.Computation
	Property *syntax.Formula // as it was written, not resolved; nil where it is not known
	Verdict  rctl.Verdict    // on Property
	Ctx      context.Context // when it is done, instances of quantifiers are no longer looked for; nil never is

	Paint  func(text string) string // makes formulas stand out; nil does not
	Indent string                   // before each line
	Elided string                   // follows the number of rows that are left out, such as "; --json has them all"
}

// Tell writes e and its children. Errors are those of w.
func (t *Teller) Tell(w io.Writer, e *rctl.Evidence) error {
	var b bytes.Buffer
	t.tell(&b, t.root(e), t.Indent)
	_, err := w.Write(b.Bytes())
	return err
}

// A view is evidence and what of its formula to mention.
type view struct {
	*rctl.Evidence
	claim    string // the formula, with the instance that is shown
	interest *interest
	within   *scene // for the children
}

func (t *Teller) tell(b *bytes.Buffer, v *view, indent string) {
	line := func(indent, text string) { fmt.Fprintf(b, "%s%s\n", indent, text) }
	paint := t.Paint
	if paint == nil {
		paint = func(text string) string { return text }
	}
	line(indent, paint(graphs.Printable(v.claim))+": "+sentence(v.Evidence))
	for _, row := range t.table(v) {
		line(indent+"    ", row)
	}
	line(indent, graphs.Printable("cut "+cutText(t.Of, v.Start, v.Cut)))
	for _, values := range v.interest.lines(v.Start, v.Cut) {
		line(indent+"    ", graphs.Printable(values))
	}
	for _, child := range v.Children {
		t.tell(b, v.within.view(child), indent+"  ")
	}
}

// sentence says how the cut is reached.
func sentence(e *rctl.Evidence) string {
	where := "to this cut"
	if e.Whole {
		where = "to the end"
	}
	s := fmt.Sprintf("a run of %d events %s", len(e.Run), where)
	switch len(e.Run) {
	case 0:
		return "at this cut already"
	case 1:
		s = "one event " + where
	}
	if e.Nearer {
		s += " (a shorter one may exist)"
	}
	return s
}

// A Step is an event of a run.
type Step struct {
	Number int // in the run, from 1
	Event  graphs.Event
	Change string // what it does to what the formula mentions, "" for nothing
}

// Steps returns the events of e's run that change something that its formula
// mentions, and the last one.
func (t *Teller) Steps(e *rctl.Evidence) []Step { return t.root(e).steps() }

func (v *view) steps() []Step {
	var steps []Step
	for i, event := range v.Run {
		if change := v.interest.changes(event); change != "" || i == len(v.Run)-1 {
			steps = append(steps, Step{i + 1, event, change})
		}
	}
	return steps
}

// mostRows bounds the table of a run; what is left out is counted.
const mostRows = 40

// table returns the rows for the steps of a run.
func (t *Teller) table(v *view) []string {
	type row struct {
		number int // 0 for events left out
		text   string
	}
	var rows []row
	last := 0
	for _, s := range v.steps() {
		if n := s.Number - last - 1; n > 0 {
			verb := "change"
			if n == 1 {
				verb = "changes"
			}
			rows = append(rows, row{0, fmt.Sprintf("%s that %s nothing in it", graphs.Plural(n, "event"), verb)})
		}
		last = s.Number
		id := graphs.Printable(t.Of.ID(s.Event)) + "\t"
		if t.Of.HasID(s.Event) {
			id += graphs.Printable(t.Of.Processes()[t.Of.Process(s.Event)])
		}
		rows = append(rows, row{s.Number, id + "\t" + graphs.Printable(s.Change) + t.label(s.Event)})
	}
	if len(rows) == 0 {
		return nil
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for i, r := range rows {
		switch {
		case len(rows) > mostRows && i == mostRows/2:
			fmt.Fprintf(w, "…\t%d rows more%s\n", len(rows)-mostRows, t.Elided)
		case len(rows) > mostRows && i > mostRows/2 && i < len(rows)-mostRows/2:
		case r.number == 0:
			fmt.Fprintf(w, "…\t%s\n", r.text)
		default:
			fmt.Fprintf(w, "%d\t%s\n", r.number, r.text)
		}
	}
	w.Flush() //nolint:errcheck // a strings.Builder takes everything
	var lines []string
	for l := range strings.Lines(b.String()) {
		lines = append(lines, strings.TrimRight(l, " \n"))
	}
	return lines
}

// mostLabel bounds the characters of a label that are shown.
const mostLabel = 60

// label returns the label of an event, quoted, to follow what it changes.
func (t *Teller) label(e graphs.Event) string {
	label := []rune(t.Of.Label(e))
	if len(label) == 0 {
		return ""
	}
	if len(label) > mostLabel {
		label = append(label[:mostLabel], '…')
	}
	return "  " + strconv.Quote(string(label))
}

// Summary tells in one line what e shows, where, and the values there.
func (t *Teller) Summary(e *rctl.Evidence) string {
	v := t.root(e)
	s := fmt.Sprintf("%s at cut %s", v.claim, cutText(t.Of, v.Start, v.Cut))
	if values := v.interest.values(v.Start, v.Cut); len(values) > 0 {
		s += ", " + strings.Join(values, ", ")
	}
	return graphs.Printable(s)
}

// mostProcesses bounds the processes that are listed of a cut; where there are
// more, those are listed that took part in the run.
const mostProcesses = 12

func cutText(c *graphs.Computation, start, cut graphs.Cut) string {
	var parts []string
	left := 0
	for p, name := range c.Processes() {
		if len(cut) > mostProcesses && cut[p] == start[p] || len(parts) == mostProcesses {
			left++
			continue
		}
		parts = append(parts, fmt.Sprintf("%s:%d", name, cut[p]))
	}
	if left > 0 {
		parts = append(parts, fmt.Sprintf("… %d processes more", left))
	}
	return strings.Join(parts, " ")
}

// Abbreviate returns a formula, shortened where it would fill a screen.
func Abbreviate(f *syntax.Formula) string { return f.Brief(300) }
