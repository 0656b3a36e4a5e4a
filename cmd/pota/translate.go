package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/export"
)

// translateCommand writes input for other model checkers, to compare verdicts with theirs.
func (s *session) translateCommand() *cli.Command {
	return s.command("translate", 2, 2, slices.Concat([]cli.Flag{
		textOr("to", export.Languages[0]),
		// Who compares verdicts with another tool may not want slices in its input.
		toggle("no-slices"),
		outputFlag(),
	}, limitFlags(0), inputFlags()), s.translate)
}

// translate hands the flags to package export.
func (s *session) translate(c *cli.Context) error {
	return export.Translate(s.run, export.Translation{
		Language: c.String("to"),
		Formula:  c.Args().First(),
		Trace:    c.Args().Get(1),
		Read:     readOptions(c),
		NoSlices: c.Bool("no-slices"),
		Output:   c.String("output"),
	})
}
