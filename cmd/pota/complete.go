package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pota-project/pota/cmd/pota/internal/command"
	"github.com/pota-project/pota/cmd/pota/internal/complete"
)

// completionCommand prints the script that a shell loads.
func (s *session) completionCommand() *command.Command {
	return s.command("completion", 1, 1, nil, func(c *command.Context) error {
		script, err := complete.Script(c.Args().First())
		fmt.Fprint(s.run.Console.Out, script)
		return err
	})
}

// complete prints the words that may complete the last of some: commands, or for a command the
// values of the flag before it, flags, or arguments that are not files.
func (s *session) complete(words []string) {
	commands := s.commands()
	var last string
	if len(words) > 0 {
		last = words[len(words)-1]
	}
	var all []string
	switch {
	case strings.HasPrefix(last, "-") && len(words) < 2:
		all = flagNames(program())
	case len(words) < 2:
		for _, c := range commands {
			all = append(all, c.Name)
		}
	// After -- only files may follow.
	case slices.Contains(words, "--"):
	default:
		if c := command.Find(commands, words[0]); c != nil {
			all = following(c, words[len(words)-2], last, helpTopics(commands))
		}
	}
	// Shells filter as well, but not all of them.
	for _, text := range all {
		if strings.HasPrefix(text, last) {
			fmt.Fprintln(s.run.Console.Out, text)
		}
	}
}

// following returns the words that may stand in place of the last one, after the one before it.
// Topics are those of help.
func following(c *command.Command, before, last string, topics []string) []string {
	flag := command.FindFlag(c.Flags, strings.TrimLeft(before, "-"))
	switch {
	// The word before is a flag that waits for its value.
	case strings.HasPrefix(before, "-") && flag.TakesValue():
		return complete.Values(flag.Names[0], flag.Usage)
	case strings.HasPrefix(last, "-"):
		return flagNames(c)
	}
	return complete.Arguments(c.Arguments, topics)
}

// flagNames returns the names of all flags of a command, as they are written.
func flagNames(c *command.Command) []string {
	var all []string
	for _, f := range append(slices.Clip(c.Flags), command.Help) {
		if !f.Hidden {
			all = append(all, f.Dashed()...)
		}
	}
	return all
}
