// Package present prints verdicts: as text for people, as lines of JSON, as reports of JUnit,
// in SARIF, and as annotations of GitHub.
//
// A Record is all that is known of one verdict. A Report takes records in order. It reports
// errors on standard error, keeps the exit status, and hands the records to the format that was
// asked for. What a format prints depends on the records alone.
//
// Text, JSON and annotations are printed as records come, so that a user sees each verdict when
// it is known. JUnit, SARIF, Markdown and HTML are documents: they are collected, and printed by
// Close.
package present

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/fix"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
)

// A Record is what came of one property on one execution.
type Record struct {
	// A format writes the error and the whole runs into the record, if it needs them.
	report.Record

	Path     string // of the trace, as it was given: formats with places in files need it
	Property syntax.Property
	Index    int   // of the property among those that are decided
	Several  bool  // more than one execution is decided
	Err      error // why there is no verdict, or what is wrong with it

	Certificate []byte // a line, where one was asked for

	Cuts *big.Int // of the execution; nil if they were not counted

	Runs   []Run  // runs that show the verdict: several if it branches, and one for each of the first bindings
	Bound  string // how many bindings of a formula about data decide the verdict, and the first of them
	NoRun  string // why there is no run, where one was asked for
	Sweep  *Sweep // verdicts at all bounds of clock skew, instead of one
	View   string // the file of a page about the run, "" for none
	Origin string // file and line where the record was read, "" if the verdict was found in this run
}

// Unread is the record of an error about a whole trace, mostly one that cannot be read. It has no
// property. With it, a report that is kept does not look complete without the trace.
func Unread(path string, err error) *Record {
	return &Record{
		Record: report.Record{Subject: report.Subject{Trace: path}},
		Path:   path,
		Err:    err,
	}
}

// unread reports whether the record is one of Unread.
func (r *Record) unread() bool { return r.Property.Source == "" }

// A Run is evidence with the means to describe it. Each format describes it in its own words,
// and most records are not printed at all, so the description is made late.
type Run struct {
	Of          string          // the binding that the run is about, "" for none
	Binding     int             // its place among the first ones
	Formula     *syntax.Formula // about that binding; nil for that of the property
	Resolved    *syntax.Formula // what was decided
	Evidence    *rctl.Evidence
	Computation *graphs.Computation
	Context     context.Context               // bounds the search for instances of quantifiers
	Full        bool                          // describe all events, not only those that matter
	Show        func(v *graphs.Variable) bool // variables to show beside those of the formula, nil for none

	Ending string // what follows the run, "" for nothing
	Cycle  int    // the number of the first event that is repeated for ever, 0 for none
}

// part describes a run that was only kept in part in one line, "" for none. The runs of records
// that were read are not described.
func (r *Record) part() string {
	w := r.Witness
	if w == nil || r.Origin != "" {
		return ""
	}
	var cut []string
	for p, name := range w.Cut.Processes {
		cut = append(cut, fmt.Sprintf("%s:%d", name, w.Cut.Counts[p]))
	}
	text := "a run to the cut " + graphs.List(cut, 20)
	if len(w.Steps) > 0 {
		text += ", by way of " + graphs.List(w.Steps, 20)
	}
	return text
}

// and returns the bounds that are among both, if there are any and the verdict is the same.
func and(a, b report.Bounds) (report.Bounds, bool) {
	// Notes other than remedies have no verdict here, and join nothing. Remedies may have bounds that
	// do not overlap, and each is then a note of its own.
	both := report.Bounds{Verdict: a.Verdict, From: max(a.From, b.From), To: min(a.To, b.To)}
	return both, a.Verdict != "" && a.Verdict == b.Verdict && both.From <= both.To
}

// Remedy returns the note that the verdict is another at some bounds.
func Remedy(b report.Bounds) report.Note {
	text := fmt.Sprintf("it %s if clocks agree within %s; if they do, decide with --skew %s",
		b.Verdict, Within(b.To), report.Duration(time.Duration(b.To)))
	return report.Note{Kind: report.Remedy, Text: text, Within: b}
}

// StatusOf returns the exit status of a verdict.
func StatusOf(v rctl.Verdict) exit.Status {
	// A table, so that a new verdict without a status fails at once.
	return [...]exit.Status{
		rctl.Unknown: exit.Undecided,
		rctl.Holds:   exit.AllHold,
		rctl.Fails:   exit.SomeFails,
	}[v]
}

// explainer returns what describes a run.
func (r *Record) explainer(run Run) *explain.Explainer {
	of, source := r.Property.Formula, r.Property.Source
	if run.Formula != nil {
		of, source = run.Formula, ""
	}
	return &explain.Explainer{
		Of:       run.Computation,
		Property: of,
		Resolved: run.Resolved,
		Source:   source,
		Ctx:      run.Context,
		Full:     run.Full,
		Show:     run.Show,
	}
}

