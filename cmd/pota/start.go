package main

import (
	"cmp"

	"github.com/pota-project/pota/cmd/pota/internal/command"
	"github.com/pota-project/pota/cmd/pota/internal/start"
)

// demoCommand writes examples, so that guides work without a checkout of the repository.
func (s *session) demoCommand() *command.Command {
	// It takes no limits: it writes a few files, and nothing else.
	return s.command("demo", 0, 1, nil, func(c *command.Context) error {
		return start.Demo(s.run, cmp.Or(c.Args().First(), start.DemoFolder))
	})
}

// initCommand writes what a folder of logs needs to be decided on.
func (s *session) initCommand() *command.Command {
	return s.command("init", 0, 1, append([]*command.Flag{
		toggle("force"),
	}, limitFlags(0)...), func(c *command.Context) error {
		return start.Init(s.run, cmp.Or(c.Args().First(), "."), c.Bool("force"))
	})
}
