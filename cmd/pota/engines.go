package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

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

// spinEngine is the name of the engine that is another program.
const spinEngine = "spin"

// engineNames lists the engines that --engine takes.
func engineNames() []string { return slices.Concat(rctl.Engines(), []string{spinEngine}) }

// engineOf names the engine that decided or, where none did, that was asked to.
func (d *detection) engineOf(res *rctl.Result) string {
	switch {
	case d.spin:
		return spinEngine
	case d.cli.Bool("stream"):
		return "stream"
	case res.Verdict == rctl.Unknown && d.opts.Engine != rctl.Auto:
		return d.opts.Engine.String()
	}
	return res.Engine.String()
}

// optionsNow leaves to an engine the memory that is left now.
func (d *detection) optionsNow() rctl.Options {
	opts := d.opts
	opts.MaxMemory = d.budget.Memory(d.jobs)
	return opts
}

// deciding is do for a decision, which is one of some that are left and gets its share of
// the time. Where a limit is reached, the result may be nil or know the class and the engine.
func (d *detection) deciding(doing string, left int, decide func(context.Context) (*rctl.Result, error)) (*rctl.Result, error) {
	return do(d.session, doing, func(ctx context.Context) (*rctl.Result, error) {
		ctx, cancel := d.budget.Share(ctx, (left+d.jobs-1)/d.jobs, doing)
		defer cancel()
		res, err := decide(ctx)
		if limit := limitOf(ctx, doing); limit != nil && (isDone(err) || err == nil && res.Verdict == rctl.Unknown) {
			err = limit
		}
		return res, err
	})
}

// check lets the chosen engine decide.
func (d *detection) check(ctx context.Context, decider *rctl.Session, c *graphs.Computation, f *syntax.Formula) (*rctl.Result, error) {
	if d.spin {
		res, _, err := d.bySpin(ctx, c, f)
		return res, err
	}
	return decider.Check(ctx, f, d.optionsNow())
}

// bySpin decides f by SPIN. What SPIN itself reports is nil if it cannot express the
// formula or hold the trace.
func (d *detection) bySpin(ctx context.Context, c *graphs.Computation, f *syntax.Formula) (*rctl.Result, *spin.Result, error) {
	res, err := spin.Check(ctx, c, f, spin.Options{MaxMemory: d.budget.Bytes() / int64(d.jobs), Slice: d.cli.Bool("spin-slice")})
	switch {
	case is[*promela.InexpressibleError](err), is[*promela.LimitError](err):
		return &rctl.Result{Reason: err.Error(), Class: rctl.Classify(c, f)}, nil, nil
	case err != nil:
		return nil, nil, err
	}
	if res.Evidence != nil && !res.Evidence.Whole {
		res.Evidence.MaybeShorter = true // SPIN stops at the first error it finds
	}
	return &rctl.Result{Verdict: res.Verdict, Reason: res.Reason, Class: rctl.Classify(c, f), Evidence: res.Evidence}, res, nil
}

// opinion is what one engine says about a formula.
type opinion struct {
	Engine    string  `json:"engine"`
	Verdict   string  `json:"verdict"`
	Reason    string  `json:"reason,omitempty"`
	ElapsedMS float64 `json:"elapsed_ms"`
	States    int64   `json:"states,omitempty"` // stored by SPIN, or visited
	Memory    int64   `json:"memory,omitempty"` // bytes that SPIN took
}

func (o opinion) String() string {
	why := ""
	if o.Reason != "" {
		why = ": " + o.Reason
	}
	return fmt.Sprintf("%-9s %s%s", o.Engine, o.Verdict, why)
}

// comparison is what several engines say about a formula on one trace.
type comparison struct {
	Trace   string    `json:"trace"`
	Formula string    `json:"formula"`
	Verdict string    `json:"verdict"`
	Reason  string    `json:"reason,omitempty"` // why no engine was asked
	Agree   bool      `json:"agree"`
	Engines []opinion `json:"engines"`
}

