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

// checkCommand decides formulas on all executions of a program, rather than on those of a trace.
func (s *session) checkCommand() *cli.Command {
	model := modelcheck.Model{Rounds: 1, Seed: 1}
	opts := modelcheck.Options{Engine: modelcheck.Crucial}
	var from load.Formulas
	var printed present.Options
	return s.command("check", 1, 2, slices.Concat([]cli.Flag{
		// Patterns are about traces, so there is no --property.
		formulaFlags(&from)[0],
		text("engine", &opts.Engine),
		toggle("cross-check", &opts.CrossCheck),
		// The trail is an ordinary trace, so that other commands can read it.
		text("trace", &opts.TrailFile),
		// These flags do not apply to a model in Promela, which states all of this itself.
		number("processes, n", &model.Processes),
		number("rounds", &model.Rounds),
		text("fault", &model.Fault),
		seedFlag(&model.Seed),
		toggle("witness, w", &printed.Witness),
		// The other formats are about traces, so there is no --format.
	}, reportFlags(&printed)[1:], s.limitFlags(0)), func(c *cli.Context) error {
		model.Name = c.Args().First()
		model.Given = given(c, "processes", "rounds", "fault", "seed")
		from.Texts = c.Args().Tail()
		return s.check(c, model, from, printed, opts)
	})
}

// seedFlag makes the flag for the seed of random choices.
func seedFlag(to *uint64) cli.Flag {
	return &cli.Uint64Flag{Name: "seed", Value: *to, Destination: to}
}

// given returns the flags that are set.
func given(c *cli.Context, flags ...string) []string {
	return slices.DeleteFunc(flags, func(flag string) bool { return !c.IsSet(flag) })
}

// check checks the flags, reads the properties and passes both to package modelcheck.
func (s *session) check(c *cli.Context, model modelcheck.Model, from load.Formulas, printed present.Options, opts modelcheck.Options) error {
	switch {
	// One of the two would be ignored.
	case from.Named() && len(from.Texts) > 0:
		return exit.Usagef("-f names the formulas, so %s is too many", arguments.Quote(from.Texts[0]))
	case !from.Named() && len(from.Texts) == 0:
		return exit.Usagef("missing argument: there is a model but no formula after it: pota check [flags] %s", c.Command.ArgsUsage)
	// Report a wrong name before compiling the model.
	case !slices.Contains(modelcheck.Engines, opts.Engine):
		return exit.Unknown("engine", opts.Engine, modelcheck.Engines...)
	}
	var err error
	if printed.Properties, err = load.Properties(s.run, from); err != nil {
		return err
	}
	if err := printed.Choose(false); err != nil {
		return err
	}
	printed.All = true // there is one program, so there is nothing to sum up
	// Trails use memory for each visited state.
	opts.Trails = printed.NeedsEvidence(s.run.Console.Terminal)
	p := present.New(s.run, s.run.Console, printed)
	// The report is closed even if the model cannot be read, since the error belongs in it.
	defer p.Close()
	return modelcheck.Check(s.run, model, printed.Properties, p, opts)
}
