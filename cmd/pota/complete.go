package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/pota-project/pota/cmd/pota/internal/complete"
	"github.com/pota-project/pota/cmd/pota/internal/exit"
	"github.com/pota-project/pota/cmd/pota/internal/supervise"
)

// completionCommand prints the script that a shell loads.
func (s *session) completionCommand() *cli.Command {
	return s.command("completion", 1, 1, nil, func(c *cli.Context) error {
		script, err := complete.Script(c.Args().First())
		fmt.Fprint(c.App.Writer, script)
		return err
	})
}

// completeWords lets the library complete the words before the flag that asks for it.
func (s *session) completeWords(app *cli.App, args []string) exit.Status {
	// By hand somebody may ask without a word to complete, or one before it.
	s.words = append([]string{"", ""}, args[:len(args)-1]...)
	// After it only files may follow, and the library would run the command.
	if !slices.Contains(args, "--") {
		// Half a command line may be wrong.
		_ = app.RunContext(s.run.Context, append([]string{"pota"}, args...))
	}
	return supervise.End(s.run)
}

// complete prints the words that may complete the last word of a command line: values of the
// flag before it, flags, or arguments that are not files.
func (s *session) complete(c *cli.Context) {
	last := s.words[len(s.words)-1]
	before := s.words[len(s.words)-2]
	var all []string
	switch flag := findFlag(c.Command.Flags, strings.TrimLeft(before, "-")); {
	// The word before is a flag that waits for its value.
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
	// Shells filter as well, but not all of them.
	for _, text := range all {
		if strings.HasPrefix(text, last) {
			fmt.Fprintln(c.App.Writer, text)
		}
	}
}
