package main

import (
	"cmp"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/export"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/modelcheck"
)

// convertCommand writes the native format, which is the fastest to read. It calls --input --from,
// as users of converters expect.
func (s *session) convertCommand() *cli.Command {
	var read load.Options
	var from, output string
	var binding []string
	return s.command("convert", 1, 2, slices.Concat([]cli.Flag{
		text("from", &from),
		texts("binding", &binding),
		text("output, o", &output),
	}, s.limitFlags(0), inputFlags(&read)), func(c *cli.Context) error {
		read.Format.Input = cmp.Or(from, read.Format.Input)
		only, err := load.Choices(binding)
		if err != nil {
			return err
		}
		return export.Convert(s.run, c.Args().First(), read, second(c), only, output)
	})
}

// formatsCommand lists the values of --input and --map.
func (s *session) formatsCommand() *cli.Command {
	return s.command("formats", 0, 0, nil, func(*cli.Context) error {
		export.Formats(s.run.Console.Out)
		return nil
	})
}

// mapCommand prints a mapping as a starting point for a new one.
func (s *session) mapCommand() *cli.Command {
	var guess bool
	var output string
	return s.command("map", 1, 1, append([]cli.Flag{
		toggle("guess", &guess),
		text("output, o", &output),
	}, s.limitFlags(0)...), func(c *cli.Context) error {
		return export.Mapping(s.run, c.Args().First(), guess, output)
	})
}

// translateCommand writes input for other model checkers, to compare verdicts with theirs.
func (s *session) translateCommand() *cli.Command {
	o := export.Translation{Language: export.Languages[0]}
	return s.command("translate", 2, 2, slices.Concat([]cli.Flag{
		text("to", &o.Language),
		// Users who compare verdicts with another tool may not want slices in its input.
		toggle("no-slices", &o.NoSlices),
		text("output, o", &o.Output),
	}, s.limitFlags(0), inputFlags(&o.Read)), func(c *cli.Context) error {
		o.Formula = c.Args().First()
		o.Trace = c.Args().Get(1)
		return export.Translate(s.run, o)
	})
}

// simulateCommand makes traces for experiments by running the model of a protocol, or lists the
// models.
func (s *session) simulateCommand() *cli.Command {
	// The default seed is fixed, so that all users of an example see the same trace.
	o := export.Simulation{Model: modelcheck.Model{Seed: 1}, Events: 1000}
	var list bool
	return s.command("simulate", 0, 1, append([]cli.Flag{
		toggle("list", &list),
		number("processes, n", &o.Model.Processes),
		number("events", &o.Events),
		seedFlag(&o.Model.Seed),
		text("fault", &o.Model.Fault),
		// Both print a list to choose from, without a run.
		toggle("properties", &o.Properties),
		toggle("faults", &o.Faults),
		text("output, o", &o.Output),
	}, s.limitFlags(0)...), func(c *cli.Context) error {
		switch {
		// With neither or both, the command would have to guess.
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
