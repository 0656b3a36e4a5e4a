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
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/modelcheck"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/cmd/pota/internal/viewer"
	"github.com/pota-project/pota/rctl/syntax"
)

// detectCommand decides formulas on traces. Its many flags are grouped under headings. The number
// of arguments depends on the flags that replace some of them, so it is checked again here.
func (s *session) detectCommand() *cli.Command {
	q := &decide.Request{Options: decide.Options{Engine: "auto", Jobs: 1, Bindings: 10, Page: viewer.Save}}
	o := &q.Options
	// Only the planner has the list of engines.
	engine := text("engine", &o.Engine)
	engine.Usage = "decide with `ENGINE` alone: " + strings.Join(decide.EngineNames(), ", ")
	return s.command("detect", 0, -1, slices.Concat(
		// Shells have limits on the length of a command line, so a file may list the traces.
		group("Formulas and traces", append(formulaFlags(&q.Formulas),
			text("traces-from", &q.Choice.List),
			text("shard", &q.Shard))...),
		group("How to decide", append([]cli.Flag{
			engine,
			number("jobs, j", &o.Jobs),
			toggle("stream", &o.Stream),
			// This finds bugs in pota, not in the program under test.
			toggle("cross-check", &o.CrossCheck),
			toggle("skew-sweep", &o.SkewSweep),
			toggle("no-projection", &o.NoProjection),
		}, s.limitFlags(0)...)...),
		group("Output", append(reportFlags(&q.Report),
			toggle("witness, w", &q.Report.Witness),
			// Hidden, because users write --witness full.
			&cli.BoolFlag{Name: arguments.FullWitness, Hidden: true, Destination: &o.Full},
			number("bindings", &o.Bindings),
			texts("binding", &q.Binding),
			text("show", &q.Show),
			text("view", &o.View),
			// Certificates have their own file, since their readers are not those of the verdicts.
			text("certificate", &q.Certificate),
			text("output, o", &q.Report.Output))...),
		inputFlags(&q.Read),
	), func(c *cli.Context) error {
		q.Choice.Paths = c.Args().Slice()
		// At least one trace is needed, unless a list names the traces.
		minArgs := 1
		if q.Choice.List != "" {
			minArgs = 0
		}
		// Without -f and --property the first argument is the formula.
		formulas := 1
		if q.Formulas.Named() {
			formulas = 0
		}
		if err := lineOf(c).Check(minArgs+formulas, -1); err != nil {
			return err
		}
		q.Formulas.Texts = q.Choice.Paths[:formulas]
		q.Choice.Paths = q.Choice.Paths[formulas:]
		q.Read.Silent = q.Report.Quiet
		q.Report.All = o.CrossCheck // a summary must not hide disagreement
		if err := q.Report.Choose(c.IsSet("format")); err != nil {
			return err
		}
		if err := checkDetect(c, q); err != nil {
			return err
		}
		// Package decide knows the traces from lists and patterns, and this package knows the flags
		// that name files.
		q.Check = func(paths []string) error { return checkTargets(c, s.run.Files, paths) }
		return decide.Detect(s.run, *q)
	})
}

// whole are the flags of detect that need all of a trace at once, or a format other than the native
// one.
var whole = []string{
	"engine", "cross-check", "skew-sweep", "no-projection", "show", "view", "certificate",
	"map", "order", "skew", "clock-offset", "execution", "regexp", "delimiter", "assign",
}

// checkDetect refuses flags of detect that exclude each other, and values out of range.
func checkDetect(c *cli.Context, q *decide.Request) error {
	o := &q.Options
	switch {
	// A number below 1 is a mistake: at least one trace must be decided at a time.
	case o.Jobs < 1:
		return exit.Usagef("--jobs must be at least 1, not %d", o.Jobs)
	case o.Bindings < 0:
		return exit.Usagef("--bindings must be at least 0, not %d", o.Bindings)
	case q.Certificate != "" && q.Binding != nil:
		return exit.Usagef("--certificate is about all that the formula says, and --binding decides a part of it: leave one out")
	}
	if o.SkewSweep {
		// A sweep has many verdicts on a formula, and these flags are about one.
		if flags := given(c, "skew", "clock-offset", "cross-check", "witness", "certificate", "view"); len(flags) > 0 {
			return exit.Usagef("--skew-sweep tries bounds one after the other; it does not go with --%s", flags[0])
		}
		if q.Report.IsReport() {
			return exit.Usagef("--skew-sweep prints text or json, not %s", q.Report.Format)
		}
	}
	if !o.Stream {
		return nil
	}
	if flags := given(c, whole...); len(flags) > 0 {
		return exit.Usagef("--stream and --%s exclude each other: a stream is read in the native format, event by event", flags[0])
	}
	// Other formats must be read as a whole, since their events are not in a causal order.
	if input := q.Read.Format.Input; input != "auto" && input != "native" {
		return exit.Usagef("--stream reads the native format, not %s: convert the trace first (pota convert)", input)
	}
	return nil
}

// crossCheckCommand compares engines. It has a default time limit, since some engines need
// exponential time, and the others should still answer.
func (s *session) crossCheckCommand() *cli.Command {
	to := present.Comparisons{Run: s.run}
	var read load.Options
	var opts decide.Options
	return s.command("cross-check", 2, -1, slices.Concat([]cli.Flag{
		toggle("json", &to.JSON),
	}, s.limitFlags(time.Minute), inputFlags(&read)), func(c *cli.Context) error {
		to.Source = c.Args().First()
		return s.crossCheck(c.Args().Tail(), to, read, opts)
	})
}

// crossCheck runs the engines for programs on models in Promela, and those for traces on all other
// files. Models come first, regardless of their positions.
func (s *session) crossCheck(names []string, to present.Comparisons, read load.Options, opts decide.Options) error {
	f, err := load.Formula(s.run, to.Source)
	if err != nil {
		return err
	}
	in, err := load.New(s.run, read, load.Want{})
	if err != nil {
		return err
	}
	p := syntax.Property{Formula: f, Source: to.Source}
	var traces []string
	for _, name := range names {
		// The content would distinguish models as well, but a mistake in it should be reported as one in
		// the right language.
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
	decide.Compare(s.run, in, traces, p, to, opts)
	return nil
}
