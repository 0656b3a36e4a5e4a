package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/infer"
	lines "github.com/pota-project/pota/rctl/infer"
)

// inferCommand finds properties in runs.
func (s *session) inferCommand() *cli.Command {
	q := infer.Request{Infer: lines.Options{Lines: 10}}
	return s.command("infer", 1, -1, slices.Concat([]cli.Flag{
		texts("bad", &q.Bad),
		text("templates", &q.Templates),
		number("limit", &q.Infer.Lines),
		toggle("witness", &q.Witness),
		toggle("json", &q.JSON),
		text("output, o", &q.Output),
	}, s.limitFlags(0), inputFlags(&q.Read)), func(c *cli.Context) error {
		q.Good = c.Args().Slice()
		return infer.Infer(s.run, q)
	})
}
