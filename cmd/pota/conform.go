package main

import (
	"cmp"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/conform"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
)

// conformCommand compares traces with a sequence diagram.
func (s *session) conformCommand() *cli.Command {
	var o conform.Options
	compare := &o.Compare
	return s.command("conform", 1, -1, slices.Concat([]cli.Flag{
		text("spec", &o.Spec),
		text("each", &compare.Each),
		text("draw", &o.Draw),
		text("view", &o.View),
		toggle("prefix", &compare.Prefix),
		toggle("strict", &compare.Strict),
		toggle("vertical", &compare.Vertical),
		number("values", &compare.First),
		text("output, o", &o.Output),
	}, reportFlags(&o.Report), s.limitFlags(0), inputFlags(&o.Read)), func(c *cli.Context) error {
		o.Traces = c.Args().Slice()
		o.Read.Silent = o.Report.Quiet
		compare.First = cmp.Or(compare.First, 3)
		if o.Spec == "" {
			return exit.Usagef("--spec names the diagram, which is missing: pota conform --spec flow.mmd TRACE")
		}
		if err := o.Report.Choose(c.IsSet("format")); err != nil {
			return err
		}
		return conform.Run(s.run, o)
	})
}
