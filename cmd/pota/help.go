package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/cmd/pota/guides"
	"github.com/pota-project/pota/cmd/pota/internal/command"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/help"
	"github.com/pota-project/pota/cmd/pota/internal/version"
	"github.com/pota-project/pota/rctl/syntax"
)

// helpCommand prints the help and the guides.
func (s *session) helpCommand() *command.Command {
	c := s.command("help", 0, -1, []*command.Flag{toggle("man")}, s.help)
	c.Aliases = []string{"h"}
	return c
}

// helpTopics are the names that help takes.
func helpTopics(commands []*command.Command) []string {
	topics := slices.Clone(guides.Names)
	for _, c := range commands {
		if !slices.Contains(guides.Names, c.Name) {
			topics = append(topics, c.Name)
		}
	}
	return topics
}

// help prints a guide, the help of a command, or both where they share a name.
func (s *session) help(c *command.Context) error {
	out := s.run.Console.Out
	name := c.Args().First()
	commands := s.commands()
	switch {
	case c.Bool("man"):
		_, err := out.WriteString(help.Man(program(), commands))
		return err
	case name == "":
		_, err := out.WriteString(help.App())
		return err
	}
	text, topic := guides.Text(name), command.Find(commands, name)
	if text == "" && topic == nil {
		return exit.Usagef("there is no guide or command %q; %s", name,
			cmp.Or(syntax.DidYouMean(name, helpTopics(commands)), "the guides are "+strings.Join(guides.Names, ", ")))
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
	if topic != nil {
		fmt.Fprint(out, help.Text(topic))
	}
	if text != "" && topic != nil {
		// A blank line between the help of the command and the guide.
		fmt.Fprintln(out)
	}
	return help.Show(s.run.Console, text)
}

// versionCommand takes any arguments, since who asks for the version wants nothing else.
func (s *session) versionCommand() *command.Command {
	return s.command("version", 0, -1, nil, func(*command.Context) error {
		version.Print(s.run.Console.Out)
		return nil
	})
}
