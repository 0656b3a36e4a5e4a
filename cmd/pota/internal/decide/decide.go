// Package decide decides properties on the executions of traces: with one engine or with several
// that must agree, optionally with a proof that others can check, at one bound of clock skew or at
// all bounds.
//
// A decider decides one property on one execution. A Set does that for all properties and all
// traces, several at a time, and passes the results to a present.Reporter in the order of the
// traces.
//
// A decision has these steps: the formula is resolved on the execution (package load), an engine
// decides, a certificate is made, other engines are compared, and notes say how far the verdict can
// be trusted. The limits of the run apply to each step. A limit in a later step does not undo the
// verdict.
//
// Some modes replace the engine: a sweep decides at all bounds of clock skew (sweep.go), and a
// stream decides without holding the trace in memory (stream.go).
package decide

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/big"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/lattice"
	"github.com/pota-project/pota/graphs/timer"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/certify"
	"github.com/pota-project/pota/rctl/explain"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/rctl/vacuity"
)

// Options choose how properties are decided, and the findings in addition to the verdict.
type Options struct {
	Engine       string // one of EngineNames; "" for auto
	NoProjection bool   // let engines see all events
	Jobs         int    // how many traces are decided at a time

	Stream    bool // keep only a window of each trace
	MaxHeld   int  // see outofcore.Options; 0 for its default
	SkewSweep bool // decide at all bounds of clock skew

	Evidence   bool            // find a run that shows the verdict
	CrossCheck bool            // compare with all other engines
	Certify    bool            // make certificates
	Report     present.Options // the report; only findings that it prints are searched for

	View string // the folder for pages about failures and runs; "" for none
	// writes such a page to a file; for a formula about data, only selects the binding that it shows
	Page func(r *job.Run, path string, only []bindings.Choice, q *load.Question) error

	Bindings int               // how many bindings of a formula about data to list
	Binding  []bindings.Choice // the only bindings to decide; nil for all

	Full bool    // describe runs event by event
	Show Showing // variables to show in addition to those of the formula
}

// A decider decides one property at a time, each within its share of the limits. It counts the
// remaining decisions.
type decider struct {
	run    *job.Run
	in     *load.Reader
	opts   Options
	engine rctl.Options
	left   *atomic.Int64 // how many decisions remain, as far as is known

	// the computation with the sizes below, since counting takes as long as reading
	counted *graphs.Computation
	sizes   report.Sizes
	cuts    *big.Int // the number of its cuts; nil if they were not counted
}

// Check returns a *exit.UsageError if there is no engine with the name in o.
func (o Options) Check() error {
	if _, ok := o.engine(); !ok {
		return exit.Unknown("engine", o.Engine, EngineNames()...)
	}
	return nil
}

// engine returns the named engine, or rctl.Auto for an engine that is another program.
func (o Options) engine() (rctl.Engine, bool) {
	if o.Engine == "" || o.Engine == Spin {
		return rctl.Auto, true
	}
	return rctl.ParseEngine(o.Engine)
}

// newDecider returns a decider for a number of decisions. The caller has checked the options.
func newDecider(r *job.Run, in *load.Reader, opts Options, decisions int) *decider {
	// Callers that decide one trace leave Jobs out.
	opts.Jobs = max(opts.Jobs, 1)
	d := &decider{run: r, in: in, opts: opts, left: new(atomic.Int64)}
	d.left.Store(int64(decisions))
	d.engine = rctl.Options{
		Evidence: opts.Evidence || opts.Certify,
		// Text without a run names only the cut, which is cheaper to find.
		Cuts:         !opts.Evidence,
		NoProjection: opts.NoProjection,
		// Traces that are decided concurrently share the cores.
		Cores: max(runtime.GOMAXPROCS(0)/opts.Jobs, 1),
	}
	d.engine.Engine, _ = opts.engine()
	return d
}

