package main

import (
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// What follows builds flags of the library in a line each. Names are those of the flag, long and
// perhaps short, such as "output, o". Usage is the help, with the name of a value in backquotes.

// text makes a flag with a text, none by default.
func text(names, usage string) *cli.StringFlag { return textOr(names, "", usage) }

// textOr makes a flag with a text and a default.
func textOr(names, value, usage string) *cli.StringFlag {
	name, aliases := namesOf(names)
	return &cli.StringFlag{Name: name, Aliases: aliases, Value: value, Usage: usage}
}

// texts makes a flag that may be repeated.
func texts(names, usage string) *cli.StringSliceFlag {
	name, aliases := namesOf(names)
	return &cli.StringSliceFlag{Name: name, Aliases: aliases, Usage: usage}
}

// toggle makes a flag without a value.
func toggle(names, usage string) *cli.BoolFlag {
	name, aliases := namesOf(names)
	return &cli.BoolFlag{Name: name, Aliases: aliases, Usage: usage}
}

// number makes a flag with a whole number, 0 by default.
func number(names, usage string) *cli.IntFlag { return numberOr(names, 0, usage) }

// numberOr makes a flag with a whole number and a default.
func numberOr(names string, value int, usage string) *cli.IntFlag {
	name, aliases := namesOf(names)
	return &cli.IntFlag{Name: name, Aliases: aliases, Value: value, Usage: usage}
}

// period makes a flag with a duration, 0 by default.
func period(names, usage string) *cli.DurationFlag { return periodOr(names, 0, usage) }

// periodOr makes a flag with a duration and a default.
func periodOr(names string, value time.Duration, usage string) *cli.DurationFlag {
	name, aliases := namesOf(names)
	return &cli.DurationFlag{Name: name, Aliases: aliases, Value: value, Usage: usage}
}

// namesOf divides the names of a flag into the long one and the others.
func namesOf(names string) (string, []string) {
	all := strings.Split(names, ", ")
	return all[0], all[1:]
}

// group puts flags under a heading of the help. The library sorts headings, and the flags below.
func group(heading string, flags ...cli.Flag) []cli.Flag {
	for _, flag := range flags {
		// The library has no interface to set a category.
		switch f := flag.(type) {
		case *cli.BoolFlag:
			f.Category = heading
		case *cli.StringFlag:
			f.Category = heading
		case *cli.StringSliceFlag:
			f.Category = heading
		case *cli.IntFlag:
			f.Category = heading
		case *cli.DurationFlag:
			f.Category = heading
		}
	}
	return flags
}
