package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/sync/errgroup"

	"github.com/pota-project/pota/graphs"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl"
	"github.com/pota-project/pota/rctl/syntax"
	"github.com/pota-project/pota/rctl/vacuity"
	"github.com/pota-project/pota/translate/spin"
)

func (s *session) detectCommand() *cli.Command {
	return command(cli.Command{
		Name:      "detect",
		Usage:     "decide a formula on each trace",
		ArgsUsage: "FORMULA TRACE... | -f PROPERTIES TRACE...",
		Description: "Exit status: 0 every formula holds on every trace, 1 some fails, 2 bad usage or\n" +
			"input, 3 undecided.\n\n" +
			"   pota detect 'AG(!(cs@P1 && cs@P2))' run.jsonl\n" +
			"   pota detect --witness 'EF(exists i != j: cs@i && cs@j)' logs/\n" +
			"   pota detect -f properties.txt --json run1.jsonl run2.jsonl.gz\n" +
			"   pota detect -f properties.txt --format junit runs/*.jsonl > report.xml\n" +
			"   pota detect 'AG(req@A -> AF ack@A)' shiviz.log --execution 2",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "properties", Aliases: []string{"f"}, Usage: "decide the formulas of `FILE`, one `name: formula` a line"},
			&cli.StringFlag{Name: "engine", Value: "auto", Usage: "decide with `ENGINE` alone: " + strings.Join(engineNames(), ", ")},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "print `FORMAT`: text, json (an object a line), junit, sarif, or github (annotations)"},
			&cli.BoolFlag{Name: "json", Usage: "print a JSON object a line for each formula and trace, as --format json does"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print nothing; the exit status tells"},
			&cli.BoolFlag{Name: "witness", Aliases: []string{"w"}, Usage: "print the run that shows the verdict"},
			&cli.DurationFlag{Name: "timeout", Usage: "give up on a formula after `TIME`, such as 30s"},
			&cli.StringFlag{Name: "max-memory", Value: "4GiB", Usage: "let enumerations of cuts take at most `SIZE`"},
			&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Value: 1, Usage: "decide on `N` traces at a time; they share --max-memory"},
			&cli.BoolFlag{Name: "cross-check", Usage: "decide with every engine that can, and fail when two disagree"},
			&cli.BoolFlag{Name: "spin-slice", Usage: "let SPIN check a slice where that is sound"},
			sweepFlag(),
			&cli.BoolFlag{Name: "no-projection", Usage: "let engines see all events, not only those that can change what the formula speaks of"},
		}, inputFlags()...),
		Action: s.detect,
	})
}

// limits returns the memory that may be taken, and refuses limits that are none.
func limits(c *cli.Context) (bytes int64, err error) {
	if limit := c.Duration("timeout"); limit < 0 {
		return 0, usagef("%s: a timeout of %s", c.Command.Name, limit)
	}
	return parseSize(c.String("max-memory"))
}

// detection is what a run of detect is asked for.
type detection struct {
	*session
	cli        *cli.Context
	properties []syntax.Property
	opts       rctl.Options
	timeout    time.Duration
	variables  map[string]bool
	show       presentation // nil where nothing is to be printed
	spin       bool         // let SPIN decide
	checked    *spin.Result // what SPIN said last
}

func (s *session) detect(c *cli.Context) error {
	d := &detection{session: s, cli: c, timeout: c.Duration("timeout"), variables: make(map[string]bool)}
	traces, err := d.arguments()
	if err != nil {
		return err
	}
	engine, ok := rctl.ParseEngine(c.String("engine"))
	d.spin = c.String("engine") == spinEngine
	if !ok && !d.spin {
		return usagef("detect: there is no engine %q; there are %s", c.String("engine"), strings.Join(engineNames(), ", "))
	}
	bytes, err := limits(c)
	if err != nil {
		return err
	}
	debug.SetMemoryLimit(bytes)
	d.opts = rctl.Options{Engine: engine, MaxMemory: bytes, Evidence: !c.Bool("quiet"), NoProjection: c.Bool("no-projection")}
	for _, p := range d.properties {
		for name := range syntax.Names(p.Formula) {
			d.variables[name] = true
		}
	}
	jobs := c.Int("jobs")
	if jobs < 1 {
		return usagef("detect: %d jobs", jobs)
	}
	if d.show, err = presentationOf(c); err != nil {
		return err
	}
	if _, plain := d.show.(textLines); plain {
		d.opts.Evidence = d.show.tells(d)
	}
	if err := checkSweep(c); err != nil {
		return err
	}
	d.opts.MaxMemory /= int64(min(jobs, len(traces)))
	d.traces(traces, jobs)
	d.show.end(d)
	d.flush()
	return nil
}

