package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/arguments"
	"github.com/pota-project/pota/cmd/pota/internal/budget"
	"github.com/pota-project/pota/cmd/pota/internal/console"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/failure"
	"github.com/pota-project/pota/cmd/pota/internal/files"
	"github.com/pota-project/pota/cmd/pota/internal/help"
	"github.com/pota-project/pota/cmd/pota/internal/job"
	"github.com/pota-project/pota/cmd/pota/internal/load"
	"github.com/pota-project/pota/graphs/lazy"
	"github.com/pota-project/pota/rctl/syntax"
)

// streams are the inputs and outputs of a run of the program.
type streams struct {
	in       io.Reader
	out, err io.Writer

	files   *files.Set   // the files to write; nil for a new set
	overrun chan<- error // gets the limit that the run does not heed, unless nil
}

// session is one run of the program.
type session struct {
	run     *job.Run
	overrun chan<- error // gets the limit that the run does not heed, unless nil
	words   []string     // the command line to complete

	// The values of limitFlags.
	timeout time.Duration
	memory  string
}

// newSession returns a session without a budget. begin starts one once the flags are known.
func newSession(ctx context.Context, std streams) *session {
	c := console.New(std.in, std.out, std.err)
	return &session{
		run:     &job.Run{Context: ctx, Console: c, Files: cmp.Or(std.files, new(files.Set))},
		overrun: std.overrun,
	}
}

// command returns the named command, with its texts from package help. The command accepts from
// minArgs to maxArgs arguments, or at least minArgs if maxArgs is negative. Its usage errors begin
// with its name.
func (s *session) command(name string, minArgs, maxArgs int, flags []cli.Flag, act cli.ActionFunc) *cli.Command {
	text := help.Of(name)
	for _, flag := range flags {
		// Some texts contain a list or a number that is known only to the program.
		_, usage := textsOf(flag)
		if *usage == "" && flag.(cli.VisibleFlag).IsVisible() {
			*usage = help.Usage(name, flag.Names()[0])
		}
	}
	return &cli.Command{
		Name:            name,
		Usage:           text.Purpose,
		ArgsUsage:       text.Arguments,
		Description:     text.Description,
		Flags:           flags,
		HideHelpCommand: true,
		// Each command completes its own flags and arguments.
		BashComplete: s.complete,
		OnUsageError: func(_ *cli.Context, err error, _ bool) error {
			return exit.Usagef("%s: %s", name, flagMistake(err, flags))
		},
		Action: func(c *cli.Context) error {
			err := s.begin(c, minArgs, maxArgs)
			if err == nil {
				err = act(c)
			}
			// The name of the command shows where to find help.
			if usage, ok := err.(*exit.UsageError); ok {
				return exit.Usagef("%s: %s", name, usage.Text)
			}
			return err
		},
	}
}

// The library would print help from templates that must be built for all commands at each start.
func init() {
	cli.HelpPrinter = func(out io.Writer, _ string, of any) {
		text := help.App()
		if c, ok := of.(*cli.Command); ok {
			text = help.Of(c.Name).Text(c.Name, flagTexts(c.Flags))
		}
		_, _ = io.WriteString(out, text)
	}
}

// flagTexts returns the help texts of flags.
func flagTexts(flags []cli.Flag) []help.Flag {
	var all []help.Flag
	// Package help does not depend on the library, and the library has no type with all of this.
	for _, f := range flags {
		d := f.(cli.DocGenerationFlag)
		if v, ok := f.(cli.VisibleFlag); f == cli.HelpFlag || ok && !v.IsVisible() {
			continue
		}
		_, repeats := f.(*cli.StringSliceFlag)
		text := help.Flag{
			Heading: f.(cli.CategorizableFlag).GetCategory(),
			Names:   f.Names(),
			Usage:   d.GetUsage(),
			Repeats: repeats,
		}
		// Toggles are off by default. The help text explains what a zero stands for.
		if value := strings.Trim(d.GetDefaultText(), `"`); d.TakesValue() && !repeats && value != "0" && value != "0s" {
			text.Default = value
		}
		all = append(all, text)
	}
	return all
}

