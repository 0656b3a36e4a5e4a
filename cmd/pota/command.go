package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pota-project/pota/cmd/pota/internal/arguments"
	"github.com/pota-project/pota/cmd/pota/internal/command"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/help"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/cmd/pota/internal/version"
	"github.com/pota-project/pota/rctl/syntax"
)

// command returns a command with the texts of its name. It takes so many arguments, any number
// where maxArgs is negative, and is bounded by limitFlags, if it takes them. Its usage errors begin
// with its name.
func (s *session) command(name string, minArgs, maxArgs int, flags []*command.Flag, act func(*command.Context) error) *command.Command {
	return s.prepare(name, minArgs, maxArgs, false, flags, act)
}

// untimed is command for one that runs until it is interrupted.
func (s *session) untimed(name string, minArgs, maxArgs int, flags []*command.Flag, act func(*command.Context) error) *command.Command {
	return s.prepare(name, minArgs, maxArgs, true, flags, act)
}

// prepare makes what command and untimed have in common.
func (s *session) prepare(
	name string, minArgs, maxArgs int, untimed bool,
	flags []*command.Flag, act func(*command.Context) error,
) *command.Command {
	for _, f := range flags {
		// Some texts have a list or a number that is known to the program only.
		if f.Usage == "" && !f.Hidden {
			f.Usage = help.Usage(name, f.Names[0])
		}
	}
	c := help.Of(name)
	c.Flags = flags
	c.Action = func(c *command.Context) error {
		if err := s.begin(c, minArgs, maxArgs, untimed); err != nil {
			return err
		}
		return act(c)
	}
	return c
}

// begin checks the arguments of any command, and begins its budget. To look at the arguments may
// take long, as they may name pipes and devices; so this is a step, too.
func (s *session) begin(c *command.Context, minArgs, maxArgs int, untimed bool) error {
	// Cheap checks come first: a wrong number of arguments is found before any file is touched.
	line := lineOf(c)
	if err := line.Check(minArgs, maxArgs); err != nil {
		return err
	}
	if err := noneEmpty(c); err != nil {
		return err
	}
	// A file that cannot be written should not cost hours of work first.
	if err := checkTargets(c, s.run.Files, line.Files()); err != nil {
		return err
	}
	limits, err := limitsOf(c)
	if err != nil {
		return err
	}
	// Serve has a --timeout of its own, for each answer.
	if untimed {
		limits.Time = 0
	}
	s.limit(limits)
	err = s.run.Try("looking at the arguments", line.CheckOrder)
	if failure.IsLimit(err) {
		return nil // the steps of the command report that
	}
	return err
}

// noneEmpty refuses flags that have an empty value: mostly a variable of the shell was not set,
// and the command would do something else than was meant.
func noneEmpty(c *command.Context) error {
	for _, f := range c.Command.Flags {
		// Only texts can be empty: numbers and durations must parse.
		name := f.Names[0]
		if _, text := f.Default.(string); text && c.IsSet(name) && c.String(name) == "" {
			return exit.Usagef("--%s has an empty value: give it one, or leave the flag out (is a variable of the shell unset?)", name)
		}
	}
	return nil
}

// known refuses a command that does not exist.
func known(commands []*command.Command, args []string) error {
	// The first word that is no flag must be a command.
	i := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") })
	if i < 0 || command.Find(commands, args[i]) != nil {
		return nil
	}
	// Newcomers name a trace alone, as other tools take it.
	if load.Exists(args[i]) {
		return exit.Usagef("a command comes first: write pota detect FORMULA %s", args[i])
	}
	var names []string
	for _, c := range commands {
		names = append(names, c.Name)
	}
	return exit.Usagef("there is no command %q; %s", args[i],
		cmp.Or(syntax.DidYouMean(args[i], names), "there are "+strings.Join(names, ", ")))
}

// execute runs the command that a command line names.
func (s *session) execute(args []string) error {
	commands := s.commands()
	// pota --help COMMAND is pota help COMMAND.
	if len(args) > 1 && arguments.IsHelp(args[0]) {
		args = append([]string{"help"}, args[1:]...)
	}
	if err := known(commands, args); err != nil {
		return err
	}
	// Flags before the command end here. Those after it are explained by the command.
	line, err := program().Parse(args)
	switch {
	case err != nil:
		return exit.Usagef("%s", help.FlagMistake(err, nil))
	case line.Bool("help") || len(line.Args()) == 0 && !line.Bool("version"):
		_, err := s.run.Console.Out.WriteString(help.App())
		return err
	case line.Bool("version"):
		version.Print(s.run.Console.Out)
		return nil
	}
	// The name of the command tells where to look for help.
	c := command.Find(commands, line.Args().First())
	err = s.perform(c, line.Args().Tail())
	if usage, ok := err.(*exit.UsageError); ok {
		return exit.Usagef("%s: %s", c.Name, usage.Text)
	}
	return err
}

// program is the program as a command, for its flags.
func program() *command.Command {
	version := toggle("version, v")
	version.Usage = "print the version"
	return &command.Command{
		Name:      "pota",
		Purpose:   "decide CTL formulas over all consistent global states of a trace",
		Arguments: "COMMAND [flags] ARGUMENTS...",
		Description: "Reads the trace of one execution of a distributed program and decides a\n" +
			"branching-time formula over every global state it could have passed through,\n" +
			"not only those of the interleaving that was seen.",
		Flags: []*command.Flag{version},
	}
}

// perform runs a command on the words after its name, where flags may follow arguments.
func (s *session) perform(c *command.Command, words []string) error {
	words = arguments.FlagsFirst(words, func(name string) (known, hasValue bool) {
		f := command.FindFlag(c.Flags, name)
		return f != nil, f.TakesValue()
	})
	line, err := c.Parse(words)
	if err != nil {
		return exit.Usagef("%s", help.FlagMistake(err, c.Flags))
	}
	if line.Bool("help") {
		_, err := s.run.Console.Out.WriteString(help.Text(c))
		return err
	}
	return c.Action(line)
}
