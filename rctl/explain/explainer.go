package explain

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
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
	// the property in its written form, not resolved; nil if it is not known
	Property *syntax.Formula
	// a Property about data as Resolve returned it; nil if it is not known
	Resolved *syntax.Formula
	Source   string // the text of Property; "" stands for its canonical form
	// once it is done, the search for instances of quantifiers ends; nil stands for one without end
	Ctx context.Context

	Full bool // list all events of a run, and all messages
	// selects variables to show in addition to those of the property; nil selects none
	Show func(v *graphs.Variable) bool

	Paint  func(text string) string // highlights formulas; nil leaves them plain
	Indent string                   // the prefix of each line
	// the text after the number of omitted steps, such as "; --witness full has them all"
	Elided string
}

// Write writes e and its children. It returns the errors of w.
func (t *Explainer) Write(w io.Writer, e *rctl.Evidence) error {
	var b bytes.Buffer
	t.write(&b, t.Explain(e), t.Indent)
	_, err := w.Write(b.Bytes())
	return err
}

// write writes a level, and its children with deeper indentation.
func (t *Explainer) write(b *bytes.Buffer, l *Level, indent string) {
	line := func(indent, text string) { fmt.Fprintf(b, "%s%s\n", indent, text) }
	for _, cause := range l.Causes {
		line(indent, graphs.Printable(cause))
	}
	claim := l.Text + " " + l.Verdict.String()
	if instance := l.Instance(); instance != "" {
		claim += " with " + instance
	}
	claim = graphs.Printable(claim)
	if t.Paint != nil {
		claim = t.Paint(claim)
	}
	line(indent, claim+": "+sentence(l.Evidence))
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
	if len(indent) < len(t.Indent)+maxIndent {
		indent += "  "
	}
	for _, child := range l.Children {
		t.write(b, child, indent)
	}
}

// maxIndent bounds the columns by which a level is indented relative to the first. Deeper levels
// would not fit on a screen.
const maxIndent = 80

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

// table returns the rows for the steps of a run and for the event that should have come first.
func (t *Explainer) table(l *Level) []string {
	if len(l.Evidence.Run) == 0 {
		return nil
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	last := 0
	for _, s := range l.Steps {
		changing := 0 // how many omitted steps change something
		for _, is := range l.changing[last : s.Number-1] {
			if is {
				changing++
			}
		}
		n := s.Number - last - 1
		switch {
		case changing > 0:
			fmt.Fprintf(w, "…\t%s left out, %d of which change something%s\n", graphs.Plural(n, "event"), changing, t.Elided)
		case n == 1:
			fmt.Fprint(w, "…\t1 event that changes nothing in it\n")
		case n > 0:
			fmt.Fprintf(w, "…\t%d events that change nothing in it\n", n)
		}
		last = s.Number
		t.row(w, fmt.Sprint(s.Number), &s, "")
	}
	if u := l.Unordered; u != nil {
		s := l.step(u.Before)
		t.row(w, "–", &s, "not yet: ")
	}

	_ = w.Flush() // writes to a strings.Builder never fail
	var lines []string
	for l := range strings.Lines(b.String()) {
		lines = append(lines, strings.TrimRight(l, " \n"))
	}
	return lines
}

// row writes a row of a table: the id of an event, its process, time and place if the trace has
// them, and a description.
func (t *Explainer) row(w io.Writer, number string, s *Step, prefix string) {
	cells := []string{number, t.Of.ID(s.Event), ""}
	if t.Of.HasID(s.Event) {
		cells[2] = t.Of.Processes()[t.Of.Process(s.Event)]
	}
	if at := t.Of.Time(s.Event); at != "" {
		cells = append(cells, unquoted(at))
	}
	if at := t.Of.Place(s.Event); at.File == "-" || at.File == "standard input" {
		cells = append(cells, fmt.Sprintf("line %d", at.Line))
	} else if at.Line > 0 {
		cells = append(cells, fmt.Sprintf("%s:%d", filepath.Base(at.File), at.Line))
	}
	cells = append(cells, prefix+t.Line(s))
	for i := range cells {
		cells[i] = graphs.Printable(cells[i])
	}
	fmt.Fprintln(w, strings.Join(cells, "\t"))
}

// unquoted returns a time without the quotes of JSON.
func unquoted(at string) string { return strings.Trim(at, `"`) }

// maxLabel bounds the length of a label as shown, in characters.
const maxLabel = 60

// Line returns what a step does, and the label of its event in quotes.
func (t *Explainer) Line(s *Step) string {
	text := s.Text()
	label := t.Of.Label(s.Event)
	if label == "" {
		return text
	}
	if text != "" {
		text += "  "
	}
	return text + strconv.Quote(graphs.Shorten(label, maxLabel))
}

// Summary returns one line with the conclusion of the run of e, its instance and its cause.
func (t *Explainer) Summary(e *rctl.Evidence) string {
	l := t.Outline(e)
	s := l.Reason
	if instance := l.Instance(); instance != "" {
		s += ", with " + instance
	}
	s = strings.Join(append([]string{s}, l.Causes[1:]...), "; ")
	if values := valueTexts(l.Values); t.Show != nil && len(values) > 0 {
		s += "; " + strings.Join(values, ", ")
	}
	return graphs.Printable(s)
}

// maxProcesses bounds how many processes of a cut are listed. If there are more, only processes
// that moved during the run are listed.
const maxProcesses = 12

// cutText returns the number of events of each process in a cut. If there are many processes, it
// lists only those that moved since start.
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

// maxFormula bounds the length of a formula as shown, in characters.
const maxFormula = 300

// shortened does the same for a formula's text, on one line.
func shortened(text string) string {
	return graphs.Shorten(strings.Join(strings.Fields(text), " "), maxFormula)
}
