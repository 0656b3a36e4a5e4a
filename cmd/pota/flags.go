package main

import (
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/arguments"
	"github.com/pota-project/pota/cmd/pota/internal/files"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/cmd/pota/internal/version"
)

// inputFlags say how traces are read.
func inputFlags(read *load.Options) []cli.Flag {
	f := &read.Format
	f.Input = "auto"
	read.MaxLine = "64MiB"
	read.TimeUnit = "s"
	unit := text("time-unit", &read.TimeUnit)
	// The default unit is no mistake where nothing has times.
	unit.Action = func(*cli.Context, string) error { read.UnitGiven = true; return nil }
	return group("Reading traces",
		text("input", &f.Input),
		text("map", &f.Map),
		// A log that is damaged in places can be read without these lines, but never unknowingly.
		toggle("skip-lines", &f.SkipLines),
		text("regexp", &f.Regexp),
		text("delimiter", &f.Delimiter),
		texts("assign", &f.Assign),
		// Else half a line at the end is a mistake: the event in it may be the one that matters.
		toggle("allow-truncated", &f.AllowTruncated),
		// A line is held in memory, and a file may be one line.
		text("max-line", &read.MaxLine),
		text("execution", &read.Execution),
		// What follows adds causality, so that fewer cuts are possible.
		text("order", &read.Order),
		text("skew", &read.Skew),
		toggle("no-shared-clock", &f.NoSharedClock),
		text("clock-offset", &read.Offset),
		unit)
}

// formulaFlags name properties.
func formulaFlags(from *load.Formulas) []cli.Flag {
	return group("Formulas", text("properties, f", &from.File), texts("property, p", &from.Patterns))
}

// reportFlags say how verdicts are printed.
func reportFlags(o *present.Options) []cli.Flag {
	o.Format = present.Text
	o.Version = version.Name()
	return group("Output",
		text("format", &o.Format),
		toggle("json", &o.JSON),
		toggle("quiet, q", &o.Quiet),
		toggle("verbose, v", &o.Verbose))
}

// limitFlags bound what a command may take. Its default is stored where the command runs.
func (s *session) limitFlags(timeout time.Duration) []cli.Flag {
	return group("Limits",
		&cli.DurationFlag{Name: "timeout", Value: timeout, Destination: &s.timeout},
		text("max-memory", &s.memory))
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
	named := load.Formulas{File: c.String("properties"), Patterns: c.StringSlice("property")}
	return arguments.Line{
		Command: c.Command.Name,
		Usage:   c.Command.ArgsUsage,
		Args:    c.Args().Slice(),
		Named:   named.Named(),
	}
}
