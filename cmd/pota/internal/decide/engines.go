package decide

import (
	"context"
	"fmt"
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/certificate"
	"github.com/pota-project/pota/rctl/certify"
	"github.com/pota-project/pota/rctl/report"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/translate/promela"
	"github.com/pota-project/pota/translate/spin"
)

// Spin is the name of the engine that is another program.
const Spin = "spin"

// engineOf returns the name of the engine that decided or, if none did, of the requested one.
func (d *decider) engineOf(res *rctl.Result) string {
	// Streams have one engine, regardless of the options.
	switch {
	case d.opts.Engine == Spin:
		return Spin
	case d.opts.Stream:
		return "stream"
	case res.Verdict == rctl.Unknown && d.engine.Engine != rctl.Auto:
		return d.engine.Engine.String()
	}
	return res.Engine.String()
}

// bySpin decides f with SPIN, and also returns the result of SPIN itself. A formula or trace that
// is too large for SPIN's language is not an error: the verdict is unknown.
func (d *decider) bySpin(ctx context.Context, c *graphs.Computation, f *syntax.Formula) (*rctl.Result, *spin.Result, error) {
	res, err := spin.Check(ctx, c, f, spin.Options{MaxMemory: d.run.Budget.Bytes() / int64(d.opts.Jobs)})
	// The formula is legal, and another engine may be able to decide it.
	if failure.Is[*promela.InexpressibleError](err) || failure.Is[*promela.LimitError](err) {
		res, err = &spin.Result{Reason: err.Error()}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if res.Evidence != nil && !res.Evidence.Whole {
		res.Evidence.MaybeShorter = true // SPIN stops at the first error it finds
	}
	return &rctl.Result{
		Verdict:  res.Verdict,
		Reason:   res.Reason,
		Class:    rctl.Classify(c, f),
		Evidence: res.Evidence,
	}, res, nil
}

// Compare decides a property with every engine, including SPIN, on all executions of traces.
func Compare(r *job.Run, in *load.Reader, traces []string, p syntax.Property, to present.Comparisons, opts Options) {
	// Engines share the time of a trace, and traces share the time of the run.
	d := newDecider(r, in, opts, len(traces))
	for _, path := range traces {
		executions, err := in.Read(r, path)
		if err != nil {
			to.Refused(path, err)
		}
		for i := range executions {
			e := &executions[i]
			of, resolved, err := load.Resolve(r, syntax.Property{Formula: p.Formula}, e)
			// Engines would disagree on a computation without cuts, for which none of them is specified.
			if err == nil && e.Computation.Empty() {
				err = fmt.Errorf("%s: %w", e.Name, rctl.ErrEmpty)
			}
			if err != nil {
				to.Refused(e.Name, err)
				continue
			}
			all := d.ask(of, p.Formula, resolved, EngineNames())
			all.Formula = p.Source
			to.Add(all)
		}
		d.left.Add(-1)
	}
}

// ask decides f, the resolved form of parsed, with each of the engines, and checks a certificate of
// the verdict.
func (d *decider) ask(e *format.Execution, parsed, f *syntax.Formula, engines []string) *present.Comparison {
	// The proof below is for the verdict of the first engine that answers.
	all := present.NewComparison(e.Name, "")
	decided := new(rctl.Result)
	for i, engine := range engines {
		left := int(d.left.Load())*len(engines) - i
		o, res := d.askOne(e, f, engine, left)
		if res != nil && decided.Verdict == rctl.Unknown {
			decided = res
		}
		all.Add(o)
	}
	if all.Agree && all.Verdict != rctl.Unknown.String() {
		all.Engines = append(all.Engines, d.proved(e, parsed, decided))
	}
	return all
}

// askOne decides f with one engine. The result is nil after an error.
func (d *decider) askOne(e *format.Execution, f *syntax.Formula, engine string, left int) (report.Opinion, *rctl.Result) {
	begun := time.Now()
	spun := new(spin.Result)
	res, err := job.Decide(d.run, "deciding by "+engine, d.rounds(left), func(ctx context.Context) (*rctl.Result, error) {
		if engine == Spin {
			res, own, err := d.bySpin(ctx, e.Computation, f)
			if err == nil {
				spun = own
			}
			return res, err
		}
		opts := d.engineOptions()
		opts.Engine, _ = rctl.ParseEngine(engine)
		return rctl.Check(ctx, e.Computation, f, opts)
	})

	o := report.Opinion{
		Engine:    engine,
		Verdict:   rctl.Unknown.String(),
		ElapsedMS: report.Milliseconds(time.Since(begun)),
	}
	if err != nil {
		o.Reason = err.Error()
		// SPIN is optional, and a limit is an answer. Report any other error, since it is a bug.
		if !failure.Is[*spin.MissingError](err) && !failure.IsLimit(err) {
			d.run.Fail(fmt.Errorf("%s: engine %s: %w", e.Name, engine, err))
		}
		return o, nil
	}
	o.Verdict = res.Verdict.String()
	o.Reason = res.Reason
	o.States = spun.States
	o.Memory = spun.Memory
	return o, res
}

// proved returns the opinion of the proof checker: the verdict that was decided, if it has a proof
// that the checker accepts.
func (d *decider) proved(e *format.Execution, f *syntax.Formula, decided *rctl.Result) report.Opinion {
	begun := time.Now()
	o := report.Opinion{Engine: "proof", Verdict: rctl.Unknown.String(), Reason: "no proof was found"}
	accepted, err := job.Do(d.run, "certifying", func(ctx context.Context) (bool, error) {
		times := load.Times(e, decided.Verdict == rctl.Fails)
		p, err := certify.ProofWith(ctx, rctl.NewSession(e.Computation), e.Computation, f, decided, times)
		if err != nil || p == nil {
			return false, err
		}
		// The checker shares no code with the engines, so its opinion counts separately.
		k, err := certificate.NewWith(ctx, e.Computation, f, times)
		if err == nil {
			err = k.Check(certificate.Version, decided.Verdict.String(), p)
		}
		return err == nil, err
	})
	switch {
	case err != nil:
		o.Reason = err.Error()
	case accepted:
		o.Verdict = decided.Verdict.String()
		o.Reason = ""
	}
	o.ElapsedMS = report.Milliseconds(time.Since(begun))
	return o
}
