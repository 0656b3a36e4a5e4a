package main

import (
	"time"

	"github.com/pota-project/pota/cmd/pota/internal/command"
)

// What follows builds flags in a line each. Names are those of the flag, long and perhaps short,
// such as "output, o". What the help says of them is in package help.

// text makes a flag with a text, none by default.
func text(names string) *command.Flag { return textOr(names, "") }

// textOr makes a flag with a text and a default.
func textOr(names, value string) *command.Flag { return command.New(names, value) }

// texts makes a flag that may be repeated.
func texts(names string) *command.Flag { return command.New(names, []string(nil)) }

// toggle makes a flag without a value.
func toggle(names string) *command.Flag { return command.New(names, false) }

// number makes a flag with a whole number, 0 by default.
func number(names string) *command.Flag { return numberOr(names, 0) }

// numberOr makes a flag with a whole number and a default.
func numberOr(names string, value int) *command.Flag { return command.New(names, value) }

// period makes a flag with a duration, 0 by default.
func period(names string) *command.Flag { return periodOr(names, 0) }

// periodOr makes a flag with a duration and a default.
func periodOr(names string, value time.Duration) *command.Flag { return command.New(names, value) }

// group puts flags under a heading of the help.
func group(heading string, flags ...*command.Flag) []*command.Flag {
	for _, f := range flags {
		f.Heading = heading
	}
	return flags
}