func newComparison(trace, formula string) *comparison {
	return &comparison{Trace: trace, Formula: formula, Agree: true, Verdict: rctl.Unknown.String(), Engines: []opinion{}}
}

func (all *comparison) add(o opinion) {
	unknown := rctl.Unknown.String()
	if o.Verdict != unknown {
		all.Agree = all.Agree && (all.Verdict == unknown || all.Verdict == o.Verdict)
		all.Verdict = o.Verdict
	}
	all.Engines = append(all.Engines, o)
}

// ask has each of the engines decide f, the resolved form of parsed, and a certificate of
// what they agree on checked.
func (d *detection) ask(e *format.Execution, parsed, f *syntax.Formula, engines []string) *comparison {
	unknown := rctl.Unknown.String()
	all := newComparison(e.Name, "")
	decided := new(rctl.Result)
	for i, engine := range engines {
		begun := time.Now()
		var bySpin *spin.Result
		res, err := d.deciding("deciding by "+engine, int(d.left.Load())*len(engines)-i, func(ctx context.Context) (res *rctl.Result, err error) {
			if engine == spinEngine {
				res, bySpin, err = d.bySpin(ctx, e.Computation, f)
				return res, err
			}
			opts := d.optionsNow()
			opts.Engine, _ = rctl.ParseEngine(engine)
			return rctl.Check(ctx, e.Computation, f, opts)
		})
		o := opinion{Engine: engine, Verdict: unknown, ElapsedMS: report.Milliseconds(time.Since(begun))}
		if err != nil {
			o.Reason = err.Error()
			if !is[*spin.MissingError](err) && !is[*limitError](err) {
				d.fail(fmt.Errorf("%s: engine %s: %w", e.Name, engine, err))
			}
		} else {
			o.Verdict, o.Reason = res.Verdict.String(), res.Reason
			if decided.Verdict == rctl.Unknown {
				decided = res
			}
		}
		if err == nil && bySpin != nil {
			o.States, o.Memory = bySpin.States, bySpin.Memory
		}
		all.add(o)
	}
	if all.Agree && all.Verdict != unknown {
		all.Engines = append(all.Engines, d.certified(e, parsed, decided))
	}
	return all
}

// certified is the opinion of a proof: the verdict that was decided, if it has a proof that is
// accepted.
func (d *detection) certified(e *format.Execution, f *syntax.Formula, decided *rctl.Result) opinion {
	begun := time.Now()
	o := opinion{Engine: "proof", Verdict: rctl.Unknown.String(), Reason: "no proof was found"}
	accepted, err := do(d.session, "certifying", func(ctx context.Context) (bool, error) {
		p, ok, err := certify.Proof(ctx, rctl.NewSession(e.Computation), e.Computation, f, decided)
		if err != nil || !ok {
			return false, err
		}
		k, err := certificate.New(ctx, e.Computation, f)
		if err == nil {
			err = k.Check(certificate.Version, decided.Verdict.String(), p)
		}
		return err == nil, err
	})
	switch {
	case err != nil:
		o.Reason = err.Error()
	case accepted:
		o.Verdict, o.Reason = decided.Verdict.String(), ""
	}
	o.ElapsedMS = report.Milliseconds(time.Since(begun))
	return o
}

// crossCheck asks every engine but SPIN. The error says that two disagree.
func (d *detection) crossCheck(e *format.Execution, parsed, f *syntax.Formula, first *rctl.Result) ([]opinion, error) {
	all := d.ask(e, parsed, f, rctl.Engines()[1:])
	known := all.Verdict != rctl.Unknown.String() && first.Verdict != rctl.Unknown
	if !all.Agree || known && all.Verdict != first.Verdict.String() {
		return all.Engines, errors.New("engines disagree, so pota has a bug; --json shows what each says")
	}
	return all.Engines, nil
}

