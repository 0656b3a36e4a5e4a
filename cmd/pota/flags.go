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

// inputFlags returns the flags for reading traces.
func inputFlags(read *load.Options) []cli.Flag {
	f := &read.Format
	f.Input = "auto"
	read.MaxLine = "64MiB"
	read.TimeUnit = "s"
	unit := text("time-unit", &read.TimeUnit)
	// A unit is a mistake if the trace has no times, but only if the user gave it.
	unit.Action = func(*cli.Context, string) error { read.UnitGiven = true; return nil }
	return group("Reading traces",
		text("input", &f.Input),
		text("map", &f.Map),
		// A partly damaged log can be read without the damaged lines, but only if the user asks.
		toggle("skip-lines", &f.SkipLines),
		text("regexp", &f.Regexp),
		text("delimiter", &f.Delimiter),
		texts("assign", &f.Assign),
		// Without this flag, an incomplete last line is a mistake: its event may be the decisive one.
		toggle("allow-truncated", &f.AllowTruncated),
		// A line is held in memory, and a file may be one line.
		text("max-line", &read.MaxLine),
		text("execution", &read.Execution),
		// The flags below add causality, so that fewer cuts are possible.
		text("order", &read.Order),
		text("skew", &read.Skew),
		toggle("no-shared-clock", &f.NoSharedClock),
		text("clock-offset", &read.Offset),
		unit)
}

// formulaFlags returns the flags that name properties.
func formulaFlags(from *load.Formulas) []cli.Flag {
	return group("Formulas", text("properties, f", &from.File), texts("property, p", &from.Patterns))
}

// reportFlags returns the flags for printing verdicts.
func reportFlags(o *present.Options) []cli.Flag {
	o.Format = present.Text
	o.Version = version.Name()
	return group("Output",
		text("format", &o.Format),
		toggle("json", &o.JSON),
		toggle("quiet, q", &o.Quiet),
		toggle("verbose, v", &o.Verbose))
}

// limitFlags returns the flags that bound the time and the memory of a command. Timeout is the
// default time limit.
func (s *session) limitFlags(timeout time.Duration) []cli.Flag {
	return group("Limits",
		&cli.DurationFlag{Name: "timeout", Value: timeout, Destination: &s.timeout},
		text("max-memory", &s.memory))
}

// checkTargets checks the output files that flags name against the inputs, including the input
// files that other flags name.
func checkTargets(c *cli.Context, set *files.Set, inputs []string) error {
	// These flags name input files. The value is "" if the command lacks the flag.
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

// The functions below make flags of the library. The names of a flag are its long one and perhaps a
// short one, such as "output, o". The flag stores its value in a variable, whose initial value is
// the default. The help texts of flags are in package help.

// text makes a flag with a text value.
func text(names string, to *string) *cli.StringFlag {
	name, aliases := namesOf(names)
	return &cli.StringFlag{Name: name, Aliases: aliases, Value: *to, Destination: to}
}

// texts makes a flag that may be repeated.
func texts(names string, to *[]string) *cli.StringSliceFlag {
	name, aliases := namesOf(names)
	// The library would store a type of its own.
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

// namesOf splits the names of a flag into the long one and the others.
func namesOf(names string) (string, []string) {
	all := strings.Split(names, ", ")
	return all[0], all[1:]
}

// group assigns flags to a heading in the help.
func group(heading string, flags ...cli.Flag) []cli.Flag {
	for _, flag := range flags {
		category, _ := textsOf(flag)
		*category = heading
	}
	return flags
}

// textsOf returns pointers to the heading and the help text of a flag. All flag types have these
// fields, but the library has no interface to set them.
func textsOf(flag cli.Flag) (category, usage *string) {
	field := func(name string) *string {
		return reflect.ValueOf(flag).Elem().FieldByName(name).Addr().Interface().(*string)
	}
	return field("Category"), field("Usage")
}
