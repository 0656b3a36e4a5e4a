package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/sync/errgroup"

	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/rctl/vacuity"
)

func (s *session) detectCommand() *cli.Command {
	return s.command(0, -1, cli.Command{
		Name:      "detect",
		Usage:     "decide a formula on each trace",
		ArgsUsage: "FORMULA TRACE... | -f PROPERTIES TRACE... | --property PATTERN TRACE...",
		Description: "Exit status: 0 every formula holds on every trace, 1 some fails, 2 bad usage or\n" +
			"input, 3 undecided.\n\n" +
			"   pota detect 'AG(!(cs@P1 && cs@P2))' run.jsonl\n" +
			"   pota detect --witness 'EF(exists i != j: cs@i && cs@j)' logs/\n" +
			"   pota detect -f properties.txt --json run1.jsonl run2.jsonl.gz\n" +
			"   pota detect -f properties.txt --format junit runs/*.jsonl > report.xml\n" +
			"   pota detect 'AG(req@A -> AF ack@A)' shiviz.log --execution 2\n" +
			"   pota detect -f properties.txt --shard 0/8 --json -o 0.jsonl 'runs/*.jsonl.gz'\n\n" +
			"Guides: pota help formulas, traces, witnesses, engines, ci, fleets.",
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "properties", Aliases: []string{"f"}, Usage: "decide the formulas of `FILE`, one `name: formula` a line"},
			&cli.StringSliceFlag{Name: "property", Aliases: []string{"p"}, Usage: "decide a `PATTERN` such as mutex:cs (pota help formulas lists them), or of the file that -f names only the property of that name; may be repeated"},
			&cli.StringFlag{Name: "engine", Value: "auto", Usage: "decide with `ENGINE` alone: " + strings.Join(engineNames(), ", ")},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "print `FORMAT`: text, json (an object a line), junit, sarif, or github (annotations)"},
			&cli.BoolFlag{Name: "json", Usage: "print a JSON object a line for each formula and trace, as --format json does"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print nothing: the exit status is the answer"},
			&cli.BoolFlag{Name: "witness", Aliases: []string{"w"}, Usage: "print the run that shows the verdict: what changes in it, and the messages between; --witness full prints all events"},
			&cli.BoolFlag{Name: fullWitness, Hidden: true},
			&cli.StringFlag{Name: "show", Usage: "with --witness, show `VARIABLES`, too, such as 'holder@lock,term@*'"},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "name engine and fragment; of many traces, list all verdicts, not only those that do not hold"},
			&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Value: 1, Usage: "decide `N` traces at a time, which share --max-memory"},
			&cli.BoolFlag{Name: "stream", Usage: "keep only a window of a trace in the native format, however long it is (pota help watching)"},
			&cli.BoolFlag{Name: "cross-check", Usage: "decide with every engine that can, and fail when two disagree"},
			&cli.BoolFlag{Name: "spin-slice", Usage: "let SPIN check a slice where that is sound"},
			sweepFlag(),
			&cli.StringFlag{Name: "certificate", Usage: "write to `FILE` a certificate of each verdict, which pota verify checks (pota help certificates)"},
			&cli.BoolFlag{Name: "no-projection", Usage: "let engines see all events, not only those that can change what the formula speaks of"},
			outputFlag(),
		}, shardFlags(), limitFlags(0), inputFlags()),
		Action: s.detect,
	})
}

// unparsed tells that formulas cannot be parsed: also in the formats of continuous integration, of which that
// may be all that is looked at.
func (d *detection) unparsed(err error) error {
	var bad error
	if d.show, bad = presentationOf(d.cli); bad != nil {
		return errors.Join(err, bad)
	}
	switch d.show.(type) {
	case *junitReport, *sarifReport, annotations:
	default:
		return err
	}
	d.fail(err)
	return d.into(d.cli, func() error {
		all := []error{err}
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			all = several.Unwrap()
		}
		for _, err := range all {
			if of, ok := errors.AsType[*formulaError](err); ok {
				d.show.refusal(d, of.of(), err)
			}
		}
		d.show.end(d)
		d.flush()
		return nil
	})
}

// detection is what a run of detect is asked for.
type detection struct {
	*session
	cli        *cli.Context
	in         *input
	properties []syntax.Property
	late       error // the limit that was reached before the properties were read, which is told of every trace
	opts       rctl.Options
	part       *shard // that is decided, nil for all
	number     int    // of traces
	jobs       int
	left       *atomic.Int64 // decisions that are still to be made, as far as is known
	show       presentation
	spin       bool // let SPIN decide
	several    bool // more than one execution is decided
	full       bool // runs are told event by event
	showing    showing
	errors     *errorReport
	claims     *bytes.Buffer // certificates, a line each; nil if none are asked for
}

