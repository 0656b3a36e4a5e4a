package main

import (
	"reflect"
	"strings"
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

// The functions below make flags of the library, a line each. The names of a flag are its long one
// and perhaps a short one, such as "output, o". The flag stores its value in a variable, whose old
// value is the default. The help texts of flags are in package help.

// text makes a flag with a text.
func text(names string, to *string) *cli.StringFlag {
	name, aliases := namesOf(names)
	return &cli.StringFlag{Name: name, Aliases: aliases, Value: *to, Destination: to}
}

// texts makes a flag that may be repeated.
func texts(names string, to *[]string) *cli.StringSliceFlag {
	name, aliases := namesOf(names)
	// The library stores a type of its own.
	store := func(_ *cli.Context, all []string) error { *to = all; return nil }
	return &cli.StringSliceFlag{Name: name, Aliases: aliases, Action: store}
}

// toggle makes a flag without a value.
func toggle(names string, to *bool) *cli.BoolFlag {
	name, aliases := namesOf(names)
	return &cli.BoolFlag{Name: name, Aliases: aliases, Destination: to}
}

// number makes a flag with a whole number.
func number(names string, to *int) *cli.IntFlag {
	name, aliases := namesOf(names)
	return &cli.IntFlag{Name: name, Aliases: aliases, Value: *to, Destination: to}
}

// period makes a flag with a duration.
func period(name string, to *time.Duration) *cli.DurationFlag {
	return &cli.DurationFlag{Name: name, Value: *to, Destination: to}
}

// namesOf divides the names of a flag into the long one and the others.
func namesOf(names string) (string, []string) {
	all := strings.Split(names, ", ")
	return all[0], all[1:]
}

// group puts flags under a heading of the help.
func group(heading string, flags ...cli.Flag) []cli.Flag {
	for _, flag := range flags {
		category, _ := textsOf(flag)
		*category = heading
	}
	return flags
}

// textsOf returns the heading and the text of a flag in the help. All types of flags have these
// fields, and the library has no interface to set them.
func textsOf(flag cli.Flag) (category, usage *string) {
	field := func(name string) *string {
		return reflect.ValueOf(flag).Elem().FieldByName(name).Addr().Interface().(*string)
	}
	return field("Category"), field("Usage")
}
