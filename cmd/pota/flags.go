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
		textOr("input", "auto",
			"`FORMAT` of the traces (pota formats lists them); auto looks at the content"),
		text("map",
			"read logs as `MAPPING` says, a file or one that pota formats lists (pota help "+
				"mappings)"),
		toggle("skip-lines", "skip the lines of a log that do not fit its mapping, and count them"),
		text("regexp",
			"ShiViz: parse the log with `REGEXP`, which has the groups clock, host and event; "+
				"further groups become variables"),
		text("delimiter",
			"ShiViz: split the log into executions where `REGEXP` matches; a group trace names "+
				"them"),
		texts("assign",
			"ShiViz: assign the named groups of `REGEXP` where it matches an event's text (may "+
				"be repeated)"),
		toggle("allow-truncated", "read the log of a killed program up to its last complete line"),
		textOr("max-line", "64MiB",
			"refuse a line of more than `SIZE`, at most 1GiB, or a string in JSON documents"),
		text("execution",
			"of a file with several executions, take only `NAME`, or the one of that number"),
		text("order",
			"add the causality in `FILE`, a JSON object a line: {\"edge\":[\"e1\",\"f1\"]} "+
				"orders events, {\"by\":\"revision\"} those that assign a variable, by its value "+
				"(pota help traces)"),
		text("skew",
			"assume that clocks agree within `TIME`, such as 5ms: of events whose times differ "+
				"by more, the earlier happened first"),
		toggle("no-shared-clock",
			"spans: do not order the events of one host or service by its clock"),
		text("clock-offset",
			"assume that each clock is off by a constant, at most `TIME`, or by what messages "+
				"allow: auto"),
		textOr("time-unit", "s", "times that are numbers count `UNIT`: s, ms, us or ns"))
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

// formulaFlags name properties. Verb begins their help, such as "decide".
func formulaFlags(verb string) []cli.Flag {
	return group("Formulas",
		text("properties, f", verb+" the formulas of `FILE`, one `name: formula` a line"),
		texts("property, p",
			verb+" a `PATTERN` such as mutex:cs (pota help formulas lists them), or only the "+
				"property of that name in the file of -f, or define something that formulas use; "+
				"may be repeated"))
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
		textOr("format", present.Text,
			"print `FORMAT`: text, json (an object a line), junit, sarif, github (annotations), "+
				"markdown, or html (pota help ci)"),
		toggle("json",
			"print a JSON object a line for each formula and trace, as --format json does"),
		toggle("quiet, q", "print nothing: the exit status is the answer"),
		toggle("verbose, v",
			"name engine and fragment; of many traces, list all verdicts, not only those that "+
				"do not hold"))
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
		periodOr("timeout", timeout,
			"give up after `TIME`, such as 30s: what is not done then is unknown"),
		text("max-memory",
			"give up when more memory than `SIZE` is needed (default: most of what the machine "+
				"or the container has)"))
}

// limitsOf returns what limitFlags say.
func limitsOf(c *cli.Context) (budget.Limits, error) {
	return budget.Parse(c.Duration("timeout"), c.String("max-memory"))
}

// outputFlag names the file of the results.
func outputFlag() cli.Flag {
	return text("output, o",
		"write to `FILE` instead of standard output; until all is written, FILE stays as it was")
}

// checkTargets checks the files that flags name to be written, against inputs and the files that
// other flags name to be read.
func checkTargets(c *cli.Context, set *files.Set, inputs []string) error {
	// These flags name files to be read. A command that lacks one has "" for it.
	for _, flag := range []string{"properties", "map", "order", "traces-from"} {
		inputs = append(inputs, c.String(flag))
	}
	var targets []arguments.Target
	for _, flag := range []string{"output", "certificate", "trace"} {
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
	return texts("binding", "of a formula about data, look only where `NAME=VALUE`, such as r=r17")
}
