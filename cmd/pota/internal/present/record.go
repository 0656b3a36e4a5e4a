// Package present prints verdicts: as text for people, as lines of JSON, as reports in JUnit's XML,
// SARIF, Markdown and HTML, and as annotations of GitHub.
//
// A Record has everything known about one verdict. A Report receives records in order. It reports
// errors on standard error, keeps the exit status, and passes the records to the selected format.
// The output of a format depends only on the records.
//
// Text, JSON and annotations are printed as records arrive, so that a user sees each verdict as
// soon as it is known. JUnit, SARIF, Markdown and HTML are documents: they are collected, and
// printed by Close.
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

// A Record is the result for one property on one execution.
type Record struct {
	// A format writes the error and the whole runs into the record, if it needs them.
	report.Record

	Path     string // the path of the trace as given, for formats with places in files
	Property syntax.Property
	Index    int   // the index of the property among those that are decided
	Several  bool  // whether more than one execution is decided
	Err      error // why there is no verdict, or a problem in addition to it

	Certificate []byte // the line of the certificate, if it was requested

	Cuts *big.Int // the number of cuts of the execution; nil if they were not counted

	// runs that show the verdict: several if it branches, and one for each of the first bindings
	Runs []Run
	// how many bindings of a formula about data decide the verdict, and the first of them
	Bound  string
	NoRun  string // why there is no run, if one was requested
	Sweep  *Sweep // verdicts at all bounds of clock skew, instead of one
	View   string // the file of a page about the run; "" for none
	Origin string // the file and line of a record that was read; "" if the verdict was found in this run
}

// Unread returns the record for an error about a whole trace, such as one that cannot be read. It
// has no property. The record prevents a report without the trace from looking complete.
func Unread(path string, err error) *Record {
	return &Record{
		Record: report.Record{Subject: report.Subject{Trace: path}},
		Path:   path,
		Err:    err,
	}
}

// unread reports whether the record was made by Unread.
func (r *Record) unread() bool { return r.Property.Source == "" }

// A Run is evidence with the data to describe it. Each format describes it in its own way, and most
// records are not printed at all, so the description is made late.
type Run struct {
	Of          string          // the binding that the run is about; "" for none
	Binding     int             // its index among the first bindings
	Formula     *syntax.Formula // the formula for that binding; nil for the formula of the property
	Resolved    *syntax.Formula // the formula that was decided
	Evidence    *rctl.Evidence
	Computation *graphs.Computation
	Context     context.Context // bounds the search for instances of quantifiers
	Full        bool            // describe all events, not only the important ones
	// variables to show in addition to those of the formula; nil for none
	Show func(v *graphs.Variable) bool

	Ending string // a remark after the run; "" for none
	Cycle  int    // the number of the first event that repeats forever; 0 for none
}

// part describes a run that was kept only in part, in one line. It returns "" if there is none, and
// for records that were read.
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

// and returns the intersection of two ranges of bounds, if it is not empty and they have the same
// verdict.
func and(a, b report.Bounds) (report.Bounds, bool) {
	// Notes other than remedies have no verdict here, so they have no intersection. Remedies with
	// disjoint bounds stay separate notes.
	both := report.Bounds{Verdict: a.Verdict, From: max(a.From, b.From), To: min(a.To, b.To)}
	return both, a.Verdict != "" && a.Verdict == b.Verdict && both.From <= both.To
}

// Remedy returns the note that there is another verdict at some bounds.
func Remedy(b report.Bounds) report.Note {
	text := fmt.Sprintf("it %s if clocks agree within %s; if they do, decide with --skew %s",
		b.Verdict, Within(b.To), report.Duration(time.Duration(b.To)))
	return report.Note{Kind: report.Remedy, Text: text, Within: b}
}

// StatusOf returns the exit status of a verdict.
func StatusOf(v rctl.Verdict) exit.Status {
	// The table makes a new verdict without a status panic.
	return [...]exit.Status{
		rctl.Unknown: exit.Undecided,
		rctl.Holds:   exit.AllHold,
		rctl.Fails:   exit.SomeFails,
	}[v]
}

// explainer returns the explainer for a run.
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

// title returns the name of a property, or its formula if it has no name.
func title(p syntax.Property) string {
	return cmp.Or(p.Name, OneLine(p.Source))
}

// headline returns the verdict in one line, with the reason or a summary of the run.
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

// account returns the verdict in several lines: the formula, how it was decided, notes, and the run
// that shows it. Reports for continuous integration include all of it, since their readers have no
// other output.
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
		_ = t.Write(&b, run.Evidence) // writes to a strings.Builder never fail
	}
	line(r.part())
	if r.View != "" {
		line("view: " + r.View)
	}
	return b.String()
}

// how describes how the verdict was reached.
func (r *Record) how() string {
	// For programs, give the number of states; for traces, the fragment of the formula.
	if n := r.States; n != nil {
		return fmt.Sprintf("engine %s, %s", r.Engine, graphs.Plural(*n, "state"))
	}
	return fmt.Sprintf("engine %s, fragment %s", r.Engine, r.Fragment)
}

// witness returns the runs in the form for JSON: the first one, and the others.
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

// witnessOf returns a run in the form for JSON, with the important steps.
func (r *Record) witnessOf(run Run) *report.Witness {
	run.Full = false // the ids of all events are included anyway
	w := report.NewWitness(run.Computation, report.KindOf(r.Outcome()), r.explainer(run).Explain(run.Evidence))
	if found := r.missing(run); found != nil && len(found.Orders) <= maxMissing {
		for _, o := range found.Orders {
			w.Missing = append(w.Missing, report.OrderOf(run.Computation, o))
		}
	}
	return w
}

// quickSteps bounds the search for missing orders to a few decisions on a trace of moderate size,
// since the user has not requested it.
const quickSteps = 1 << 11

// maxMissing bounds the orders in JSON. For more, users have pota fix.
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
// if they are not found quickly, or if the execution may have had orders that the trace does not
// record.
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
		return nil // pota fix reports the reason
	}
	return found
}

// OneLine joins the lines of text, for formats with one line per verdict.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
