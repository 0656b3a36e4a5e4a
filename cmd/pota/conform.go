package main

import (
	"cmp"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/conform"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	diagram "github.com/pota-project/pota/rctl/conform"
)

// conformCommand compares traces with a sequence diagram.
func (s *session) conformCommand() *cli.Command {
	return s.command("conform", 1, -1, slices.Concat([]cli.Flag{
		text("spec"), text("each"), text("draw"), text("view"), toggle("prefix"), toggle("strict"), toggle("vertical"), number("values"), outputFlag(),
	}, reportFlags(), limitFlags(0), inputFlags()), s.conform)
}

// conform hands the flags to package conform.
func (s *session) conform(c *cli.Context) (err error) {
	o := conform.Options{
		Spec:   c.String("spec"),
		Traces: c.Args().Slice(),
		Compare: diagram.Options{
			Each:     c.String("each"),
			Prefix:   c.Bool("prefix"),
			Strict:   c.Bool("strict"),
			Vertical: c.Bool("vertical"),
			First:    cmp.Or(c.Int("values"), 3),
		},
		Read:   readOptions(c),
		Output: c.String("output"),
		Draw:   c.String("draw"),
		View:   c.String("view"),
	}
	if o.Spec == "" {
		return exit.Usagef("--spec names the diagram, which is missing: pota conform --spec flow.mmd TRACE")
	}
	if o.Report, err = reportOptions(c); err != nil {
		return err
	}
	return conform.Run(s.run, o)
}
