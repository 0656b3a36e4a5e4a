package main

import (
	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/export"
)

// simulateCommand makes traces to try pota with, by running the model of a protocol.
func (s *session) simulateCommand() *cli.Command {
	return s.command("simulate", 0, 1, append([]cli.Flag{
		toggle("list"),
		number("processes, n"),
		numberOr("events", 1000),
		// A fixed default, so that two users who run an example see the same trace.
		&cli.Uint64Flag{Name: "seed", Value: 1},
		text("fault"),
		// Both are lists to choose from, so no run is made then.
		toggle("properties"),
		toggle("faults"),
		outputFlag(),
	}, limitFlags(0)...), s.simulate)
}

// simulate lists the models, or runs one. The two are told apart by the argument.
func (s *session) simulate(c *cli.Context) error {
	switch {
	// Neither or both: the command would have to guess.
	case c.Bool("list") != (c.NArg() == 0):
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
