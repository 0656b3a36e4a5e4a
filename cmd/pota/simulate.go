package main

import (
	"github.com/pota-project/pota/cmd/pota/internal/command"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/export"
)

// simulateCommand makes traces to try pota with, by running the model of a protocol.
func (s *session) simulateCommand() *command.Command {
	return s.command("simulate", 0, 1, append([]*command.Flag{
		toggle("list"),
		number("processes, n"),
		numberOr("events", 1000),
		// A fixed default, so that two users who run an example see the same trace.
		command.New("seed", uint64(1)),
		text("fault"),
		// Both are lists to choose from, so no run is made then.
		toggle("properties"),
		toggle("faults"),
		outputFlag(),
	}, limitFlags(0)...), s.simulate)
}

// simulate lists the models, or runs one. The two are told apart by the argument.
func (s *session) simulate(c *command.Context) error {
	switch {
	// Neither or both: the command would have to guess.
	case c.Bool("list") != (len(c.Args()) == 0):
		return exit.Usagef("name either a model or --list")
	case c.Bool("list"):
		return export.ListModels(s.run, c.String("output"))
	}
	return export.Simulate(s.run, export.Simulation{
		Model:      modelOf(c),
		Events:     c.Int("events"),
		Output:     c.String("output"),
		Properties: c.Bool("properties"),
		Faults:     c.Bool("faults"),
		Given:      given(c, "processes", "fault", "properties", "faults"),
	})
}