func (s *session) detect(c *cli.Context) error {
	d := &detection{session: s, cli: c, spin: c.String("engine") == spinEngine, left: new(atomic.Int64), errors: new(errorReport)}
	traces, formulas := c.Args().Slice(), []string(nil)
	least := 1
	if c.String("traces-from") != "" {
		least = 0
	}
	if !named(c) {
		least++
	}
	if err := arguments(c, least, -1); err != nil {
		return err
	}
	if !named(c) {
		formulas, traces = traces[:1], traces[1:]
	}
	var err error
	if d.properties, err = s.properties(c, formulas...); is[*limitError](err) {
		d.late = err
	} else if is[*formulaError](err) {
		return d.unparsed(err)
	} else if err != nil {
		return err
	}
	engine, ok := rctl.ParseEngine(c.String("engine"))
	if !ok && !d.spin {
		return unknown("engine", c.String("engine"), engineNames()...)
	}
	d.full = c.Bool(fullWitness)
	if d.showing, err = showingOf(c.String("show")); err != nil {
		return err
	}
	if d.jobs = c.Int("jobs"); d.jobs < 1 {
		return usagef("--jobs must be at least 1, not %d", d.jobs)
	}
	if traces, d.part, err = s.chosen(c, traces); err != nil {
		return err
	}
	if err := s.checkTargets(c, traces); err != nil { // those that --traces-from lists, too
		return err
	}
	d.jobs = max(min(d.jobs, len(traces)), 1)
	if d.show, err = presentationOf(c); err != nil {
		return err
	}
	if err := checkSweep(c); err != nil {
		return err
	}
	if err := checkStreamed(c); err != nil {
		return err
	}
	variables := make(map[string]bool)
	for _, p := range d.properties {
		maps.Copy(variables, syntax.Names(p.Formula))
	}
	if d.showing != nil {
		variables = nil // all
	}
	if d.in, err = s.inputOf(c, variables, d.show.forPeople(d)); err != nil {
		return err
	}
	if c.String("certificate") != "" {
		d.claims, d.in.options.Digest = new(bytes.Buffer), true
	}
	d.opts = rctl.Options{
		Engine: engine, Evidence: !c.Bool("quiet"), NoProjection: c.Bool("no-projection"),
		Cores: max(runtime.GOMAXPROCS(0)/d.jobs, 1),
	}
	if _, plain := d.show.(*textReport); plain {
		d.opts.Evidence = d.show.forPeople(d)
	}
	d.opts.Cuts = !d.opts.Evidence
	d.opts.Evidence = d.opts.Evidence || d.claims != nil
	d.several = len(traces) > 1
	d.left.Store(int64(len(traces) * len(d.properties)))
	d.number = len(traces)
	err = s.into(c, func() error {
		d.traces(traces)
		d.show.end(d)
		d.errors.end(d)
		d.flush()
		return nil
	})
	if d.claims == nil || err != nil {
		return err
	}
	unlimited := *s // what was decided is written when the limits have been reached, too
	unlimited.budget = nil
	return unlimited.writeFiles("writing certificates", file{c.String("certificate"), textOf(d.claims.String())})
}

// traces decides several traces at a time; results and errors come out in the order of
// the traces.
func (d *detection) traces(paths []string) {
	if d.jobs == 1 {
		for i, path := range paths {
			d.trace(i, path)
		}
		return
	}
	type outcome struct {
		out, err bytes.Buffer
		claims   bytes.Buffer
		show     presentation
		errors   *errorReport
		status   status
	}
	done := make([]chan *outcome, len(paths))
	all, session := *d, *d.session // as they are before what is decided is joined to them
	var group errgroup.Group
	group.SetLimit(d.jobs)
	for i := range paths {
		done[i] = make(chan *outcome, 1)
	}
	go func() {
		for i, path := range paths {
			group.Go(func() error {
				o := new(outcome)
				quiet := session
				quiet.out, quiet.err, quiet.watch, quiet.status = bufio.NewWriter(&o.out), &o.err, false, allHold
				one := all
				one.session, one.show, one.errors = &quiet, d.show.fork(), &errorReport{forked: true}
				if one.claims != nil {
					one.claims = &o.claims
				}
				one.trace(i, path)
				quiet.out.Flush() //nolint:errcheck // a bytes.Buffer takes everything
				o.show, o.errors, o.status = one.show, one.errors, quiet.status
				done[i] <- o
				return nil
			})
		}
	}()
	for i := range done {
		o := <-done[i]
		d.out.Write(o.out.Bytes()) //nolint:errcheck // flushed below
		d.err.Write(o.err.Bytes()) //nolint:errcheck // nowhere to report it
		d.status = worst(d.status, o.status)
		d.errors.join(d, o.errors)
		if d.claims != nil {
			d.claims.Write(o.claims.Bytes())
		}
		d.show.join(d, o.show)
		d.flush()
	}
}

