package main

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// guideTexts has a Markdown file for each guide, whose first line is its name and, after
// a colon, what it is about.
//
//go:embed guides/*.md
var guideTexts embed.FS

// guides are in the order in which a newcomer would read them.
var guides = []string{"formulas", "traces", "mappings", "engines", "witnesses", "ci", "simulate", "speed"}

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

// helpTemplate is the library's template and a list of the guides.
func helpTemplate() string {
	var b strings.Builder
	b.WriteString(cli.AppHelpTemplate + "\nGUIDES (pota help GUIDE):\n")
	for _, name := range guides {
		heading, _, _ := strings.Cut(guide(name), "\n")
		_, about, _ := strings.Cut(heading, ": ")
		fmt.Fprintf(&b, "   %-9s  %s\n", name, about)
	}
	return b.String()
}

func (s *session) helpCommand() *cli.Command {
	return s.command(0, 1, cli.Command{
		Name:      "help",
		Aliases:   []string{"h"},
		Usage:     "explain a command, or print a guide",
		ArgsUsage: "[COMMAND | GUIDE]",
		BashComplete: func(c *cli.Context) {
			for _, name := range helpTopics(c.App) {
				fmt.Fprintln(s.out, name)
			}
		},
		Action: s.help,
	})
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

func (s *session) help(c *cli.Context) error {
	name := c.Args().First()
	if name == "" {
		return cli.ShowAppHelp(c)
	}
	text, isCommand := guide(name), c.App.Command(name) != nil
	if text == "" && !isCommand {
		var topics []*cli.Command
		for _, topic := range helpTopics(c.App) {
			topics = append(topics, &cli.Command{Name: topic})
		}
		return usagef("there is no guide or command %q. %s The guides are %s.", name, cli.SuggestCommand(topics, name), strings.Join(guides, ", "))
	}
	if isCommand {
		if err := cli.ShowCommandHelp(c, name); err != nil {
			return err
		}
	}
	if text != "" && isCommand {
		fmt.Fprintln(s.out)
	}
	fmt.Fprint(s.out, text)
	return nil
}

// The scripts ask the program itself: it lists what may follow when its last
// argument is --generate-bash-completion.
var (
	//go:embed completion/pota.bash
	bashCompletion string
	//go:embed completion/pota.zsh
	zshCompletion string
)

func (s *session) completionCommand() *cli.Command {
	return s.command(1, 1, cli.Command{
		Name:      "completion",
		Usage:     "print a script that completes commands and flags",
		ArgsUsage: "bash|zsh|fish",
		Description: "   source <(pota completion bash)\n" +
			"   pota completion fish > ~/.config/fish/completions/pota.fish",
		Action: func(c *cli.Context) (err error) {
			var script string
			switch shell := c.Args().First(); shell {
			case "bash":
				script = bashCompletion
			case "zsh":
				script = zshCompletion
			case "fish":
				script, err = c.App.ToFishCompletion()
			default:
				return unknown("script for the shell", shell, "bash", "zsh", "fish")
			}
			fmt.Fprint(s.out, script)
			return err
		},
	})
}

// completable replaces a partial flag, at which the library's completion of a
// command's flags would panic.
func completable(args []string) []string {
	args = slices.Clone(args)
	if n := len(args); n > 2 && strings.HasPrefix(args[n-2], "-") {
		args[n-2] = "-"
	}
	return args
}