// An execution is an execution to decide on.
type execution struct {
	Path      string // the path of its trace, as given
	Execution *format.Execution
	Number    int  // its position among several, as far as is known
	Several   bool // whether there are other executions to decide on
}

// record returns the record of a property that is not decided yet.
func (k execution) record(index int, p syntax.Property) *present.Record {
	return &present.Record{
		Record:   report.Record{Subject: report.SubjectOf(k.Execution.Name, p)},
		Path:     k.Path,
		Property: p,
		Index:    index,
		Several:  k.Several,
	}
}

// decide decides the property p, with its index, on an execution. All properties of an execution
// share a session.
func (d *decider) decide(k execution, session *rctl.Session, index int, p syntax.Property) *present.Record {
	defer d.left.Add(-1)
	against, depends := d.decideWith(k, session, index, p, false)
	// An error may accompany a verdict, and does not resolve the doubt.
	if !depends || against.Verdict == "" || against.Verdict == rctl.Holds.String() {
		return against
	}
	inFavour, _ := d.decideWith(k, session, index, p, true)
	if inFavour.Verdict == "" || inFavour.Verdict == rctl.Fails.String() {
		return inFavour
	}
	// No verdict holds for all behaviours of the clocks, or a limit prevented finding one.
	res := &rctl.Result{Verdict: rctl.Unknown, Reason: cmp.Or(against.Reason, inFavour.Reason)}
	if res.Reason == "" {
		res.Reason = d.dependence(k, p) // this needs many decisions
	}
	r := k.record(index, p)
	d.complete(k, r, res, 0, d.notes(k, p.Formula, p.Formula, res))
	r.Fragment, r.Engine = against.Fragment, against.Engine
	r.Err = cmp.Or(against.Err, inFavour.Err)
	return r
}

// decideWith decides a property. Comparisons of times that depend on clocks count in favour of the
// formula or against it. It also reports whether there are any.
func (d *decider) decideWith(k execution, session *rctl.Session, index int, p syntax.Property, inFavour bool) (r *present.Record, depends bool) {
	r = k.record(index, p)
	times := load.Times(k.Execution, inFavour)
	if found := d.byBinding(k, r, p, times); found != nil {
		return r, found.DependsOnClocks
	}
	e, resolved, err := load.ResolveWith(d.run, p, k.Execution, times)
	if err != nil {
		// No engine ran, so only the error is known.
		d.giveUp(k, r, nil, 0, err)
		return r, false
	}
	d.decideResolved(k, session, r, p, e, resolved.Formula)
	if m := syntax.MarginOf(resolved.Formula); m != nil && m.Holds() == (r.Verdict == rctl.Holds.String()) {
		r.Margin = d.margin(k, m, nil)
	}
	return r, resolved.DependsOnClocks
}