// title is the name of a property, or its formula if it has no name.
func title(p syntax.Property) string {
	return cmp.Or(p.Name, OneLine(p.Source))
}

// headline is the verdict in one line, with the reason or a summary of the run.
func (r *Record) headline() string {
	text := cmp.Or(r.Reason, r.Bound, r.Margin.String())
	if text == "" {
		text = cmp.Or(r.summary(), r.part(), r.Property.Source)
	}
	return OneLine(r.Verdict + ": " + text)
}

// summary describes the evidence in one line. It is "" for evidence without a run.
func (r *Record) summary() string {
	if len(r.Runs) == 0 {
		return ""
	}
	e := r.Runs[0].Evidence
	if len(e.Run)+len(e.Children) == 0 || !e.Formula.Op.IsTemporal() {
		return ""
	}
	return r.explainer(r.Runs[0]).Summary(e)
}

// account is the verdict in several lines: the formula, how it was decided, notes, and the run
// that shows it. Reports of continuous integration have it in full, as they are read alone.
func (r *Record) account(verbose bool) string {
	var b strings.Builder
	line := func(text string) {
		if text != "" {
			b.WriteString(text + "\n")
		}
	}
	b.WriteString(r.Property.Source + "\n")
	line(r.Reason)
	line(r.Bound)
	line(r.Margin.String())
	if verbose {
		line(r.how())
	}
	for _, n := range r.Notes {
		line(n.String())
	}
	for _, text := range r.Margin.Moments() {
		line(text)
	}
	if r.Origin != "" {
		line("result: " + r.Origin)
	}
	for _, run := range r.Runs {
		if run.Of != "" {
			line(run.Of + ":")
		}
		t := r.explainer(run)
		t.Elided = "; pota detect --witness full has them all"
		_ = t.Write(&b, run.Evidence) // a strings.Builder takes everything
	}
	line(r.part())
	if r.View != "" {
		line("view: " + r.View)
	}
	return b.String()
}

// how says how the verdict was reached.
func (r *Record) how() string {
	// Programs have states, and traces have fragments of formulas.
	if n := r.States; n != nil {
		return fmt.Sprintf("engine %s, %s", r.Engine, graphs.Plural(*n, "state"))
	}
	return fmt.Sprintf("engine %s, fragment %s", r.Engine, r.Fragment)
}

// witness describes the runs for JSON: the first, and the others.
func (r *Record) witness() (first *report.Witness, others []*report.Witness) {
	if r.Witness != nil || r.Bindings != nil {
		return r.Witness, nil
	}
	for i, run := range r.Runs {
		w := r.witnessOf(run)
		last := w
		// The cycle and the ending belong to the end of the run, in the innermost part.
		for len(last.Children) > 0 {
			last = last.Children[0]
		}
		last.Cycle = run.Cycle
		if run.Ending != "" {
			last.Remarks = append(last.Remarks, run.Ending)
		}
		if i == 0 {
			first = w
		} else {
			others = append(others, w)
		}
	}
	return first, others
}

// witnessOf describes a run for JSON, with the steps that matter.
func (r *Record) witnessOf(run Run) *report.Witness {
	run.Full = false // all events are there by their ids
	w := report.NewWitness(run.Computation, report.KindOf(r.Outcome()), r.explainer(run).Explain(run.Evidence))
	if found := r.missing(run); found != nil && len(found.Orders) <= maxMissing {
		for _, o := range found.Orders {
			w.Missing = append(w.Missing, report.OrderOf(run.Computation, o))
		}
	}
	return w
}

// quickSteps bound the search for missing orders to a few decisions of a trace that is not large:
// nobody has asked for it.
const quickSteps = 1 << 11

// maxMissing bounds the orders in JSON: more are a question of its own, for pota fix.
const maxMissing = 100

// missing is Missing for a run of the record.
func (r *Record) missing(run Run) *fix.Fix {
	if run.Resolved == nil || run.Formula != nil || r.Outcome() != rctl.Fails {
		return nil
	}
	ctx := cmp.Or(run.Context, context.Background())
	return Missing(ctx, r.Property.Formula, run)
}

// Missing returns the orders that a trace lacks for a property that a run violates. It returns nil
// if they are not found quickly, or if the trace may have them without recording them.
func Missing(ctx context.Context, property *syntax.Formula, run Run) *fix.Fix {
	if run.Computation.LowerBound() != "" {
		return nil
	}
	if _, err := fix.Invariant(property); err != nil {
		return nil
	}
	found, err := fix.Missing(ctx, run.Computation, run.Resolved, fix.Options{
		Quick: true,
		Steps: quickSteps,
		Bad:   run.Evidence.Cut,
	})
	if err != nil {
		return nil // pota fix says why
	}
	return found
}

// OneLine joins the lines of text, for formats with one line for each verdict.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
