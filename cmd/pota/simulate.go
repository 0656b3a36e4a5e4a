package main

import (
	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/export"
	"github.com/pota-project/pota/cmd/pota/internal/modelcheck"
)

// simulateCommand makes traces to try pota with, by running the model of a protocol. It lists the
// models, or runs one. The two are told apart by the argument.
func (s *session) simulateCommand() *cli.Command {
	// A fixed seed, so that two users who run an example see the same trace.
	o := export.Simulation{Model: modelcheck.Model{Seed: 1}, Events: 1000}
	var list bool
	return s.command("simulate", 0, 1, append([]cli.Flag{
		toggle("list", &list),
		number("processes, n", &o.Model.Processes),
		number("events", &o.Events),
		seedFlag(&o.Model.Seed),
		text("fault", &o.Model.Fault),
		// Both are lists to choose from, so no run is made then.
		toggle("properties", &o.Properties),
		toggle("faults", &o.Faults),
		text("output, o", &o.Output),
	}, limitFlags(0)...), func(c *cli.Context) error {
		switch {
		// Neither or both: the command would have to guess.
		case list != (c.NArg() == 0):
			return exit.Usagef("name either a model or --list")
		case list:
			return export.ListModels(s.run, o.Output)
		}
		o.Model.Name = c.Args().First()
		o.Model.Given = given(c, "processes", "fault", "properties", "faults")
		return export.Simulate(s.run, o)
	})
}
