package pota

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/graphs/timer"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/bindings"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/certify"
	"github.com/pota-project/pota/rctl/pattern"
	"github.com/pota-project/pota/rctl/scope"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/rctl/vacuity"
)

// A Verdict is the answer to whether a formula holds.
type Verdict = rctl.Verdict

// The verdicts.
const (
	Unknown = rctl.Unknown
	Holds   = rctl.Holds
	Fails   = rctl.Fails
)

// A Checker decides formulas with options. Check uses its zero value.
type Checker struct {
	// the time limit for each formula; 0 leaves only the context's deadline
	Timeout time.Duration
	// how many bytes an enumeration of cuts may use; 0 stands for 1 GiB
	MaxMemory int64
	Engine    rctl.Engine // rctl.Auto picks one for each formula
	// how to read the trace; its selection of variables is ignored
	Read    format.Options
	Certify bool // whether results have certificates
}

// Check decides formulas on every execution of the trace at a path. A formula may be preceded
// by a name and a colon. A text may hold several named formulas, one per line.
//
// Check returns an error if it cannot read a formula or the trace, or if a formula mentions
// something that the trace lacks. The error is a *syntax.Error if a place in a formula is wrong;
// Describe shows that place. The results before the error are returned with it. A formula that is
// not decided within the limits, or before ctx is done, is Unknown, which is not an error.
func Check(ctx context.Context, path string, formulas ...string) ([]*Result, error) {
	return Checker{}.Check(ctx, path, formulas...)
}

// Check is like the function Check, with the options of k.
func (k Checker) Check(ctx context.Context, path string, formulas ...string) ([]*Result, error) {
	var all []syntax.Property
	for _, text := range formulas {
		properties, err := Parse(text)
		if err != nil {
			return nil, err
		}
		all = append(all, properties...)
	}
	return k.Decide(ctx, path, all)
}

// named matches a text that starts with a name and a colon, or with a comment. No formula does.
var named = lazy.Regexp(`^\s*(#|("([^"\\]|\\.)*"|[\pL\pN_.-]+)[ \t]*:)`)

// Parse reads one formula, or several with names.
func Parse(text string) ([]syntax.Property, error) {
	if named().MatchString(text) {
		return pattern.Formulas().ParseProperties(text)
	}
	f, err := pattern.Formulas().Parse(text)
	return []syntax.Property{{Formula: f, Source: strings.TrimSpace(text)}}, err
}

// Describe returns the text of an error of Check. If the error is about a place in a formula, the
// text includes the line of the formula with a mark below the place.
func Describe(err error) string {
	msg := err.Error()
	if of, ok := errors.AsType[*syntax.PropertyError](err); ok {
		if of.File != "" {
			return msg
		}
		// A reader knows the property only by its name, so give no place in a file.
		return cmp.Or(of.Name, "property") + ": " + of.Err.Error() + of.Place()
	}
	if at, ok := errors.AsType[*syntax.Error](err); ok {
		msg += "\n" + strings.TrimRight(at.Snippet(), "\n")
	}
	return msg
}

// Decide is Check for parsed properties. Its errors are those of format.Read, and
// *syntax.PropertyError.
func (k Checker) Decide(ctx context.Context, path string, properties []syntax.Property) ([]*Result, error) {
	options := k.Read
	options.Options.Variables = make(map[string]bool)
	options.Options.Names, options.Options.Places = true, true
	for _, p := range properties {
		for name := range syntax.Names(p.Formula) {
			options.Options.Variables[name] = true
		}
	}

	options.Digest = k.Certify
	executions, err := format.Read(ctx, path, options)
	if err != nil {
		return nil, err
	}
	var assumed []string
	if k.Certify {
		if assumed, err = k.Read.Assumed(ctx); err != nil {
			return nil, err
		}
	}

	var results []*Result
	for _, e := range executions {
		session := rctl.NewSession(e.Computation)
		for _, p := range properties {
			r := &Result{Execution: e.Name, Property: p, computation: e.Computation, alone: len(executions) == 1}
			if k.Certify {
				r.Certificate = &certify.Certificate{Trace: e.Name, SHA256: e.SHA256, Reader: e.Format, Name: p.Name, Formula: p.Source, Assumed: slices.Clone(assumed)}
			}
			if err := k.decide(ctx, session, r); err != nil {
				return results, &syntax.PropertyError{File: p.File, Name: p.Name, Err: err}
			}
			results = append(results, r)
		}
	}

	return results, nil
}

