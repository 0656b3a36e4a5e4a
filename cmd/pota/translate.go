package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/export"
)

// translateCommand writes input for other model checkers, to compare verdicts with theirs.
func (s *session) translateCommand() *cli.Command {
	o := export.Translation{Language: export.Languages[0]}
	return s.command("translate", 2, 2, slices.Concat([]cli.Flag{
		text("to", &o.Language),
		// Who compares verdicts with another tool may not want slices in its input.
		toggle("no-slices", &o.NoSlices),
		text("output, o", &o.Output),
	}, limitFlags(0), inputFlags(&o.Read)), func(c *cli.Context) error {
		o.Formula = c.Args().First()
		o.Trace = c.Args().Get(1)
		return export.Translate(s.run, o)
	})
}
