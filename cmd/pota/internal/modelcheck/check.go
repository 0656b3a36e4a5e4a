package modelcheck

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/budget"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/graphs/program"
	"github.com/pota-project/pota/graphs/simulate"
	"github.com/pota-project/pota/graphs/trace/native"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/crucial"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/translate/spin"
)

// The engines that explore programs.
const (
	Crucial = "crucial" // explores crucial events only, if that is enough
	Whole   = "whole"   // explores all transitions of each state
	Spin    = "spin"    // runs SPIN, an external program
)

// Engines lists the names of the engines.
var Engines = []string{Crucial, Whole, Spin}

// Options says how properties are decided.
type Options struct {
	Engine     string
	CrossCheck bool   // whether to compare with the other engines
	Trails     bool   // whether to look for runs that show verdicts, to be printed
	TrailFile  string // the file for the first trail, as a trace; "" for no file
}

// A checker decides properties on one program.
type checker struct {
	run     *job.Run
	name    string
	program program.Program
	opts    Options
	written bool // whether the trail was written
}

// Check decides properties on a program, and passes the result of each to a reporter.
func Check(r *job.Run, m Model, properties []syntax.Property, to present.Reporter, opts Options) error {
	p, err := m.Load(r)
	switch {
	// A usage error is a mistake in the command line, not in the model.
	case failure.Is[*exit.UsageError](err):
		return err
	case err != nil:
		to.Verdict(present.Unread(m.Name, err))
		return nil
	}
	// The program is compiled once for all properties.
	k := &checker{run: r, name: m.Name, program: p, opts: opts}
	for i, p := range properties {
		to.Verdict(k.check(i, p))
	}
	return nil
}

// Compare has all engines decide a property on a model in Promela.
func Compare(r *job.Run, name string, p syntax.Property) (*present.Comparison, error) {
	model, err := Promela(r, name)
	if err != nil {
		return nil, err
	}
	return (&checker{run: r, name: name, program: model}).ask(p)
}

// A verdict is the result for a property.
type verdict struct {
	*crucial.Result
	engine string
	took   time.Duration
}

// check decides a property.
func (k *checker) check(index int, p syntax.Property) *present.Record {
	r := &present.Record{
		Record:   report.Record{Subject: report.SubjectOf(k.name, p)},
		Path:     k.name,
		Property: p,
		Index:    index,
	}
	v, err := k.decide(p, k.opts.Engine)
	if err == nil {
		// A verdict cannot be shown without its runs, so an error here counts as an error of the
		// decision.
		r.Runs, err = k.runs(p, v)
	}
	// Only errors with a place in the formula need its source.
	if failure.Is[*syntax.Error](err) {
		err = failure.InProperty(p, err)
	}
	if err != nil {
		r.Err = fmt.Errorf("%s: %w", k.name, err)
		return r
	}

	// From here on there is a verdict, even if the comparison or the trail fails.
	res := &rctl.Result{Verdict: v.Verdict, Reason: v.Reason, Class: syntax.Classify(p.Formula)}
	r.Record = *report.New(r.Subject, res, v.engine, v.took, nil)
	r.States = &v.States
	// Only the processes of a program are known beforehand: events depend on the run.
	r.Stats.Processes = report.Size(len(k.program.Layout().Processes))
	if k.opts.Trails && v.engine != Spin && len(r.Runs) == 0 && v.Verdict != rctl.Unknown {
		r.NoRun = "no trail to show: it " + v.Verdict.String() + " on all runs"
	}
	var disagree error
	// The verdict stands even if engines disagree: the record has an error in addition.
	if k.opts.CrossCheck {
		var all *present.Comparison
		if all, disagree = k.ask(p); disagree == nil {
			r.Engines = all.Engines
			if !all.Agree {
				disagree = fmt.Errorf("%s: %s: %w", k.name, p.Source, present.ErrDisagree)
			}
		}
	}
	r.Err = errors.Join(disagree, k.writeTrail(r.Runs))
	return r
}

