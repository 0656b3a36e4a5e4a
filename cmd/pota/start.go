package main

import (
	"cmp"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/start"
)

// demoCommand writes examples, so that guides work without a checkout of the repository.
func (s *session) demoCommand() *cli.Command {
	// It takes no limits: it writes a few files, and nothing else.
	return s.command("demo", 0, 1, nil, func(c *cli.Context) error {
		return start.Demo(s.run, cmp.Or(c.Args().First(), start.DemoFolder))
	})
}

// initCommand writes what a folder of logs needs to be decided on.
func (s *session) initCommand() *cli.Command {
	var force bool
	return s.command("init", 0, 1, append([]cli.Flag{
		toggle("force", &force),
	}, s.limitFlags(0)...), func(c *cli.Context) error {
		return start.Init(s.run, cmp.Or(c.Args().First(), "."), force)
	})
}
