package main

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/arguments"
	"github.com/pota-project/pota/cmd/pota/internal/decide"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/modelcheck"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/cmd/pota/internal/viewer"
	"github.com/pota-project/pota/rctl/syntax"
)

// detectCommand decides formulas on traces. Its flags stand under headings, as there are many.
func (s *session) detectCommand() *cli.Command {
	// Shells have limits on the length of a command line, so a file may list the traces.
	what := append(formulaFlags(),
		text("traces-from"),
		text("shard"))
	// The engines are listed by the planner alone.
	engine := textOr("engine", "auto")
	engine.Usage = "decide with `ENGINE` alone: " + strings.Join(decide.EngineNames(), ", ")
	how := append([]cli.Flag{
		engine,
		numberOr("jobs, j", 1),
		toggle("stream"),
		// It finds bugs of pota, not of the program under test.
		toggle("cross-check"),
		toggle("spin-slice"),
		toggle("skew-sweep"),
		toggle("no-projection"),
	}, limitFlags(0)...)
	output := append(reportFlags(),
		toggle("witness, w"),
		// Hidden, because users write --witness full.
		&cli.BoolFlag{Name: arguments.FullWitness, Hidden: true},
		numberOr("bindings", 10),
		bindingFlag(),
		text("show"),
		text("view"),
		// A file of its own, since certificates are for another reader than the verdicts.
		text("certificate"),
		outputFlag())

	return s.command("detect", 0, -1, slices.Concat(
		group("Formulas and traces", what...),
		group("How to decide", how...),
		group("Output", output...),
		group("Reading traces", inputFlags()...)), s.detect)
}

// whole are the flags of detect that need all of a trace at once, or another format than the
// native one.
var whole = []string{
	"engine", "cross-check", "spin-slice", "skew-sweep", "no-projection", "show", "view", "certificate",
	"map", "order", "skew", "clock-offset", "execution", "regexp", "delimiter", "assign",
}

// checkDetect refuses flags of detect that do not go together.
func checkDetect(c *cli.Context) error {
	// A number below 1 is a slip: some trace must be decided at a time.
	if c.Int("jobs") < 1 {
		return exit.Usagef("--jobs must be at least 1, not %d", c.Int("jobs"))
	}
	if c.Int("bindings") < 0 {
		return exit.Usagef("--bindings must be at least 0, not %d", c.Int("bindings"))
	}
	// A sweep has many verdicts on a formula, and these flags are about one.
	if c.Bool("skew-sweep") {
		for _, flag := range []string{"skew", "clock-offset", "cross-check", "witness", "certificate", "view"} {
			if c.IsSet(flag) {
				return exit.Usagef("--skew-sweep tries bounds one after the other; it does not go with --%s", flag)
			}
		}
		if f := c.String("format"); f != present.Text && f != present.JSON {
			return exit.Usagef("--skew-sweep prints text or json, not %s", f)
		}
	}
	if c.IsSet("certificate") && c.IsSet("binding") {
		return exit.Usagef("--certificate is about all that the formula says, and --binding decides a part of it: leave one out")
	}
	if !c.Bool("stream") {
		return nil
	}
	for _, flag := range whole {
		if c.IsSet(flag) {
			return exit.Usagef("--stream and --%s exclude each other: a stream is read in the native format, event by event", flag)
		}
	}
	// Other formats must be read as a whole: their events come in no causal order.
	if input := c.String("input"); input != "auto" && input != "native" {
		return exit.Usagef("--stream reads the native format, not %s: convert the trace first (pota convert)", input)
	}
	return nil
}

