package main

import (
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// What follows builds flags of the library in a line each. Names are those of the flag, long and
// perhaps short, such as "output, o". Usage is the help, with the name of a value in backquotes.

func text(names, usage string) *cli.StringFlag { return textOr(names, "", usage) }

func textOr(names, value, usage string) *cli.StringFlag {
	name, aliases := namesOf(names)
	return &cli.StringFlag{Name: name, Aliases: aliases, Value: value, Usage: usage}
}

func texts(names, usage string) *cli.StringSliceFlag {
	name, aliases := namesOf(names)
	return &cli.StringSliceFlag{Name: name, Aliases: aliases, Usage: usage}
}

func toggle(names, usage string) *cli.BoolFlag {
	name, aliases := namesOf(names)
	return &cli.BoolFlag{Name: name, Aliases: aliases, Usage: usage}
}

func number(names, usage string) *cli.IntFlag { return numberOr(names, 0, usage) }

func numberOr(names string, value int, usage string) *cli.IntFlag {
	name, aliases := namesOf(names)
	return &cli.IntFlag{Name: name, Aliases: aliases, Value: value, Usage: usage}
}

func period(names, usage string) *cli.DurationFlag { return periodOr(names, 0, usage) }

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