// decideResolved decides a property by its resolved formula f on e, the execution that f was
// resolved on.
func (d *decider) decideResolved(k execution, session *rctl.Session, r *present.Record, p syntax.Property, e *format.Execution, f *syntax.Formula) {
	if e != k.Execution {
		k.Execution = e
		session = rctl.NewSession(e.Computation)
	}
	// The reported time covers only the engine, without quantifiers and remarks.
	begun := time.Now()
	res, err := job.Decide(d.run, "deciding", d.rounds(int(d.left.Load())), func(ctx context.Context) (*rctl.Result, error) {
		return d.check(ctx, session, e.Computation, f)
	})
	took := time.Since(begun)
	if err != nil {
		d.giveUp(k, r, res, took, err)
		return
	}

	// An error below does not undo the verdict: the record has both.
	if d.opts.Certify && res.Verdict != rctl.Unknown {
		r.Certificate, r.Err = d.certify(e, session, p, res)
	}
	var opinions []report.Opinion
	if d.opts.CrossCheck {
		// The first name, auto, stands for one of the others. SPIN may not be installed. The other
		// engines do not share the session, since a common mistake would go unnoticed.
		all := d.ask(e, p.Formula, f, rctl.Engines()[1:])
		opinions = all.Engines
		known := all.Verdict != rctl.Unknown.String() && res.Verdict != rctl.Unknown
		if !all.Agree || known && all.Verdict != res.Verdict.String() {
			r.Err = fmt.Errorf("%s: %s: %w", e.Name, p.Source, present.ErrDisagree)
		}
	}
	notes := d.notes(k, p.Formula, f, res)
	if !d.opts.Report.Quiet { // finding these takes time
		// The engine chosen for the verdict may be unsuitable for the questions asked here.
		opts := d.engineOptions()
		opts.Engine = rctl.Auto
		const doing = "looking for verdicts that say little"
		all, _ := job.Do(d.run, doing, func(ctx context.Context) ([]vacuity.Finding, error) {
			return vacuity.Find(ctx, session, e.Computation, p.Formula, f, res.Verdict, opts), nil
		}) // at a limit there are no findings
		for _, found := range all {
			notes = append(notes, report.Note{Kind: report.Vacuous, Text: found.Text})
		}
	}
	d.complete(k, r, res, took, notes)
	for i := range r.Runs {
		r.Runs[i].Resolved = f
	}
	r.Engines = opinions
}

// complete fills in the verdict.
func (d *decider) complete(k execution, r *present.Record, res *rctl.Result, took time.Duration, notes []report.Note) {
	r.Record = *report.New(r.Subject, res, d.engineOf(res), took, notes)
	// Properties of an execution share the sizes of its computation.
	switch c := k.Execution.Computation; {
	case c == nil: // it was not read
		d.counted, d.cuts = nil, nil
		d.sizes = report.Unread
	case d.counted != c:
		d.counted, d.cuts = c, nil
		d.sizes = report.SizesOf(c)
		if d.opts.Report.CountsCuts() && c.NumEvents() <= maxEvents {
			// An error means that there are too many.
			d.cuts, _ = lattice.Count(d.run.Context, c, lattice.Limits{Cuts: maxStates, Steps: maxSteps})
		}
	}
	r.Stats = d.sizes
	r.Cuts = d.cuts
	// Each format describes the evidence in its own way, and most do not need it.
	if res.Evidence != nil {
		r.Runs = []present.Run{{
			Evidence:    res.Evidence,
			Computation: k.Execution.Computation,
			Context:     d.run.Context,
			Full:        d.opts.Full,
			Show:        d.opts.Show.shows(k.Execution.Computation),
		}}
		return
	}
	// No single run shows a verdict about all runs. Tell users who ask for a run why there is none.
	if d.opts.Report.Witness && explain.OnAllRuns(r.Property.Formula, res.Verdict) {
		r.NoRun = "no run to show: it " + res.Verdict.String() + " on all of them"
	}
}

// Bounds on counting cuts. They allow some milliseconds, since there may be many executions.
const (
	maxEvents = 10_000
	maxStates = 10_000
	maxSteps  = 1_000_000
)

// giveUp fills in an error. A limit is not an error of the property: the verdict is then unknown.
// res, unless nil, has the class of the formula and the engine.
func (d *decider) giveUp(k execution, r *present.Record, res *rctl.Result, took time.Duration, err error) {
	if !failure.IsLimit(err) {
		r.Err = err
		// An error about a formula already names its source, and an error in reading a trace names its
		// file.
		if k.Execution.Computation != nil && !failure.Is[*syntax.PropertyError](err) {
			r.Err = fmt.Errorf("%s: %w", k.Execution.Name, err)
		}
		return
	}
	// The class of the formula is known even if no engine answered.
	if res == nil {
		res = rctl.OutOfReach(r.Property.Formula, err)
	}
	res.Verdict = rctl.Unknown
	res.Reason = err.Error()
	d.complete(k, r, res, took, nil)
}

