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
	// why the verdict may be due to cuts that could not have been, "" if it is not
	Spurious string
	Vacuous  []string // what the verdict does not say
	// of a formula about data, how many values or events decide the verdict, and the first of them
	Bound   string
	Witness *Witness // nil if no run shows the verdict

	// Certificate is one that pota verify checks, where Checker.Certify asks for it. It has
	// no Verdict where that is Unknown, and no Proof but the name of an Engine where none
	// was found in time.
	Certificate *certify.Certificate

	computation *graphs.Computation
	shown       *graphs.Computation // that the evidence is about
	resolved    *syntax.Formula     // that was decided on it
	result      *rctl.Result
	elapsed     time.Duration
	alone       bool // the trace has no other execution
}

// A Witness is a run that shows a verdict.
type Witness struct {
	Formula  string            // the part of the property that it shows the verdict on
	Verdict  Verdict           // on that part
	Bindings map[string]string // the processes that quantified names stand for
	// all events of the run, in an order in which they could have happened
	Steps []Step
	// how many events of each process have happened when it ends
	Cut     map[string]int
	Values  map[string]graphs.Value
	Remarks []string // what holds on all runs from there
	Nested  []*Witness
}

// A Step is an event.
type Step struct {
	ID, Process, Label string
	Changes            []Change
	Messages           []string // "receives "m" from P", "sends "n" to Q"
}

// A Change is what an event does to a variable of its process, or a shared one.
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

// notes are what a reader should know beside the verdict.
func (r *Result) notes() (notes []report.Note) {
	if r.Spurious != "" {
		notes = append(notes, report.Note{Kind: report.Spurious, Text: r.Spurious})
	}
	for _, text := range r.Vacuous {
		notes = append(notes, report.Note{Kind: report.Vacuous, Text: text})
	}
	return notes
}

// Report returns the result as pota detect --json prints it.
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
		_ = t.Write(&b, r.result.Evidence) // a strings.Builder takes everything
	}

	return strings.TrimRight(b.String(), "\n")
}
