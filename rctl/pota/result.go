package pota

import (
	"fmt"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/certify"
	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Result is the verdict on one property and one execution.
type Result struct {
	Execution string // the path, or path#name for one of several
	Property  syntax.Property
	Verdict   Verdict
	Reason    string // why the verdict is Unknown
	// why the verdict may be due to impossible cuts; "" if it is not
	Spurious string
	Vacuous  []string // notes on why the verdict says less than it seems to
	// for a formula about data, how many values or events decide the verdict, and the first of them
	Bound   string
	Witness *Witness // nil if no run shows the verdict

	// Certificate can be checked by pota verify; it is nil unless Checker.Certify is set. It has
	// no Verdict if the verdict is Unknown. If no proof was found in time, it has no Proof, but
	// the name of an Engine.
	Certificate *certify.Certificate

	computation *graphs.Computation
	shown       *graphs.Computation // the computation that the evidence is about
	resolved    *syntax.Formula     // the formula that was decided on it
	result      *rctl.Result
	elapsed     time.Duration
	alone       bool // whether the trace has no other execution
}

// A Witness is a run that shows a verdict.
type Witness struct {
	Formula  string            // the part of the property that the run is about
	Verdict  Verdict           // the verdict on that part
	Bindings map[string]string // the processes that quantified names stand for
	// all events of the run, in a possible order
	Steps []Step
	// how many events of each process are in the cut where the run ends
	Cut     map[string]int
	Values  map[string]graphs.Value
	Remarks []string // formulas that hold on all runs from the cut on
	Nested  []*Witness
}

// A Step is an event of a run.
type Step struct {
	ID, Process, Label string
	Changes            []Change
	Messages           []string // "receives "m" from P", "sends "n" to Q"
}

// A Change is a change by an event of a variable of its process, or of a shared variable.
type Change struct {
	Variable string
	From, To graphs.Value
}

func (r *Result) explainer(full bool) *explain.Explainer {
	return &explain.Explainer{
		Of:       r.shown,
		Property: r.Property.Formula,
		Resolved: r.resolved,
		Source:   r.Property.Source,
		Full:     full,
	}
}

func (r *Result) witness(l *explain.Level) *Witness {
	c := r.shown
	names := c.Processes()
	w := &Witness{
		Formula: l.Text, Verdict: l.Verdict, Remarks: l.Remarks,
		Bindings: make(map[string]string), Cut: make(map[string]int), Values: make(map[string]graphs.Value),
	}

	for _, b := range l.Bindings {
		w.Bindings[b.Name] = b.Process
	}
	for p, name := range names {
		w.Cut[name] = int(l.Evidence.Cut[p])
	}
	for _, v := range l.Values {
		w.Values[v.Name] = v.Value
	}
	for _, s := range l.Steps {
		step := Step{ID: c.ID(s.Event), Process: names[c.Process(s.Event)], Label: c.Label(s.Event), Messages: s.Links}
		for _, change := range s.Changes {
			step.Changes = append(step.Changes, Change{change.Variable.Name, change.From, change.To})
		}
		w.Steps = append(w.Steps, step)
	}

	for _, child := range l.Children {
		w.Nested = append(w.Nested, r.witness(child))
	}
	return w
}

// notes returns what a reader should know in addition to the verdict.
func (r *Result) notes() (notes []report.Note) {
	if r.Spurious != "" {
		notes = append(notes, report.Note{Kind: report.Spurious, Text: r.Spurious})
	}
	for _, text := range r.Vacuous {
		notes = append(notes, report.Note{Kind: report.Vacuous, Text: text})
	}
	return notes
}

// Report returns the record that pota detect --json prints for the result.
func (r *Result) Report() *report.Record {
	of := report.SubjectOf(r.Execution, r.Property)
	record := report.New(of, r.result, r.result.Engine.String(), r.elapsed, r.notes())
	record.Stats = report.SizesOf(r.computation)
	if e := r.result.Evidence; e != nil {
		record.Witness = report.NewWitness(r.shown, report.KindOf(r.Verdict), r.explainer(false).Explain(e))
	}
	return record
}

// String returns the result as text: the verdict, its basis, and the witness with the
// important steps of its run.
func (r *Result) String() string {
	var b strings.Builder
	b.WriteString(r.Verdict.String() + ": ")
	if !r.alone {
		b.WriteString(r.Execution + ": ")
	}
	if r.Property.Name != "" {
		b.WriteString(r.Property.Name + ": ")
	}
	b.WriteString(r.Property.Source + "\n")
	for _, text := range []string{r.Reason, r.Bound} {
		if text != "" {
			fmt.Fprintf(&b, "  %s\n", text)
		}
	}
	for _, n := range r.notes() {
		fmt.Fprintf(&b, "  %s\n", n)
	}
	if r.result.Evidence != nil {
		t := r.explainer(false)
		t.Indent = "  "
		_ = t.Write(&b, r.result.Evidence) // writes to a strings.Builder never fail
	}

	return strings.TrimRight(b.String(), "\n")
}
