package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/verify"
)

// verifyCommand checks certificates without the engines that made them.
func (s *session) verifyCommand() *cli.Command {
	var o verify.Options
	return s.command("verify", 2, -1, slices.Concat([]cli.Flag{
		toggle("json", &o.JSON),
		toggle("explain", &o.Explain),
	}, s.limitFlags(0), inputFlags(&o.Read)), func(c *cli.Context) error {
		o.File = c.Args().First()
		o.Traces = c.Args().Tail()
		// Unless the user sets a limit, a verdict that must be decided again gets little time and memory.
		o.Bounded = c.IsSet("timeout") || c.IsSet("max-memory")
		return verify.Certificates(s.run, o)
	})
}
