package main

import (
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// What follows builds flags of the library in a line each. Names are those of the flag, long and
// perhaps short, such as "output, o". What the help says of them is in package help.

// text makes a flag with a text, none by default.
func text(names string) *cli.StringFlag { return textOr(names, "") }

// textOr makes a flag with a text and a default.
func textOr(names, value string) *cli.StringFlag {
	name, aliases := namesOf(names)
	return &cli.StringFlag{Name: name, Aliases: aliases, Value: value}
}

// texts makes a flag that may be repeated.
func texts(names string) *cli.StringSliceFlag {
	name, aliases := namesOf(names)
	return &cli.StringSliceFlag{Name: name, Aliases: aliases}
}

// toggle makes a flag without a value.
func toggle(names string) *cli.BoolFlag {
	name, aliases := namesOf(names)
	return &cli.BoolFlag{Name: name, Aliases: aliases}
}

// number makes a flag with a whole number, 0 by default.
func number(names string) *cli.IntFlag { return numberOr(names, 0) }

// numberOr makes a flag with a whole number and a default.
func numberOr(names string, value int) *cli.IntFlag {
	name, aliases := namesOf(names)
	return &cli.IntFlag{Name: name, Aliases: aliases, Value: value}
}

// period makes a flag with a duration, 0 by default.
func period(names string) *cli.DurationFlag { return periodOr(names, 0) }

// periodOr makes a flag with a duration and a default.
func periodOr(names string, value time.Duration) *cli.DurationFlag {
	name, aliases := namesOf(names)
	return &cli.DurationFlag{Name: name, Aliases: aliases, Value: value}
}

// namesOf divides the names of a flag into the long one and the others.
func namesOf(names string) (string, []string) {
	all := strings.Split(names, ", ")
	return all[0], all[1:]
}

// group puts flags under a heading of the help.
func group(heading string, flags ...cli.Flag) []cli.Flag {
	for _, flag := range flags {
		category, _ := textsOf(flag)
		*category = heading
	}
	return flags
}

// textsOf returns the heading and the text of a flag in the help. The library has no interface to
// set them.
func textsOf(flag cli.Flag) (category, usage *string) {
	switch f := flag.(type) {
	case *cli.BoolFlag:
		return &f.Category, &f.Usage
	case *cli.StringFlag:
		return &f.Category, &f.Usage
	case *cli.StringSliceFlag:
		return &f.Category, &f.Usage
	case *cli.IntFlag:
		return &f.Category, &f.Usage
	case *cli.Uint64Flag:
		return &f.Category, &f.Usage
	case *cli.DurationFlag:
		return &f.Category, &f.Usage
	}
	panic("this cannot happen, because the flags of commands are of these types")
}
