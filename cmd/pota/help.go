package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/guides"
	"github.com/pota-project/pota/cmd/pota/internal/complete"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/help"
	"github.com/pota-project/pota/cmd/pota/internal/supervise"
	"github.com/pota-project/pota/cmd/pota/internal/version"
	"github.com/pota-project/pota/rctl/syntax"
)

// helpCommand replaces the help command of the library, which has no guides.
func (s *session) helpCommand() *cli.Command {
	c := s.command("help", 0, -1, []cli.Flag{toggle("man", new(bool))}, s.help)
	c.Aliases = []string{"h"}
	return c
}

// helpTopics returns the names that help accepts.
func helpTopics(app *cli.App) []string {
	topics := slices.Clone(guides.Names)
	for _, c := range app.Commands {
		if !slices.Contains(guides.Names, c.Name) {
			topics = append(topics, c.Name)
		}
	}
	return topics
}

// help prints a guide, the help of a command, or both if they share a name.
func (s *session) help(c *cli.Context) error {
	out := s.run.Console.Out
	name := c.Args().First()
	switch {
	case c.Bool("man"):
		// Section 1 is for commands.
		page, err := c.App.ToManWithSection(1)
		fmt.Fprint(out, page)
		return err
	case name == "":
		return cli.ShowAppHelp(c)
	}
	text, isCommand := guides.Text(name), c.App.Command(name) != nil
	if text == "" && !isCommand {
		return exit.Usagef("there is no guide or command %q; %s", name,
			cmp.Or(syntax.DidYouMean(name, helpTopics(c.App)), "the guides are "+strings.Join(guides.Names, ", ")))
	}
	// A section belongs to a guide, even if a command shares the guide's name.
	if words := c.Args().Tail(); len(words) > 0 {
		if text == "" {
			return exit.Usagef("%s is a command, not a guide with sections: pota help %s", name, name)
		}
		section, err := help.Section(name, words)
		if err != nil {
			return err
		}
		return help.Show(s.run.Console, section)
	}
	if isCommand {
		if err := cli.ShowCommandHelp(c, name); err != nil {
			return err
		}
	}
	if text != "" && isCommand {
		// Separate the help of the command from the guide by a blank line.
		fmt.Fprintln(out)
	}
	return help.Show(s.run.Console, text)
}

// versionCommand ignores its arguments, since a user who asks for the version wants nothing else.
func (s *session) versionCommand() *cli.Command {
	return s.command("version", 0, -1, nil, func(*cli.Context) error { version.Print(s.run.Console.Out); return nil })
}

// completionCommand prints the script that a shell loads.
func (s *session) completionCommand() *cli.Command {
	return s.command("completion", 1, 1, nil, func(c *cli.Context) error {
		script, err := complete.Script(c.Args().First())
		fmt.Fprint(c.App.Writer, script)
		return err
	})
}

// completeWords lets the library complete the words before the flag that requests completion.
func (s *session) completeWords(app *cli.App, args []string) exit.Status {
	// A user may request completion by hand, without a word to complete or one before it.
	s.words = append([]string{"", ""}, args[:len(args)-1]...)
	// Only files may follow --, and the library would run the command.
	if !slices.Contains(args, "--") {
		// An incomplete command line may be wrong, so ignore the error.
		_ = app.RunContext(s.run.Context, append([]string{"pota"}, args...))
	}
	return supervise.End(s.run)
}

// complete prints the possible completions of the last word of a command line: values of the flag
// before it, flags, or arguments other than files.
func (s *session) complete(c *cli.Context) {
	last := s.words[len(s.words)-1]
	before := s.words[len(s.words)-2]
	var all []string
	switch flag := findFlag(c.Command.Flags, strings.TrimLeft(before, "-")); {
	// The previous word is a flag that needs a value.
	case strings.HasPrefix(before, "-") && takesValue(flag):
		all = complete.Values(flag.Names()[0], flag.(cli.DocGenerationFlag).GetUsage())
	case strings.HasPrefix(last, "-"):
		for _, f := range c.Command.VisibleFlags() {
			// A short name has one dash.
			for _, name := range f.Names() {
				all = append(all, strings.Repeat("-", min(len(name), 2))+name)
			}
		}
	default:
		all = complete.Arguments(c.Command.ArgsUsage, helpTopics(c.App))
	}
	// Not all shells filter the completions.
	for _, text := range all {
		if strings.HasPrefix(text, last) {
			fmt.Fprintln(c.App.Writer, text)
		}
	}
}