// begin checks the arguments of any command, and starts its budget. The check is a step, since
// inspecting arguments that name pipes and devices may take long.
func (s *session) begin(c *cli.Context, minArgs, maxArgs int) error {
	// Cheap checks come first: a wrong number of arguments is reported before any file is touched.
	line := lineOf(c)
	if err := line.Check(minArgs, maxArgs); err != nil {
		return err
	}
	// Refuse a flag with an empty value. Most often a shell variable is unset, and the command would
	// not do what the user meant. Numbers and durations cannot be empty.
	for _, f := range c.Command.Flags {
		name := f.Names()[0]
		if _, text := f.(*cli.StringFlag); text && c.IsSet(name) && c.String(name) == "" {
			return exit.Usagef("--%s has an empty value: give it one, or leave the flag out (is a variable of the shell unset?)", name)
		}
	}
	// Find out before hours of work that a file cannot be written.
	if err := checkTargets(c, s.run.Files, line.Files()); err != nil {
		return err
	}
	limits, err := budget.Parse(s.timeout, s.memory)
	if err != nil {
		return err
	}
	// Without a supervisor, as in tests, a run waits for a step that ignores its limit.
	if s.overrun != nil {
		limits.Overrun = func(why *budget.LimitError) { s.overrun <- why }
	}
	s.run.Budget = budget.New(limits)
	err = s.run.Try("looking at the arguments", line.CheckOrder)
	if failure.IsLimit(err) {
		return nil // the steps of the command report the limit
	}
	return err
}

// flagMistake explains an error of the library about flags.
func flagMistake(err error, flags []cli.Flag) string {
	// The library reports neither the flag as the user wrote it nor the type of its value.
	if m := badValue().FindStringSubmatch(err.Error()); m != nil {
		kind := "a whole number"
		if _, ok := findFlag(flags, m[2]).(*cli.DurationFlag); ok {
			kind = "a duration with its unit, such as 5ms or 1.5s"
		}
		return fmt.Sprintf("--%s must be %s, not %s", m[2], kind, m[1])
	}
	// The library has no error type for an unknown flag, so match its text.
	flag, ok := strings.CutPrefix(err.Error(), "flag provided but not defined: ")
	switch {
	case !ok:
		return err.Error()
	// No flag contains these characters, but formulas do.
	case strings.ContainsAny(flag, "@( "):
		return strings.TrimSpace(flag) +
			" is no flag; a formula that begins with - stands in parentheses, or after --"
	}
	// A typing error is the most common reason. The library suggests a flag however different it is.
	name := strings.TrimLeft(flag, "-")
	meant := cli.SuggestFlag(flags, name, false)
	plain := strings.TrimLeft(meant, "-")
	if strings.HasPrefix(plain, name) || syntax.Nearest(name, []string{plain}) != nil {
		return "there is no flag " + flag + "; did you mean " + meant + "?"
	}
	return "there is no flag " + flag
}

// badValue matches the library's error about a malformed number or duration.
var badValue = lazy.Regexp(`^invalid value (".*") for flag -(\S+): parse error$`)

// findFlag returns the flag with a name, or nil if there is none.
func findFlag(flags []cli.Flag, name string) cli.Flag {
	i := slices.IndexFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	if i < 0 {
		return nil
	}
	return flags[i]
}

// known refuses a command that does not exist.
func known(app *cli.App, args []string) error {
	// The first word that is not a flag must be a command.
	i := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") })
	if i < 0 || app.Command(args[i]) != nil {
		return nil
	}
	// Newcomers may give only a trace, as for other tools.
	if load.Exists(args[i]) {
		return exit.Usagef("a command comes first: write pota detect FORMULA %s", args[i])
	}
	var names []string
	for _, c := range app.Commands {
		names = append(names, c.Name)
	}
	return exit.Usagef("there is no command %q; %s", args[i],
		cmp.Or(syntax.DidYouMean(args[i], names), "there are "+strings.Join(names, ", ")))
}

// flagsFirst moves the flags of a command before its arguments.
func flagsFirst(app *cli.App, args []string) []string {
	// pota --help COMMAND is pota help COMMAND.
	if len(args) > 1 && arguments.IsHelp(args[0]) {
		args = append([]string{"help"}, args[1:]...)
	}
	if len(args) == 0 || app.Command(args[0]) == nil {
		return args
	}
	cmd := app.Command(args[0])
	// A command may be called by an alias, but the library finds its flags by its name.
	return append([]string{cmd.Name}, arguments.FlagsFirst(args[1:], func(name string) (known, hasValue bool) {
		f := findFlag(cmd.Flags, name)
		return f != nil, takesValue(f)
	})...)
}

// takesValue reports whether a flag has a value. The flag may be nil.
func takesValue(f cli.Flag) bool {
	d, ok := f.(cli.DocGenerationFlag)
	return ok && d.TakesValue()
}