// trace decides all formulas on one trace. Errors are reported and do not keep other
// traces from being decided.
func (d *detection) trace(number int, path string) {
	if d.late != nil {
		d.wrong(path, d.late)
		d.show.refusal(d, path, d.late)
		return
	}
	if d.cli.Bool("stream") {
		d.streamed(path)
		return
	}
	executions, err := d.read(d.in, path)
	d.left.Add(int64((len(executions) - 1) * len(d.properties)))
	if is[*limitError](err) {
		for k, p := range d.properties {
			v := &decision{detection: d, trace: path, execution: &format.Execution{Name: path}, index: k, property: p}
			v.giveUp(nil, err)
			d.tell(v)
		}
		return
	}
	if err != nil {
		d.wrong(path, err)
		d.show.refusal(d, path, err)
		return
	}
	d.several = d.several || len(executions) > 1
	for i := range executions {
		if d.cli.Bool("skew-sweep") {
			d.sweeps(&executions[i])
			continue
		}
		if err := d.showing.unmatched(&executions[i]); err != nil {
			d.wrong(executions[i].Name, err)
		}
		early := number+i < mostListed
		decider := rctl.NewSession(executions[i].Computation)
		for k, p := range d.properties {
			v := &decision{detection: d, trace: path, execution: &executions[i], early: early, index: k, property: p}
			v.decide(decider)
			d.left.Add(-1)
			d.tell(v)
		}
	}
}

// tell prints what came of a decision.
func (d *detection) tell(v *decision) {
	if v.err != nil {
		d.wrong(v.execution.Name, v.err)
	}
	if v.result != nil {
		d.status = worst(d.status, statusOf(v.result.Verdict))
	}
	d.show.decision(v)
	d.flush()
}

// A decision is one property on one execution, and what came of it.
type decision struct {
	*detection
	trace     string            // the path as it was given
	execution *format.Execution // without a computation if a limit was reached while it was read
	early     bool              // it is among the first executions
	index     int               // of the property
	property  syntax.Property

	result   *rctl.Result // nil if err kept the property from being decided
	err      error
	elapsed  time.Duration
	opinions []opinion // of --cross-check
	notes    []note
	vacuous  []vacuity.Finding // as in the notes
	window   *window           // what --stream knows, nil where all is
	told     *resultLine       // where it was read from, nil if it was decided here
}

// decide fills in the result, or the error.
func (v *decision) decide(decider *rctl.Session) {
	e := v.execution
	f, err := v.resolve(v.property, e)
	if err != nil {
		v.giveUp(nil, err)
		return
	}
	begun := time.Now()
	result, err := v.deciding("deciding", int(v.left.Load()), func(ctx context.Context) (*rctl.Result, error) {
		return v.check(ctx, decider, e.Computation, f)
	})
	v.elapsed = time.Since(begun)
	if err != nil {
		v.giveUp(result, err)
		return
	}
	v.result = result
	if v.claims != nil && result.Verdict != rctl.Unknown {
		v.err = v.certify(decider)
	}
	if v.cli.Bool("cross-check") {
		if v.opinions, err = v.crossCheck(e, v.property.Formula, f, result); err != nil {
			v.err = fmt.Errorf("%s: %s: %w", e.Name, v.property.Source, err)
		}
	}
	v.notes = assumptions(v.cli)
	if why := e.Computation.LowerBound(); why != "" && !rctl.Sound(f, result.Verdict) {
		v.notes = append(v.notes, note{Kind: noteSpurious, Text: why})
		if n, ok := v.remedy(f); ok {
			v.notes = append(v.notes, n)
		}
	}
	if !v.cli.Bool("quiet") {
		opts := v.optionsNow()
		opts.Engine = rctl.Auto
		v.vacuous, _ = do(v.session, "looking for verdicts that say little", func(ctx context.Context) ([]vacuity.Finding, error) {
			return vacuity.Find(ctx, decider, e.Computation, v.property.Formula, f, result.Verdict, opts), nil
		})
		for _, found := range v.vacuous {
			v.notes = append(v.notes, note{Kind: noteVacuous, Text: found.Text})
		}
	}
}

// giveUp fills in the error, or if that says that a limit was reached, the result: what is
// known of it, nil for nothing.
func (v *decision) giveUp(result *rctl.Result, err error) {
	if !is[*limitError](err) {
		v.err = err
		if v.execution.Computation != nil && !is[*formulaError](err) {
			v.err = fmt.Errorf("%s: %w", v.execution.Name, err)
		}
		return
	}
	if result == nil {
		result = rctl.OutOfReach(v.property.Formula, err)
	}
	result.Verdict, result.Reason = rctl.Unknown, err.Error()
	v.result = result
}

func statusOf(v rctl.Verdict) status {
	return [...]status{rctl.Unknown: undecided, rctl.Holds: allHold, rctl.Fails: someFails}[v]
}
