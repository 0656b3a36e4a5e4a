package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/guides"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/help"
	"github.com/pota-project/pota/cmd/pota/internal/version"
	"github.com/pota-project/pota/rctl/syntax"
)

// helpCommand replaces the one of the library: that knows no guides.
func (s *session) helpCommand() *cli.Command {
	c := s.command("help", 0, -1, []cli.Flag{toggle("man", new(bool))}, s.help)
	c.Aliases = []string{"h"}
	return c
}

// helpTopics are the names that help takes.
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
		// Section 1 is that of commands.
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
	// A section is one of a guide, also where a command has the name of the guide.
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
		// A blank line between the help of the command and the guide.
		fmt.Fprintln(out)
	}
	return help.Show(s.run.Console, text)
}

// versionCommand takes any arguments, since who asks for the version wants nothing else.
func (s *session) versionCommand() *cli.Command {
	return s.command("version", 0, -1, nil, func(*cli.Context) error { version.Print(s.run.Console.Out); return nil })
}
