package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/decide"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/export"
	"github.com/pota-project/pota/cmd/pota/internal/present"
	"github.com/pota-project/pota/cmd/pota/internal/viewer"
	"github.com/pota-project/pota/graphs/simulate"
	"github.com/pota-project/pota/graphs/trace/format"
	"github.com/pota-project/pota/rctl/pattern"
)

// The scripts have the library complete commands: they pass the words so far and, as the last
// one, completionFlag. Shells complete files themselves.
var (
	//go:embed completion/pota.bash
	bashCompletion string
	//go:embed completion/pota.zsh
	zshCompletion string
	//go:embed completion/pota.fish
	fishCompletion string
)

// completionFlag asks the library to complete.
const completionFlag = "--generate-bash-completion"

// shells have a script each.
var shells = []string{"bash", "zsh", "fish"}

// completionCommand prints the script that a shell loads.
func (s *session) completionCommand() *cli.Command {
	return s.command("completion", 1, 1, nil, func(c *cli.Context) error {
		shell := c.Args().First()
		script, ok := map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[shell]
		if !ok {
			return exit.Unknown("script for the shell", shell, shells...)
		}
		fmt.Fprint(c.App.Writer, script)
		return nil
	})
}

// completeWords lets the library complete the words before completionFlag.
func (s *session) completeWords(app *cli.App, args []string) exit.Status {
	s.words = args[:len(args)-1]
	// After it only files may follow, and the library would run the command.
	if !slices.Contains(args, "--") {
		// Half a command line may be wrong.
		_ = app.RunContext(s.run.Context, append([]string{"pota"}, args...))
	}
	return s.end()
}

// complete prints the words that may complete the last word of a command line: values of the
// flag before it, flags, or arguments that are not files.
func (s *session) complete(c *cli.Context) {
	// The scripts pass at least the name of the command and the word to complete.
	last := s.words[len(s.words)-1]
	before := s.words[len(s.words)-2]
	var all []string
	switch flag := findFlag(c.Command.Flags, strings.TrimLeft(before, "-")); {
	// The word before is a flag that waits for its value.
	case strings.HasPrefix(before, "-") && takesValue(flag):
		all = values(c.Command, flag)
	case strings.HasPrefix(last, "-"):
		for _, f := range c.Command.VisibleFlags() {
			// A short name has one dash.
			for _, name := range f.Names() {
				all = append(all, strings.Repeat("-", min(len(name), 2))+name)
			}
		}
	default:
		all = words(c)
	}
	// Shells filter as well, but not all of them.
	for _, text := range all {
		if strings.HasPrefix(text, last) {
			fmt.Fprintln(c.App.Writer, text)
		}
	}
}

// values returns the values that a flag may have, nil where they are files or not known.
func values(cmd *cli.Command, flag cli.Flag) []string {
	switch flag.Names()[0] {
	case "engine":
		return decide.EngineNames()
	case "format":
		return formatsOf(cmd)
	case "input", "from":
		return slices.Concat([]string{format.Auto}, formatNames(format.Formats()), formatNames(format.Mappings()))
	case "map":
		return formatNames(format.Mappings())
	case "to":
		return export.Languages
	// A pattern goes on with its arguments after the colon.
	case "property":
		var all []string
		for _, p := range pattern.All {
			all = append(all, p.Name+":")
		}
		return all
	}
	return nil
}

// formatsOf returns the formats that a command prints: the words of the flag's description.
func formatsOf(cmd *cli.Command) []string {
	var all []string
	// The help is the one place that lists the formats of a command.
	usage := findFlag(cmd.Flags, "format").(cli.DocGenerationFlag).GetUsage()
	for _, name := range slices.Concat(present.Formats(), viewer.SliceFormats) {
		if strings.Contains(usage, name) && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// formatNames returns the names of formats or mappings.
func formatNames(formats []format.Format) []string {
	var names []string
	for _, f := range formats {
		names = append(names, f.Name)
	}
	return names
}

// words returns the arguments of a command that are not files.
func words(c *cli.Context) []string {
	switch arguments := c.Command.ArgsUsage; {
	case strings.Contains(arguments, "GUIDE"):
		return helpTopics(c.App)
	case strings.HasPrefix(arguments, shells[0]):
		return shells
	case strings.HasPrefix(arguments, "MODEL"):
		var names []string
		for _, m := range simulate.Models() {
			names = append(names, m.Name)
		}
		return names
	case strings.HasSuffix(arguments, "NAME]"):
		return formatNames(format.Mappings())
	}
	return nil
}