// decide decides a property by an engine.
func (k *checker) decide(p syntax.Property, engine string) (*verdict, error) {
	v := &verdict{engine: engine}
	begun := time.Now()
	result, err := job.Do(k.run, "checking", func(ctx context.Context) (*crucial.Result, error) {
		result, err := k.explore(ctx, p, engine)
		// The engine only says that it gave up; the budget says why.
		limit := budget.Check(ctx, "checking")
		if err == nil && result.Verdict == rctl.Unknown && limit != nil {
			result.Reason = limit.Error()
		}
		return result, err
	})
	v.Result = result
	v.took = time.Since(begun) // at a limit, too
	if failure.IsLimit(err) {
		// At a limit the verdict is Unknown, which is not an error.
		v.Result = &crucial.Result{Reason: err.Error()}
		err = nil
	}
	// If the formula allows no reduction, both engines do the same.
	if err == nil && engine == Crucial && !v.Reduced {
		v.engine = Whole
	}
	return v, err
}

// explore lets an engine decide.
func (k *checker) explore(ctx context.Context, p syntax.Property, engine string) (*crucial.Result, error) {
	// Names of formulas are those of the program, not of a trace.
	scope, err := crucial.Scope(k.program)
	if err != nil {
		return nil, err
	}
	f, err := syntax.Resolve(ctx, p.Formula, scope)
	if err != nil {
		return nil, err
	}
	if engine == Spin {
		return k.bySpin(ctx, f)
	}
	return crucial.Check(ctx, k.program, f, crucial.Options{
		MaxMemory: k.run.Budget.Memory(1),
		Whole:     engine == Whole,
		Trail:     k.opts.Trails || k.opts.TrailFile != "",
	})
}

// bySpin lets SPIN decide.
func (k *checker) bySpin(ctx context.Context, f *syntax.Formula) (*crucial.Result, error) {
	// SPIN cannot read a model written in Go.
	if _, ok := k.program.(*simulate.Program); ok {
		return &crucial.Result{Reason: "SPIN decides formulas on models in Promela only"}, nil
	}
	text, err := os.ReadFile(k.name)
	if err != nil {
		return nil, err
	}
	// SPIN reads the text itself, so the text is passed on and not the program.
	res, err := spin.CheckModel(ctx, text, k.program.Layout(), f, spin.ModelOptions{
		// Models include others by relative names.
		Folder:    filepath.Dir(k.name),
		MaxMemory: k.run.Budget.Memory(1),
	})
	if failure.Is[*spin.InexpressibleError](err) {
		return &crucial.Result{Reason: err.Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	return &crucial.Result{Verdict: res.Verdict, Reason: res.Reason, States: int(res.States)}, nil
}

// ask has every engine decide a property, and compares their verdicts.
func (k *checker) ask(p syntax.Property) (*present.Comparison, error) {
	all := present.NewComparison(k.name, p.Source)
	for _, engine := range Engines {
		o := report.Opinion{Engine: engine, Verdict: rctl.Unknown.String()}
		v, err := k.decide(p, engine)
		switch {
		case failure.Is[*spin.MissingError](err):
			o.Reason = err.Error()
		case err != nil:
			return nil, fmt.Errorf("%s: engine %s: %w", k.name, engine, err)
		default:
			o.Verdict = v.Verdict.String()
			o.Reason = v.Reason
			o.States = int64(v.States)
			o.ElapsedMS = report.Milliseconds(v.took)
		}
		all.Add(o)
	}
	return all, nil
}

// writeTrail writes the first trail of all properties to the trail file.
func (k *checker) writeTrail(runs []present.Run) error {
	path := k.opts.TrailFile
	if path == "" || k.written || len(runs) == 0 {
		return nil
	}
	// Later formulas leave the file alone, even if writing it failed.
	k.written = true
	return k.run.WriteFiles("writing "+filepath.Base(path), job.File{
		Path: path,
		Write: func(_ context.Context, w io.Writer) error {
			return native.Write(w, runs[0].Computation, nil)
		},
	})
}
