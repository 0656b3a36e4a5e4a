package main

import (
	"cmp"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/arguments"
	"github.com/pota-project/pota/cmd/pota/internal/budget"
	"github.com/pota-project/pota/cmd/pota/internal/files"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/cmd/pota/internal/version"
	"github.com/pota-project/pota/graphs/trace"
	"github.com/pota-project/pota/graphs/trace/format"
)

// inputFlags say how traces are read.
func inputFlags() []cli.Flag {
	return group("Reading traces",
		textOr("input", "auto"),
		text("map"),
		// A log that is damaged in places can be read without these lines, but never unknowingly.
		toggle("skip-lines"),
		text("regexp"),
		text("delimiter"),
		texts("assign"),
		// Else half a line at the end is a mistake: the event in it may be the one that matters.
		toggle("allow-truncated"),
		// A line is held in memory, and a file may be one line.
		textOr("max-line", "64MiB"),
		text("execution"),
		// What follows adds causality, so that fewer cuts are possible.
		text("order"),
		text("skew"),
		toggle("no-shared-clock"),
		text("clock-offset"),
		textOr("time-unit", "s"))
}

// readOptions returns what inputFlags say.
func readOptions(c *cli.Context) load.Options {
	return load.Options{
		Format: format.Options{
			// Only flags: what the command needs is added by package load.
			Options:       trace.Options{AllowTruncated: c.Bool("allow-truncated")},
			NoSharedClock: c.Bool("no-shared-clock"),
			Input:         c.String("input"),
			Map:           c.String("map"),
			SkipLines:     c.Bool("skip-lines"),
			Regexp:        c.String("regexp"),
			Delimiter:     c.String("delimiter"),
			Assign:        c.StringSlice("assign"),
		},
		MaxLine:   c.String("max-line"),
		Execution: c.String("execution"),
		Order:     c.String("order"),
		Skew:      c.String("skew"),
		Offset:    c.String("clock-offset"),
		TimeUnit:  c.String("time-unit"),
		// The default unit is no mistake where nothing has times.
		UnitGiven: c.IsSet("time-unit"),
		// Who wants no output wants no remarks on formats either.
		Silent: c.Bool("quiet"),
	}
}

// formulaFlags name properties.
func formulaFlags() []cli.Flag {
	return group("Formulas", text("properties, f"), texts("property, p"))
}

// formulasOf returns what formulaFlags say.
func formulasOf(c *cli.Context, texts ...string) load.Formulas {
	return load.Formulas{Texts: texts, File: c.String("properties"), Patterns: c.StringSlice("property")}
}

// named reports whether flags name properties, so that no argument is a formula.
func named(c *cli.Context) bool { return formulasOf(c).Named() }

// reportFlags say how verdicts are printed.
func reportFlags() []cli.Flag {
	return group("Output",
		textOr("format", present.Text),
		toggle("json"),
		toggle("quiet, q"),
		toggle("verbose, v"))
}

// reportOptions returns what reportFlags say.
func reportOptions(c *cli.Context) (present.Options, error) {
	o := present.Options{
		Format:  cmp.Or(c.String("format"), present.Text), // check has no such flag
		Witness: c.Bool("witness"),
		Verbose: c.Bool("verbose"),
		// Disagreement must not hide in a summary.
		All: c.Bool("verbose") || c.Bool("cross-check"),
		// Reports name the program that made them.
		Version: version.Name(),
	}
	return o, o.Choose(c.IsSet("format"), c.Bool("json"), c.Bool("quiet"))
}

// limitFlags bound what a command may take.
func limitFlags(timeout time.Duration) []cli.Flag {
	return group("Limits",
		periodOr("timeout", timeout),
		text("max-memory"))
}

// limitsOf returns what limitFlags say.
func limitsOf(c *cli.Context) (budget.Limits, error) {
	return budget.Parse(c.Duration("timeout"), c.String("max-memory"))
}

// outputFlag names the file of the results.
func outputFlag() cli.Flag {
	return text("output, o")
}

// checkTargets checks the files that flags name to be written, against inputs and the files that
// other flags name to be read.
func checkTargets(c *cli.Context, set *files.Set, inputs []string) error {
	// These flags name files to be read. A command that lacks one has "" for it.
	for _, flag := range []string{"properties", "map", "order", "traces-from", "spec"} {
		inputs = append(inputs, c.String(flag))
	}
	var targets []arguments.Target
	for _, flag := range []string{"output", "certificate", "trace", "draw"} {
		targets = append(targets, arguments.Target{Flag: flag, Path: c.String(flag)})
	}
	return arguments.CheckTargets(set, inputs, targets)
}

// lineOf returns the command line without flags.
func lineOf(c *cli.Context) arguments.Line {
	return arguments.Line{
		Command: c.Command.Name,
		Usage:   c.Command.ArgsUsage,
		Args:    c.Args().Slice(),
		Named:   named(c),
	}
}

// bindingFlag chooses what a formula about data is about.
func bindingFlag() cli.Flag {
	return texts("binding")
}
