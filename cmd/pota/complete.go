package main

import (
	_ "embed"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/graphs/simulate"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl/pattern"
	"github.com/pota-project/pota/rctl/syntax"
)

// The scripts ask the program itself: pota __complete WORDS... prints what the last of the
// words may be, one a line; it may be empty. Files the shell completes itself.
var (
	//go:embed completion/pota.bash
	bashCompletion string
	//go:embed completion/pota.zsh
	zshCompletion string
	//go:embed completion/pota.fish
	fishCompletion string
)

// completeWord is the name of the command that the scripts use.
const completeWord = "__complete"

// shells are those for which there are scripts.
var shells = []string{"bash", "zsh", "fish"}

func (s *session) completionCommand() *cli.Command {
	return s.command(1, 1, cli.Command{
		Name:      "completion",
		Usage:     "print a script that completes commands, flags and their values",
		ArgsUsage: strings.Join(shells, "|"),
		Description: "   source <(pota completion bash)\n" +
			"   pota completion fish > ~/.config/fish/completions/pota.fish",
		Action: func(c *cli.Context) (err error) {
			script, ok := map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.Args().First()]
			if !ok {
				return unknown("script for the shell", c.Args().First(), shells...)
			}
			fmt.Fprint(s.out, script)
			return nil
		},
	})
}

// complete prints what the last word may be.
func (s *session) complete(app *cli.App, words []string) {
	for _, text := range completions(app, words) {
		fmt.Fprintln(s.out, text)
	}
}

// completions returns what the last word may be, as far as it goes on.
func completions(app *cli.App, words []string) []string {
	if len(words) == 0 {
		return nil
	}
	before, last := words[:len(words)-1], words[len(words)-1]
	starting := func(prefix string, all []string) []string {
		var some []string
		for _, text := range all {
			if strings.HasPrefix(prefix+text, last) {
				some = append(some, prefix+text)
			}
		}
		return some
	}
	if len(before) == 0 {
		var names []string
		for _, c := range app.Commands {
			names = append(names, c.Name)
		}
		return starting("", names)
	}
	c := app.Command(before[0])
	if c == nil {
		return nil
	}
	if flag, _, ok := strings.Cut(last, "="); ok && strings.HasPrefix(flag, "-") {
		return starting(flag+"=", valuesOf(app, c, flag, before))
	}
	if flag := before[len(before)-1]; strings.HasPrefix(flag, "-") && (takesValue(c, flag) || flag == "--witness" || flag == "-w") {
		if values := valuesOf(app, c, flag, before); values != nil || takesValue(c, flag) {
			return starting("", values)
		}
	}
	if strings.HasPrefix(last, "-") {
		var names []string
		for _, f := range c.VisibleFlags() {
			names = append(names, dashed(f)...)
		}
		return starting("", names)
	}
	return starting("", argumentsOf(app, c))
}

// dashed returns the names of a flag with their dashes.
func dashed(f cli.Flag) []string {
	return mapOf(f.Names(), func(name string) string { return strings.Repeat("-", min(len(name), 2)) + name })
}

// flagOf returns the flag of a command that is written so, nil if there is none.
func flagOf(c *cli.Command, text string) cli.Flag {
	for _, f := range c.Flags {
		if slices.Contains(f.Names(), strings.TrimLeft(text, "-")) {
			return f
		}
	}
	return nil
}

func takesValue(c *cli.Command, flag string) bool {
	f := flagOf(c, flag)
	_, isBool := f.(*cli.BoolFlag)
	return f != nil && !isBool
}

// valuesOf returns the values that a flag may have, nil where they are files or not known.
func valuesOf(app *cli.App, c *cli.Command, text string, before []string) []string {
	f := flagOf(c, text)
	if f == nil {
		return nil
	}
	switch f.Names()[0] {
	case "engine":
		return engineNames()
	case "format":
		return formatsOf[c.Name]
	case "input", "from":
		return inputs()
	case "map":
		return formatNames(format.Mappings())
	case "to":
		return languages()
	case "time-unit":
		return []string{"s", "ms", "us", "ns"}
	case "witness":
		return []string{"full"}
	case "property":
		return append(mapOf(pattern.All, func(p pattern.Pattern) string { return p.Name + ":" }), propertyNames(before)...)
	case "fault":
		var all []string
		for _, word := range before {
			if m, err := simulate.Lookup(word); err == nil {
				for _, f := range m.Faults {
					all = append(all, f.Name)
				}
			}
		}
		return all
	}
	return nil
}

// propertyNames returns those of the file that -f names among words.
func propertyNames(words []string) []string {
	i := slices.IndexFunc(words, func(w string) bool { return w == "-f" || w == "--properties" })
	if i < 0 || i == len(words)-1 {
		return nil
	}
	text, err := os.ReadFile(words[i+1])
	if err != nil || len(text) > longestFile {
		return nil
	}
	all, err := syntax.ParseProperties(string(text))
	if err != nil {
		return nil
	}
	return mapOf(all, func(p syntax.Property) string { return p.Name })
}

// formatsOf are what --format may be, by command.
var formatsOf = map[string][]string{
	"detect": {"text", "json", "junit", "sarif", "github"}, "merge": {"text", "json", "junit", "sarif", "github"}, "slice": {"dot", "svg", "html", "json"}, "draw": {"svg", "dot", "html"},
}

func formatNames(formats []format.Format) []string {
	return mapOf(formats, func(f format.Format) string { return f.Name })
}

// inputs are the names of formats that --input takes.
func inputs() []string {
	return slices.Concat([]string{format.Auto}, formatNames(format.Formats()), formatNames(format.Mappings()))
}

// argumentsOf returns what the arguments of a command may be, where they are words.
func argumentsOf(app *cli.App, c *cli.Command) []string {
	switch c.Name {
	case "help":
		return helpTopics(app)
	case "completion":
		return shells
	case "simulate":
		return mapOf(simulate.Models(), func(m *simulate.Model) string { return m.Name })
	case "map":
		return formatNames(format.Mappings())
	}
	return nil
}

func mapOf[T any](from []T, of func(T) string) []string {
	var to []string
	for _, x := range from {
		to = append(to, of(x))
	}
	return to
}
