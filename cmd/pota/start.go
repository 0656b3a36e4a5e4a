package main

import (
	"cmp"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/start"
)

// demoCommand writes examples, so that guides work without a checkout of the repository.
func (s *session) demoCommand() *cli.Command {
	// There are no limit flags, since it only writes a few files.
	return s.command("demo", 0, 1, nil, func(c *cli.Context) error {
		return start.Demo(s.run, cmp.Or(c.Args().First(), start.DemoFolder))
	})
}

// initCommand writes the files that a folder of logs needs before properties can be decided on it.
func (s *session) initCommand() *cli.Command {
	var force bool
	return s.command("init", 0, 1, append([]cli.Flag{
		toggle("force", &force),
	}, s.limitFlags(0)...), func(c *cli.Context) error {
		return start.Init(s.run, cmp.Or(c.Args().First(), "."), force)
	})
}
