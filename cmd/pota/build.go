package main

import (
	"reflect"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
)

// The functions below make flags of the library, a line each. The names of a flag are its long one
// and perhaps a short one, such as "output, o". The flag stores its value in a variable, whose old
// value is the default. The help texts of flags are in package help.

// text makes a flag with a text.
func text(names string, to *string) *cli.StringFlag {
	name, aliases := namesOf(names)
	return &cli.StringFlag{Name: name, Aliases: aliases, Value: *to, Destination: to}
}

// texts makes a flag that may be repeated.
func texts(names string, to *[]string) *cli.StringSliceFlag {
	name, aliases := namesOf(names)
	// The library stores a type of its own.
	store := func(_ *cli.Context, all []string) error { *to = all; return nil }
	return &cli.StringSliceFlag{Name: name, Aliases: aliases, Action: store}
}

// toggle makes a flag without a value.
func toggle(names string, to *bool) *cli.BoolFlag {
	name, aliases := namesOf(names)
	return &cli.BoolFlag{Name: name, Aliases: aliases, Destination: to}
}

// number makes a flag with a whole number.
func number(names string, to *int) *cli.IntFlag {
	name, aliases := namesOf(names)
	return &cli.IntFlag{Name: name, Aliases: aliases, Value: *to, Destination: to}
}

// period makes a flag with a duration.
func period(name string, to *time.Duration) *cli.DurationFlag {
	return &cli.DurationFlag{Name: name, Value: *to, Destination: to}
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

// textsOf returns the heading and the text of a flag in the help. All types of flags have these
// fields, and the library has no interface to set them.
func textsOf(flag cli.Flag) (category, usage *string) {
	field := func(name string) *string {
		return reflect.ValueOf(flag).Elem().FieldByName(name).Addr().Interface().(*string)
	}
	return field("Category"), field("Usage")
}