// detect collects the request. The number of arguments depends on the flags that replace some of
// them, so it is checked here again.
func (s *session) detect(c *cli.Context) error {
	traces := c.Args().Slice()
	// At least one trace. A list may have them instead.
	minArgs := 1
	if c.String("traces-from") != "" {
		minArgs = 0
	}
	if !named(c) {
		minArgs++
	}
	if err := lineOf(c).Check(minArgs, -1); err != nil {
		return err
	}
	q := decide.Request{
		Formulas:    formulasOf(c),
		Choice:      load.Choice{Paths: traces, List: c.String("traces-from")},
		Read:        readOptions(c),
		Output:      c.String("output"),
		Certificate: c.String("certificate"),
		// Package decide knows the traces of lists and patterns, and this package the flags that
		// name files.
		Check: func(paths []string) error { return checkTargets(c, s.run.Files, paths) },
	}
	// Without -f and --property the first argument is the formula.
	if !named(c) {
		q.Formulas.Texts = traces[:1]
		q.Choice.Paths = traces[1:]
	}
	var err error
	// Mistakes in flags are found before any file is read.
	if q.Choice.Part, err = load.ParsePart(c.String("shard")); err != nil {
		return err
	}
	if q.Options, q.Report, err = detectOptions(c, s.run); err != nil {
		return err
	}
	return decide.Detect(s.run, q)
}

// detectOptions returns the options of the decision and of the report. They are checked before
// anything is read.
func detectOptions(c *cli.Context, r *job.Run) (opts decide.Options, printed present.Options, err error) {
	opts = decide.Options{
		Engine:       c.String("engine"),
		SpinSlice:    c.Bool("spin-slice"),
		NoProjection: c.Bool("no-projection"),
		Jobs:         c.Int("jobs"),
		Stream:       c.Bool("stream"),
		SkewSweep:    c.Bool("skew-sweep"),
		ExplainNone:  c.Bool("witness"),
		CrossCheck:   c.Bool("cross-check"),
		Certify:      c.String("certificate") != "",
		// Findings and remedies take time, and nobody would see them.
		Vacuity:  !c.Bool("quiet"),
		Remedy:   !c.Bool("quiet"),
		Full:     c.Bool(arguments.FullWitness),
		View:     c.String("view"),
		Page:     viewer.Save,
		Bindings: c.Int("bindings"),
	}
	if opts.Binding, err = load.Choices(c.StringSlice("binding")); err != nil {
		return opts, printed, err
	}
	if err = opts.Check(); err != nil {
		return opts, printed, err
	}
	if opts.Show, err = decide.ParseShowing(c.String("show")); err != nil {
		return opts, printed, err
	}
	if printed, err = reportOptions(c); err != nil {
		return opts, printed, err
	}
	// To find a run costs time, so it is only sought for a format that prints it, or for a page.
	opts.Evidence = printed.NeedsEvidence(r.Console.Terminal) || opts.View != ""
	opts.Remedies = printed.ListsFirst()
	return opts, printed, checkDetect(c)
}

// crossCheckCommand compares engines. It has a default time limit: some engines take exponential
// time, and the others should still answer.
func (s *session) crossCheckCommand() *cli.Command {
	return s.command("cross-check", 2, -1, slices.Concat([]cli.Flag{
		toggle("json"),
		toggle("spin-slice"),
	}, limitFlags(time.Minute), inputFlags()), s.crossCheck)
}

// crossCheck asks the engines of programs about models in Promela, and those of traces about all
// else. Models come first, whatever their place.
func (s *session) crossCheck(c *cli.Context) error {
	source := c.Args().First()
	f, err := load.Formula(s.run, source)
	if err != nil {
		return err
	}
	read := readOptions(c)
	in, err := load.New(s.run, read, load.Want{})
	if err != nil {
		return err
	}
	p := syntax.Property{Formula: f, Source: source}
	to := present.Comparisons{Run: s.run, JSON: c.Bool("json"), Source: source}
	var traces []string
	for _, name := range c.Args().Tail() {
		// The content would tell as well, but a mistake in it should be one of the right language.
		if ext := filepath.Ext(name); ext != ".pml" && ext != ".pm" {
			traces = append(traces, name)
			continue
		}
		if all, err := modelcheck.Compare(s.run, name, p); err != nil {
			to.Refused(name, err)
		} else {
			to.Add(all)
		}
	}
	decide.Compare(s.run, in, traces, p, to, decide.Options{SpinSlice: c.Bool("spin-slice")})
	return nil
}