func (s *session) crossCheckCommand() *cli.Command {
	return s.command(2, -1, cli.Command{
		Name:      "cross-check",
		Usage:     "decide a formula by every engine, and by SPIN where it is installed",
		ArgsUsage: "FORMULA TRACE|FILE.pml...",
		Description: "Prints what each engine says, in what time. Exit status: 0 when all that answered\n" +
			"agree, 1 when two do not, 3 when none answered. FILE.pml is a model in Promela, as of\n" +
			"pota check.\n\n" +
			"   pota cross-check 'AG(!(cs@P1 && cs@P2))' run.jsonl\n" +
			"   pota cross-check 'AG(!failed)' model.pml",
		Flags: slices.Concat([]cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print a JSON object a line for each trace"},
			&cli.BoolFlag{Name: "spin-slice", Usage: "let SPIN check a slice where that is sound"},
		}, limitFlags(time.Minute), inputFlags()),
		Action: s.crossCheck,
	})
}

func (s *session) crossCheck(c *cli.Context) error {
	source := c.Args().First()
	f, err := s.parseFormula(source)
	if err != nil {
		return err
	}
	in, err := s.inputOf(c, nil, false)
	if err != nil {
		return err
	}
	var traces []string
	for _, name := range c.Args().Tail() {
		if ext := filepath.Ext(name); ext != ".pml" && ext != ".pm" {
			traces = append(traces, name)
		} else if err := s.compareOn(c, name, source, f); err != nil {
			s.uncompared(c, name, err)
		}
	}
	d := &detection{session: s, cli: c, jobs: 1, left: new(atomic.Int64)}
	d.left.Store(int64(len(traces)))
	for _, path := range traces {
		executions, err := s.read(in, path)
		if err != nil {
			s.uncompared(c, path, err)
		}
		for i := range executions {
			e := &executions[i]
			resolved, err := s.resolve(syntax.Property{Formula: f}, e)
			if err == nil && e.Computation.Empty() {
				err = fmt.Errorf("%s: %w", e.Name, rctl.ErrEmpty)
			}
			if err != nil {
				s.uncompared(c, e.Name, err)
				continue
			}
			all := d.ask(e, f, resolved, engineNames())
			all.Formula = source
			s.compared(c, all)
		}
		d.left.Add(-1)
	}
	return nil
}

// uncompared tells why no engine was asked.
func (s *session) uncompared(c *cli.Context, name string, err error) {
	s.fail(err)
	of := report.Subject{Trace: name, Formula: c.Args().First()}
	switch {
	case !c.Bool("json"):
	case is[*limitError](err):
		all := newComparison(of.Trace, of.Formula)
		all.Reason = err.Error()
		s.printJSON(all, "")
	default:
		s.printError(of, err)
	}
}

// compared tells what engines say, and whether they agree.
func (s *session) compared(c *cli.Context, all *comparison) {
	switch {
	case !all.Agree:
		s.status = worst(s.status, someFails)
		fmt.Fprintf(s.err, "pota: %s: engines disagree, so one of them has a bug\n", graphs.Printable(all.Trace))
	case all.Verdict == rctl.Unknown.String():
		s.status = worst(s.status, undecided)
	}
	if c.Bool("json") {
		s.printJSON(all, "")
	} else {
		s.printComparison(all)
	}
}

func (s *session) printComparison(all *comparison) {
	agreement := "all that answered agree: " + all.Verdict
	switch {
	case !all.Agree:
		agreement = "ENGINES DISAGREE"
	case all.Verdict == rctl.Unknown.String():
		agreement = "none answered"
	}
	fmt.Fprintf(s.out, "%s  %s\n%s\n", graphs.Printable(all.Trace), graphs.Printable(all.Formula), agreement)
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	for _, o := range all.Engines {
		notes := o.Reason
		if o.States > 0 {
			notes = strings.TrimSpace(notes + " " + graphs.Plural(int(o.States), "state"))
		}
		if o.Memory > 0 {
			notes += fmt.Sprintf(", %.0f MB", float64(o.Memory)/1e6)
		}
		fmt.Fprintf(w, "  %s\t%s\t%.3f s\t%s\n", o.Engine, o.Verdict, o.ElapsedMS/1000, graphs.Printable(notes))
	}
	if err := w.Flush(); err != nil {
		s.fail(err)
	}
}
