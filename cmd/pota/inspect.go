package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/inspect"
	"github.com/pota-project/pota/cmd/pota/internal/load"
)

func (s *session) statsCommand() *cli.Command {
	return s.command(1, -1, cli.Command{
		Name:      "stats",
		Usage:     "count processes, events, messages, causal edges and consistent cuts",
		ArgsUsage: "TRACE...",
		Description: "   pota stats run.jsonl logs/ chord.log\n" +
			"   pota slice --format json 'EF(cs@P1 && cs@P2)' run.jsonl | pota stats --json -",
		Flags: slices.Concat([]cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print a JSON object a line for each trace"},
			&cli.BoolFlag{Name: "names", Usage: "list the variables that formulas may name, and some of their values"},
		}, limitFlags(0), inputFlags()),
		Action: s.stats,
	})
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
	return s.command(1, 2, cli.Command{
		Name:      "lint",
		Usage:     "point out what is legal in a trace, or a formula, and yet suspicious",
		ArgsUsage: "TRACE [FORMULA]",
		Description: "Exit status: 0 nothing is suspicious, 1 something is, 2 bad usage or input,\n" +
			"3 a formula is undecided.\n\n" +
			"   pota lint run.jsonl\n" +
			"   pota lint run.jsonl 'AG(req@A -> AF ack@A)'\n" +
			"   pota lint -f properties.txt --json run.jsonl",
		Flags: slices.Concat(formulaFlags("look at"), []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print a JSON object a line for each finding"},
		}, limitFlags(0), inputFlags()),
		Action: s.lint,
	})
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
	return s.command(1, 2, cli.Command{
		Name:      "classify",
		Usage:     "say which fragment of CTL a formula is in and how it will be decided",
		ArgsUsage: "FORMULA [TRACE]",
		Description: "   pota classify 'AG(EF(reset@P1 && reset@P2))'\n" +
			"   pota classify 'AG(x@A + y@B <= 3)' run.jsonl",
		Flags: slices.Concat([]cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print a JSON object"},
		}, limitFlags(0), inputFlags()),
		Action: s.classify,
	})
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
