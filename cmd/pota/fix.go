package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/fix"
)

// fixCommand finds the orders that a trace lacks.
func (s *session) fixCommand() *cli.Command {
	return s.command("fix", 1, 2, slices.Concat(formulaFlags(), []cli.Flag{
		toggle("any-order"),
		toggle("json"),
		text("draw"),
		outputFlag(),
	}, limitFlags(0), inputFlags()), s.fix)
}

// fix hands the flags to package fix. The formula comes first, as for detect, where no flag names
// it.
func (s *session) fix(c *cli.Context) error {
	args := c.Args().Slice()
	formulas := 1
	if named(c) {
		formulas = 0
	}
	if err := lineOf(c).Check(formulas+1, formulas+1); err != nil {
		return err
	}
	return fix.Run(s.run, fix.Options{
		Trace:    args[formulas],
		Formulas: formulasOf(c, args[:formulas]...),
		Read:     readOptions(c),
		AnyOrder: c.Bool("any-order"),
		Output:   c.String("output"),
		Draw:     c.String("draw"),
		JSON:     c.Bool("json"),
	})
}
