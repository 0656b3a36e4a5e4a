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

// An Explainer describes the evidence of one verdict.
type Explainer struct {
	Of *graphs.Computation
	// as it was written, not resolved; nil where it is not known
	Property *syntax.Formula
	Source   string // the text of Property; "" is its canonical form
	// when it is done, instances of quantifiers are no longer looked for; nil never is
	Ctx context.Context

	Full bool // list all events of a run, and all messages
	// picks variables to show beside those of the property; nil for none
	Show func(v *graphs.Variable) bool

	Paint  func(text string) string // makes formulas stand out; nil does not
	Indent string                   // before each line
	// follows the number of steps that are left out, such as "; --json has them all"
	Elided string
}

// Write writes e and its children. Errors are those of w.
func (t *Explainer) Write(w io.Writer, e *rctl.Evidence) error {
	var b bytes.Buffer
	t.write(&b, t.Explain(e), t.Indent)
	_, err := w.Write(b.Bytes())
	return err
}

// write writes a level, and its children with a larger indent.
func (t *Explainer) write(b *bytes.Buffer, l *Level, indent string) {
	line := func(indent, text string) { fmt.Fprintf(b, "%s%s\n", indent, text) }
	paint := t.Paint
	if paint == nil {
		paint = func(text string) string { return text }
	}
	line(indent, paint(graphs.Printable(l.claim(true)))+": "+sentence(l.Evidence))
	for _, row := range t.table(l) {
		line(indent+"    ", row)
	}
	line(indent, graphs.Printable("cut "+cutText(t.Of, l.Evidence.Start, l.Evidence.Cut)))
	for _, values := range valueLines(l.Values) {
		line(indent+"    ", graphs.Printable(values))
	}
	for _, remark := range l.Remarks {
		line(indent+"  ", graphs.Printable(remark))
	}
	for _, child := range l.Children {
		t.write(b, child, indent+"  ")
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
	if e.MaybeShorter {
		s += " (a shorter one may exist)"
	}
	return s
}

// maxRows bounds the steps of a run that are listed. The last ones are, and before them
// the last that changed each variable.
const maxRows = 40

// chosen returns the steps that are listed.
func (t *Explainer) chosen(steps []Step) []Step {
	if len(steps) <= maxRows || t.Full {
		return steps
	}
	// Steps that only link others are left out first, but for the last ones.
	matter := keepSteps(steps, func(i int) bool {
		return len(steps[i].Changes)+len(steps[i].Traffic) > 0 || i >= len(steps)-maxRows/4
	})
	if len(matter) <= maxRows {
		return matter
	}
	keep, kept := make([]bool, len(steps)), 0
	changed := make(map[*graphs.Variable]bool)
	for i := len(steps) - 1; i >= 0; i-- {
		last := false
		for _, c := range steps[i].Changes {
			last = last || !changed[c.Variable]
			changed[c.Variable] = true
		}
		if kept < maxRows && (i >= len(steps)-maxRows/2 || last) {
			keep[i] = true
			kept++
		}
	}

	for i := len(steps) - 1; i >= 0 && kept < maxRows; i-- {
		if !keep[i] {
			keep[i] = true
			kept++
		}
	}

	return keepSteps(steps, func(i int) bool { return keep[i] })
}

// keepSteps returns the steps with the places that keep names.
func keepSteps(steps []Step, keep func(i int) bool) []Step {
	var all []Step
	for i, s := range steps {
		if keep(i) {
			all = append(all, s)
		}
	}
	return all
}

// table returns the rows for the steps of a run.
func (t *Explainer) table(l *Level) []string {
	if len(l.Evidence.Run) == 0 {
		return nil
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	steps, next := t.chosen(l.Steps), 0
	last := 0
	for _, s := range steps {
		left := 0 // changes that are not listed
		for ; l.Steps[next].Number < s.Number; next++ {
			if len(l.Steps[next].Changes)+len(l.Steps[next].Traffic) > 0 {
				left++
			}
		}
		next++
		if n := s.Number - last - 1; left > 0 {
			fmt.Fprintf(w, "…\t%s left out, %d of which change something%s\n", graphs.Plural(n, "event"), left, t.Elided)
		} else if n > 0 {
			verb := "change"
			if n == 1 {
				verb = "changes"
			}
			fmt.Fprintf(w, "…\t%s that %s nothing in it\n", graphs.Plural(n, "event"), verb)
		}
		last = s.Number
		id := graphs.Printable(t.Of.ID(s.Event)) + "\t"
		if t.Of.HasID(s.Event) {
			id += graphs.Printable(t.Of.Processes()[t.Of.Process(s.Event)])
		}
		fmt.Fprintf(w, "%d\t%s\t%s%s\n", s.Number, id, graphs.Printable(s.Text()), t.label(s.Event))
	}

	_ = w.Flush() // a strings.Builder takes everything
	var lines []string
	for l := range strings.Lines(b.String()) {
		lines = append(lines, strings.TrimRight(l, " \n"))
	}
	return lines
}

// maxLabel bounds the characters of a label that are shown.
const maxLabel = 60

// label returns the label of an event in quotes, to follow its changes.
func (t *Explainer) label(e graphs.Event) string {
	label := []rune(t.Of.Label(e))
	if len(label) == 0 {
		return ""
	}
	if len(label) > maxLabel {
		label = append(label[:maxLabel], '…')
	}
	return "  " + strconv.Quote(string(label))
}

// Summary gives in one line the formula that e is about, with its instance, and the cut
// and the values there.
func (t *Explainer) Summary(e *rctl.Evidence) string {
	l, _ := t.cut(newScene(t.Ctx, t.Of, t.Property), e)
	s := fmt.Sprintf("%s at cut %s", l.claim(false), cutText(t.Of, e.Start, e.Cut))
	if values := valueTexts(l.Values); len(values) > 0 {
		s += ", " + strings.Join(values, ", ")
	}
	return graphs.Printable(s)
}

// maxProcesses bounds the processes that are listed of a cut; where there are
// more, those are listed that took part in the run.
const maxProcesses = 12

// cutText returns how many events of each process a cut has, with the processes
// that moved if there are many.
func cutText(c *graphs.Computation, start, cut graphs.Cut) string {
	var parts []string
	left := 0
	for p, name := range c.Processes() {
		if len(cut) > maxProcesses && cut[p] == start[p] || len(parts) == maxProcesses {
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

// Abbreviate returns a formula, shortened if it would fill a screen.
func Abbreviate(f *syntax.Formula) string { return f.Brief(maxFormula) }

// maxFormula bounds the characters of a formula that are shown.
const maxFormula = 300

// shortened does the same to the text of one.
func shortened(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > maxFormula {
		return string(r[:maxFormula]) + "…"
	}
	return text
}
