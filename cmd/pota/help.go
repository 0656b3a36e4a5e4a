package main

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/rctl/syntax"
)

// guideTexts has a Markdown file for each guide. The first line is its name and, after a colon,
// its subject.
//
//go:embed guides/*.md
var guideTexts embed.FS

// guides are in the order that a newcomer would read them in.
var guides = []string{"formulas", "traces", "mappings", "engines", "witnesses", "certificates", "viewer", "ci", "watching", "fleets", "simulate", "programs", "speed"}

// guide returns the text of a guide, "" if there is none of that name.
func guide(name string) string {
	if !slices.Contains(guides, name) {
		return ""
	}
	text, err := guideTexts.ReadFile("guides/" + name + ".md")
	if err != nil {
		panic("this cannot happen, because the guides are part of the program: " + err.Error())
	}
	return string(text)
}

// aboutGuide returns the subject of a guide.
func aboutGuide(name string) string {
	// The heading is "# Name: subject".
	heading, _, _ := strings.Cut(guide(name), "\n")
	_, about, _ := strings.Cut(heading, ": ")
	return about
}

// helpTemplate is the library's template and a list of the guides.
func helpTemplate() string {
	var b strings.Builder
	b.WriteString(cli.AppHelpTemplate + "\nGUIDES (pota help GUIDE):\n")
	for _, name := range guides {
		fmt.Fprintf(&b, "   %-12s  %s\n", name, aboutGuide(name))
	}
	return b.String()
}

// helpCommand replaces the one of the library: that knows no guides.
func (s *session) helpCommand() *cli.Command {
	c := s.command("help", 0, 1, []cli.Flag{toggle("man", "print all that --help says as a man page: pota help --man | man -l -")}, s.help)
	c.Aliases = []string{"h"}
	return c
}

// helpTopics are the names that help takes.
func helpTopics(app *cli.App) []string {
	topics := slices.Clone(guides)
	for _, c := range app.Commands {
		if !slices.Contains(guides, c.Name) {
			topics = append(topics, c.Name)
		}
	}
	return topics
}

// help prints a guide, the help of a command, or both where they share a name.
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
	text, isCommand := guide(name), c.App.Command(name) != nil
	if text == "" && !isCommand {
		return exit.Usagef("there is no guide or command %q; %s", name,
			cmp.Or(syntax.DidYouMean(name, helpTopics(c.App)), "the guides are "+strings.Join(guides, ", ")))
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
	fmt.Fprint(out, text)
	return nil
}

// versionCommand takes any arguments, since who asks for the version wants nothing else.
func (s *session) versionCommand() *cli.Command {
	return s.command("version", 0, -1, nil, func(*cli.Context) error { printVersion(s.run.Console.Out); return nil })
}