// notes returns the assumptions of a verdict on p, whose resolved form is f, and why the verdict is
// possibly spurious: if only part of the causality is known, some cuts may be impossible.
func (d *decider) notes(k execution, p, f *syntax.Formula, res *rctl.Result) []report.Note {
	var notes []report.Note
	for _, text := range d.in.Assumptions(p) {
		notes = append(notes, report.Note{Kind: report.Assumed, Text: text})
	}
	why := k.Execution.Computation.LowerBound()
	if clocks := k.Execution.Clocks; why == "" && clocks != nil && !clocks.AllowsEachRun() && !syntax.AboutCuts(p) {
		why = "constant offsets of clocks may allow no run like that"
	}
	if why == "" && k.Execution.Computation.NumTimers() > 0 && !syntax.AboutCuts(p) {
		why = timer.Inexact
	}
	// Some verdicts hold no matter how much causality is missing, and need no warning.
	if !syntax.DataFree(p) {
		f = p // the resolved form does not show which events had to be ordered
	}
	if why == "" || rctl.Sound(f, res.Verdict) {
		return notes
	}
	notes = append(notes, report.Note{Kind: report.Spurious, Text: why})
	if n, ok := d.remedy(k, f, res); ok {
		notes = append(notes, n)
	}
	return notes
}

// engineOptions returns the options for an engine, with the memory that is free now: traces in
// memory count against the same limit.
func (d *decider) engineOptions() rctl.Options {
	opts := d.engine
	opts.MaxMemory = d.run.Budget.Memory(d.opts.Jobs)
	return opts
}

// rounds divides the remaining decisions by the number of concurrent ones, rounding up.
func (d *decider) rounds(left int) int { return (left + d.opts.Jobs - 1) / d.opts.Jobs }

// check decides f with the engine of the options.
func (d *decider) check(ctx context.Context, session *rctl.Session, c *graphs.Computation, f *syntax.Formula) (*rctl.Result, error) {
	if d.opts.Engine == Spin {
		res, _, err := d.bySpin(ctx, c, f)
		return res, err
	}
	return session.Check(ctx, f, d.engineOptions())
}

// certify returns the certificate of a verdict, a line of JSON. It has no proof if none is found
// within the limits.
func (d *decider) certify(e *format.Execution, session *rctl.Session, p syntax.Property, res *rctl.Result) ([]byte, error) {
	if syntax.HasBounds(p.Formula) {
		return nil, fmt.Errorf("%s: %s: bounds on time have no certificate; leave out --certificate, or compare times of events, which has one: forall e in events(…): exists d in events(…): e before d && d.time - e.time <= 5s",
			e.Name, p.Source)
	}
	claim := &certify.Certificate{
		Version: certificate.Version,
		Trace:   e.Name,
		SHA256:  e.SHA256,
		Reader:  e.Format,
		Name:    p.Name,
		Formula: p.Source,
		Verdict: res.Verdict.String(),
		Engine:  d.engineOf(res),
	}
	var err error
	// Whoever verifies must read the trace under the same assumptions.
	if claim.Assumed, err = d.in.Assumed(d.run.Context, e); err != nil {
		return nil, err
	}
	proved, err := job.Do(d.run, "certifying", func(ctx context.Context) (*certify.Certificate, error) {
		times := load.Times(e, res.Verdict == rctl.Fails)
		if session == nil {
			return claim.CertifyBindings(ctx, e.Computation, p.Formula, res.Verdict, times)
		}
		return claim.Certify(ctx, session, e.Computation, p.Formula, res, times)
	})
	switch {
	// Another engine can still decide a claim without a proof.
	case failure.IsLimit(err):
		proved = claim
	case err != nil:
		return nil, err
	}
	var line bytes.Buffer
	d.run.JSON(&line, proved, "")
	return line.Bytes(), nil
}

// EngineNames lists the engines that a user may name.
func EngineNames() []string { return slices.Concat(rctl.Engines(), []string{Spin}) }
