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
	var o inspect.StatsOptions
	return s.command("stats", 1, -1, slices.Concat([]cli.Flag{
		toggle("json", &o.JSON),
		toggle("names", &o.Names),
	}, s.limitFlags(0), inputFlags(&o.Read)), func(c *cli.Context) error {
		o.Traces = c.Args().Slice()
		return inspect.Stats(s.run, o)
	})
}

// lintCommand searches a trace for legal but suspicious things. It refuses a second trace, which
// would be read as a formula.
func (s *session) lintCommand() *cli.Command {
	var o inspect.LintOptions
	return s.command("lint", 1, 2, slices.Concat(formulaFlags(&o.Formulas), []cli.Flag{
		toggle("json", &o.JSON),
	}, s.limitFlags(0), inputFlags(&o.Read)), func(c *cli.Context) error {
		// The command stats accepts several traces, so users may expect the same of lint.
		if text := c.Args().Get(1); text != "" && load.Exists(text) {
			return exit.Usagef("takes one trace, and then a formula, which %s is not", text)
		}
		o.Trace = c.Args().First()
		o.Formulas.Texts = c.Args().Tail()
		return inspect.Lint(s.run, o)
	})
}

// classifyCommand prints the fragment of a formula and explains how it would be decided. Without a
// trace, it prints no plan.
func (s *session) classifyCommand() *cli.Command {
	var o inspect.ClassifyOptions
	return s.command("classify", 1, 2, slices.Concat([]cli.Flag{
		toggle("json", &o.JSON),
		toggle("online", &o.Online),
	}, s.limitFlags(0), inputFlags(&o.Read)), func(c *cli.Context) error {
		o.Formula = c.Args().First()
		o.Trace = c.Args().Get(1)
		return inspect.Classify(s.run, o)
	})
}
