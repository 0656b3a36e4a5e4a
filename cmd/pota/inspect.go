package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/inspect"
	"github.com/pota-project/pota/cmd/pota/internal/load"
)

// statsCommand counts events, messages and cuts of traces.
func (s *session) statsCommand() *cli.Command {
	return s.command("stats", 1, -1, slices.Concat([]cli.Flag{
		toggle("json"),
		toggle("names"),
	}, limitFlags(0), inputFlags()), s.stats)
}

// stats hands the flags to package inspect.
func (s *session) stats(c *cli.Context) error {
	return inspect.Stats(s.run, inspect.StatsOptions{
		Traces: c.Args().Slice(),
		Read:   readOptions(c),
		Names:  c.Bool("names"),
		JSON:   c.Bool("json"),
	})
}

// lintCommand looks for legal but suspicious things.
func (s *session) lintCommand() *cli.Command {
	return s.command("lint", 1, 2, slices.Concat(formulaFlags(), []cli.Flag{
		toggle("json"),
	}, limitFlags(0), inputFlags()), s.lint)
}

// lint refuses a second trace: it would be read as a formula.
func (s *session) lint(c *cli.Context) error {
	// Stats takes several traces, so users expect it of lint.
	if text := c.Args().Get(1); text != "" && load.Exists(text) {
		return exit.Usagef("takes one trace, and then a formula, which %s is not", text)
	}
	read := readOptions(c)
	read.UnitGiven = false // times are looked at with or without --skew
	return inspect.Lint(s.run, inspect.LintOptions{
		Trace:    c.Args().First(),
		Read:     read,
		Formulas: formulasOf(c, c.Args().Tail()...),
		JSON:     c.Bool("json"),
	})
}

// classifyCommand names the fragment of a formula and explains how it would be decided.
func (s *session) classifyCommand() *cli.Command {
	return s.command("classify", 1, 2, slices.Concat([]cli.Flag{
		toggle("json"),
		toggle("online"),
	}, limitFlags(0), inputFlags()), s.classify)
}

// classify hands the flags to package inspect. Without a trace there is no plan.
func (s *session) classify(c *cli.Context) error {
	return inspect.Classify(s.run, inspect.ClassifyOptions{
		Formula: c.Args().First(),
		Trace:   c.Args().Get(1),
		Read:    readOptions(c),
		JSON:    c.Bool("json"),
		Online:  c.Bool("online"),
	})
}
