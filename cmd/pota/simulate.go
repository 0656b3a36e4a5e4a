package main

import (
	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/export"
)

// simulateCommand makes traces to try pota with, by running the model of a protocol.
func (s *session) simulateCommand() *cli.Command {
	return s.command("simulate", 0, 1, append([]cli.Flag{
		toggle("list", "print the models, one a line"),
		number("processes, n", "run with `N` processes (default: as few as the model has)"),
		numberOr("events", 1000, "begin nothing new after about `N` events"),
		// A fixed default, so that two users who run an example see the same trace.
		&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "start the random numbers from `N`"},
		text("fault", "break the protocol by the fault `NAME` (--faults lists them)"),
		toggle("properties", "print the properties of the model, as detect -f takes them"),
		toggle("faults", "print the faults of the model, each with the property that it breaks"),
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
