package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/fix"
)

// fixCommand finds the orders that a trace lacks. Unless a flag names the formula, it comes first,
// as for detect.
func (s *session) fixCommand() *cli.Command {
	var o fix.Options
	return s.command("fix", 1, 2, slices.Concat(formulaFlags(&o.Formulas), []cli.Flag{
		toggle("any-order", &o.AnyOrder),
		toggle("json", &o.JSON),
		text("draw", &o.Draw),
		text("output, o", &o.Output),
	}, s.limitFlags(0), inputFlags(&o.Read)), func(c *cli.Context) error {
		formulas := 1
		if o.Formulas.Named() {
			formulas = 0
		}
		if err := lineOf(c).Check(formulas+1, formulas+1); err != nil {
			return err
		}
		o.Formulas.Texts = c.Args().Slice()[:formulas]
		o.Trace = c.Args().Get(formulas)
		return fix.Run(s.run, o)
	})
}
