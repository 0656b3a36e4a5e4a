package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/infer"
	lines "github.com/pota-project/pota/rctl/infer"
)

// inferCommand finds properties in runs.
func (s *session) inferCommand() *cli.Command {
	return s.command("infer", 1, -1, slices.Concat([]cli.Flag{
		texts("bad"),
		text("templates"),
		numberOr("limit", 10),
		toggle("witness"),
		toggle("json"),
		outputFlag(),
	}, limitFlags(0), inputFlags()), s.infer)
}

// infer hands the flags to package infer.
func (s *session) infer(c *cli.Context) error {
	return infer.Infer(s.run, infer.Request{
		Good:    c.Args().Slice(),
		Bad:     c.StringSlice("bad"),
		Read:    readOptions(c),
		Output:  c.String("output"),
		JSON:    c.Bool("json"),
		Witness: c.Bool("witness"),

		Templates: c.String("templates"),
		Infer:     lines.Options{Lines: c.Int("limit")},
	})
}
