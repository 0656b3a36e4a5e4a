package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/verify"
)

// verifyCommand checks certificates without the engines that made them.
func (s *session) verifyCommand() *cli.Command {
	return s.command("verify", 2, -1, slices.Concat([]cli.Flag{
		toggle("json"),
		toggle("explain"),
	}, limitFlags(0), inputFlags()), s.verify)
}

// verify hands the flags to package verify.
func (s *session) verify(c *cli.Context) error {
	return verify.Certificates(s.run, verify.Options{
		File:    c.Args().First(),
		Traces:  c.Args().Tail(),
		Read:    readOptions(c),
		JSON:    c.Bool("json"),
		Explain: c.Bool("explain"),
		// Without a limit a verdict that must be decided again gets little time and memory.
		Bounded: c.IsSet("timeout") || c.IsSet("max-memory"),
	})
}
