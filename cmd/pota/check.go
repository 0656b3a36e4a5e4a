package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/arguments"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/modelcheck"
	"github.com/pota-project/pota/cmd/pota/internal/present"
)

// checkCommand decides formulas on all executions of a program, rather than those of a trace.
func (s *session) checkCommand() *cli.Command {
	return s.command("check", 1, 2, slices.Concat([]cli.Flag{
		// Patterns speak of traces, so there is no --property.
		formulaFlags()[0],
		textOr("engine", modelcheck.Crucial),
		toggle("cross-check"),
		// The trail is a trace like any other, so that other commands can look at it.
		text("trace"),
		// A model in Promela says all this itself.
		number("processes, n"),
		numberOr("rounds", 1),
		text("fault"),
		&cli.Uint64Flag{Name: "seed", Value: 1},
		toggle("json"),
		toggle("quiet, q"),
		toggle("witness, w"),
		toggle("verbose, v"),
	}, limitFlags(0)), s.check)
}

// modelOf returns the program that the flags of check and simulate describe.
func modelOf(c *cli.Context) modelcheck.Model {
	return modelcheck.Model{
		Name:      c.Args().First(),
		Processes: c.Int("processes"),
		Rounds:    c.Int("rounds"),
		Fault:     c.String("fault"),
		Seed:      c.Uint64("seed"),
		Given:     given(c, "processes", "rounds", "fault", "seed"),
	}
}

// given returns those of some flags that are set.
func given(c *cli.Context, flags ...string) []string {
	return slices.DeleteFunc(flags, func(flag string) bool { return !c.IsSet(flag) })
}

// check checks the flags, reads the properties and hands both to package modelcheck.
func (s *session) check(c *cli.Context) error {
	formulas := c.Args().Tail()
	opts := modelcheck.Options{
		Engine:     c.String("engine"),
		CrossCheck: c.Bool("cross-check"),
		TrailFile:  c.String("trace"),
	}
	switch {
	// One of the two would be ignored.
	case named(c) && len(formulas) > 0:
		return exit.Usagef("-f names the formulas, so %s is too many", arguments.Quote(formulas[0]))
	case !named(c) && len(formulas) == 0:
		return exit.Usagef("missing argument: there is a model but no formula after it: pota check [flags] %s", c.Command.ArgsUsage)
	// A wrong name is found before the model is compiled.
	case !slices.Contains(modelcheck.Engines, opts.Engine):
		return exit.Unknown("engine", opts.Engine, modelcheck.Engines...)
	}
	properties, err := load.Properties(s.run, formulasOf(c, formulas...))
	if err != nil {
		return err
	}

	printed, err := reportOptions(c)
	if err != nil {
		return err
	}
	printed.All = true // there is one program, so there is nothing to sum up
	printed.Properties = properties
	// Trails take memory for each state that is visited.
	opts.Trails = printed.NeedsEvidence(s.run.Console.Terminal)
	p := present.New(s.run, s.run.Console, printed)
	// The report is closed even if the model cannot be read: the error belongs in it.
	defer p.Close()
	return modelcheck.Check(s.run, modelOf(c), properties, p, opts)
}
