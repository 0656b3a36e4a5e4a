package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/inspect"
	"github.com/pota-project/pota/cmd/pota/internal/load"
)

func (s *session) statsCommand() *cli.Command {
	return s.command("stats", 1, -1, slices.Concat([]cli.Flag{
		toggle("json", "print a JSON object a line for each trace"),
		toggle("names", "list the variables that formulas may name, and some of their values"),
	}, limitFlags(0), inputFlags()), s.stats)
}

func (s *session) stats(c *cli.Context) error {
	read := readOptions(c)
	return inspect.Stats(s.run, inspect.StatsOptions{
		Traces: c.Args().Slice(),
		Read:   read,
		Names:  c.Bool("names"),
		JSON:   c.Bool("json"),
	})
}

func (s *session) lintCommand() *cli.Command {
	return s.command("lint", 1, 2, slices.Concat(formulaFlags("look at"), []cli.Flag{
		toggle("json", "print a JSON object a line for each finding"),
	}, limitFlags(0), inputFlags()), s.lint)
}

func (s *session) lint(c *cli.Context) error {
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

func (s *session) classifyCommand() *cli.Command {
	return s.command("classify", 1, 2, slices.Concat([]cli.Flag{
		toggle("json", "print a JSON object"),
	}, limitFlags(0), inputFlags()), s.classify)
}

func (s *session) classify(c *cli.Context) error {
	read := readOptions(c)
	return inspect.Classify(s.run, inspect.ClassifyOptions{
		Formula: c.Args().First(),
		Trace:   c.Args().Get(1),
		Read:    read,
		JSON:    c.Bool("json"),
	})
}