// maxBindings bounds how many bindings of a formula about data a result lists.
const maxBindings = 10

// byBinding fills in r for a formula about data. For other formulas it returns done = false.
func (r *Result) byBinding(ctx context.Context, opts rctl.Options) (done bool, err error) {
	begun := time.Now()
	found, err := bindings.Check(ctx, r.computation, r.Property.Formula, bindings.Options{Options: opts, First: maxBindings})
	if err != nil || found == nil {
		if res := rctl.OutOfReach(r.Property.Formula, err); res != nil {
			r.Reason, r.result = res.Reason, res
			return true, nil
		}
		return false, err
	}
	r.Verdict, r.Reason = found.Verdict, found.Reason
	r.result = found.Summary()
	r.elapsed = time.Since(begun)
	r.Bound, r.Vacuous = found.Text(), found.Notes()
	// One run is representative of all.
	if len(found.First) > 0 && found.First[0].Result.Evidence != nil {
		first := &found.First[0]
		r.shown, r.resolved = first.Computation, first.Resolved
		r.result.Evidence = first.Result.Evidence
		t := r.explainer(true)
		t.Ctx = ctx
		r.Witness = r.witness(t.Explain(r.result.Evidence))
	}
	return true, nil
}

// decide fills in r.
func (k Checker) decide(ctx context.Context, session *rctl.Session, r *Result) error {
	if k.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, k.Timeout)
		defer cancel()
	}

	opts := rctl.Options{Engine: k.Engine, MaxMemory: cmp.Or(k.MaxMemory, 1<<30), Evidence: true}
	if !k.Certify {
		if done, err := r.byBinding(ctx, opts); done || err != nil {
			return err
		}
	}
	about, resolved, err := rctl.Resolve(ctx, r.computation, r.Property.Formula)
	if res := rctl.OutOfReach(r.Property.Formula, err); res != nil {
		r.Reason, r.result = res.Reason, res
		return nil
	}

	if err != nil {
		return err
	}
	if about != r.computation { // its columns are specific to this formula
		session = rctl.NewSession(about)
		r.computation = about
	}
	r.shown, r.resolved = r.computation, resolved
	begun := time.Now()
	res, err := session.Check(ctx, resolved, opts)
	if err != nil {
		return err
	}
	r.Verdict = res.Verdict
	r.Reason = res.Reason
	r.result = res
	r.elapsed = time.Since(begun)
	why := r.computation.LowerBound()
	if k.Certify && res.Verdict != Unknown {
		if why != "" {
			r.Certificate.Assumed = append(r.Certificate.Assumed, "lower bound of causality: "+why)
		}
		r.Certificate.Version = certificate.Version
		r.Certificate.Verdict = res.Verdict.String()
		r.Certificate.Engine = res.Engine.String()
		if r.Certificate, err = r.Certificate.Certify(ctx, session, r.computation, r.Property.Formula, res, scope.Times{}); err != nil {
			return err
		}
	}

	if why == "" && r.computation.NumTimers() > 0 && !syntax.AboutCuts(r.Property.Formula) {
		why = timer.Inexact
	}
	if why != "" && !rctl.Sound(resolved, res.Verdict) {
		r.Spurious = why
	}
	opts.Engine = rctl.Auto
	for _, found := range vacuity.Find(ctx, session, r.computation, r.Property.Formula, resolved, res.Verdict, opts) {
		r.Vacuous = append(r.Vacuous, found.Text)
	}
	if res.Evidence != nil {
		t := r.explainer(true)
		t.Ctx = ctx
		r.Witness = r.witness(t.Explain(res.Evidence))
	}

	return nil
}