// traces decides on several traces at a time; results and errors come out in the
// order of the traces.
func (d *detection) traces(paths []string, jobs int) {
	if jobs == 1 || len(paths) == 1 {
		for _, path := range paths {
			d.trace(path)
		}
		return
	}
	type outcome struct {
		out, err bytes.Buffer
		show     presentation
		status   status
	}
	done := make([]chan *outcome, len(paths))
	var group errgroup.Group
	group.SetLimit(jobs)
	for i := range paths {
		done[i] = make(chan *outcome, 1)
	}
	go func() {
		for i, path := range paths {
			group.Go(func() error {
				o := new(outcome)
				quiet := *d.session
				quiet.out, quiet.err, quiet.watch, quiet.status = bufio.NewWriter(&o.out), &o.err, false, allHold
				one := *d
				one.session, one.show = &quiet, d.show.fork()
				one.trace(path)
				quiet.out.Flush() //nolint:errcheck // a bytes.Buffer takes everything
				o.show, o.status = one.show, quiet.status
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
		d.show.join(o.show)
		d.flush()
	}
}

func (d *detection) flush() {
	if d.out.Flush() != nil {
		d.fail(errors.New("the results cannot be written"))
	}
}

// arguments reads the formulas and returns the traces.
func (d *detection) arguments() (traces []string, err error) {
	args := d.cli.Args().Slice()
	file := d.cli.String("properties")
	if file == "" {
		if err := arguments(d.cli, 2, -1, "FORMULA TRACE..."); err != nil {
			return nil, err
		}
		f, err := parseFormula(args[0])
		if err != nil {
			return nil, err
		}
		d.properties = []syntax.Property{{Formula: f, Source: args[0]}}
		return args[1:], nil
	}
	if err := arguments(d.cli, 1, -1, "-f PROPERTIES TRACE..."); err != nil {
		return nil, err
	}
	d.properties, err = readProperties(file)
	return args, err
}

// readProperties reads a property file.
func readProperties(file string) ([]syntax.Property, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	all, err := syntax.ParseProperties(string(text))
	switch {
	case err != nil:
		return nil, &formulaError{filepath.Base(file), err}
	case len(all) == 0:
		return nil, fmt.Errorf("%s: no property in it; write one a line as name: formula", file)
	}
	return all, nil
}

// trace decides all formulas on one trace. What goes wrong is reported and does
// not keep other traces from being decided.
func (d *detection) trace(path string) {
	start := time.Now()
	ctx, cancel := d.limited(start)
	executions, err := d.read(ctx, d.cli, path, readOptions(d.cli, d.variables, d.show.tells(d)))
	cancel()
	if err != nil {
		err = whileReading(path, err)
		d.fail(err)
		d.show.refusal(d, path, err)
		return
	}
	for i := range executions {
		if d.cli.Bool("skew-sweep") {
			d.sweeps(&executions[i], start)
			start = time.Now()
			continue
		}
		decider := rctl.NewSession(executions[i].Computation)
		for k, p := range d.properties {
			v := &decision{detection: d, trace: path, execution: &executions[i], index: k, property: p}
			v.decide(decider, start)
			d.show.decision(v)
			d.flush()
			start = time.Now()
		}
	}
}

// whileReading says of a time limit when it was reached.
func whileReading(path string, err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: the time limit was reached while reading: %w", path, err)
	}
	return err
}

// limited returns a context that ends when the time for one formula is over.
func (d *detection) limited(start time.Time) (context.Context, context.CancelFunc) {
	if d.timeout == 0 {
		return context.WithCancel(d.ctx)
	}
	return context.WithDeadline(d.ctx, start.Add(d.timeout))
}

// A decision is one property on one execution, and what came of it.
type decision struct {
	*detection
	trace     string // the path as it was given
	execution *format.Execution
	index     int // of the property
	property  syntax.Property

	result   *rctl.Result // nil where there is none, for err
	err      error
	elapsed  time.Duration
	opinions []opinion // of --cross-check
	notes    []note
}

// decide fills in what comes of a decision. What goes wrong is reported.
func (v *decision) decide(decider *rctl.Session, start time.Time) {
	e := v.execution
	f, err := resolve(v.property.Name, v.property.Formula, e.Computation)
	if err != nil {
		v.refuse(err)
		return
	}
	ctx, cancel := v.limited(start)
	defer cancel()
	done := v.busy("deciding %s", f)
	begun := time.Now()
	v.result, err = v.check(ctx, decider, e.Computation, f)
	v.elapsed = time.Since(begun)
	done()
	if err != nil {
		v.result = nil
		v.refuse(err)
		return
	}
	v.status = worst(v.status, statusOf(v.result.Verdict))
	if v.cli.Bool("cross-check") {
		if v.opinions, err = v.crossCheck(e, f, v.result); err != nil {
			v.refuse(fmt.Errorf("%s: %w", v.property.Source, err))
		}
	}
	v.notes = assumptions(v.cli)
	if why := e.Computation.LowerBound(); why != "" && !rctl.Sound(f, v.result.Verdict) {
		v.notes = append(v.notes, note{noteSpurious, why})
	}
	if !v.cli.Bool("quiet") {
		opts := v.optionsNow()
		opts.Engine = rctl.Auto
		for _, found := range vacuity.Find(ctx, decider, e.Computation, v.property.Formula, f, v.result.Verdict, opts) {
			v.notes = append(v.notes, note{noteVacuous, found.Text})
		}
	}
}

func (v *decision) refuse(err error) {
	v.err = fmt.Errorf("%s: %w", v.execution.Name, err)
	v.fail(v.err)
}

// optionsNow leaves to the engines the memory that the trace does not take, and
// some to what is no longer used and not yet collected.
func (d *detection) optionsNow() rctl.Options {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	opts := d.opts
	if opts.MaxMemory > 0 {
		opts.MaxMemory = max((opts.MaxMemory-int64(m.HeapAlloc))/10*7, 1)
	}
	return opts
}

// check lets the chosen engine decide.
func (d *detection) check(ctx context.Context, decider *rctl.Session, c *graphs.Computation, f *syntax.Formula) (*rctl.Result, error) {
	if d.spin {
		return d.bySpin(ctx, c, f)
	}
	return decider.Check(ctx, f, d.optionsNow())
}

func statusOf(v rctl.Verdict) status {
	return [...]status{rctl.Unknown: undecided, rctl.Holds: allHold, rctl.Fails: someFails}[v]
}

func (s *session) printJSON(v any) {
	enc := json.NewEncoder(s.out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		s.fail(err)
	}
}
